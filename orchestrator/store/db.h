/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of store/ share: the connection, its errors, its transactions.
 *
 * sqlite3.h is included here and nowhere else; a statement is used through store/sql.h.
 */
#pragma once

#include <sqlite3.h>
#include "store/statements.h"
#include "store/store.h"

struct tp_store {
	sqlite3 *db;
	char *path;
	bool read_only;
	bool in_transaction;			     /* between tp_store_begin() and its end */
	sqlite3_stmt *statements[_TP_STATEMENT_MAX]; /* prepared when first used */
};

/* The sentence for SQLite's result @rc while doing @what; returns a negative errno. */
int tp_db_error(const struct tp_store *store, int rc, const char *what, struct tp_err *reterr);

/* TP_STORE_E_FENCED with its sentence. */
int tp_db_fenced(int64_t job, struct tp_err *reterr);

/* Run constant text of one or more statements. */
TP_MUST_CHECK int tp_db_exec(struct tp_store *store, const char *sql, const char *what,
			     struct tp_err *reterr);

/* The value of a PRAGMA that yields one integer. */
TP_MUST_CHECK int tp_db_pragma(struct tp_store *store, const char *sql, int64_t *ret,
			       struct tp_err *reterr);

/* Bring the schema and its views to this program's version. */
TP_MUST_CHECK int tp_db_migrate(struct tp_store *store, struct tp_err *reterr);

/* Can this program read it as it is? For connections that may not write. */
TP_MUST_CHECK int tp_db_check_version(struct tp_store *store, struct tp_err *reterr);

/*
 * One function's transaction: its own when there is none, a savepoint inside the caller's.
 * Not committed, it is undone at the end of its scope:
 *
 *	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "job-create");
 */
struct tp_txn {
	struct tp_store *store;
	const char *before, *after; /* failpoints */
	bool open, nested;
};
#define TP_TXN(s, name)                                                                            \
	{                                                                                          \
		.store = (s), .before = "store:" name ":before-commit",                            \
		.after = "store:" name ":after-commit"                                             \
	}
TP_MUST_CHECK int tp_txn_begin(struct tp_txn *txn, struct tp_err *reterr);
/* The same for functions that only read: one consistent picture, no write lock. */
TP_MUST_CHECK int tp_txn_begin_read(struct tp_txn *txn, struct tp_err *reterr);
TP_MUST_CHECK int tp_txn_commit(struct tp_txn *txn, struct tp_err *reterr);
void tp_txn_end(struct tp_txn *txn);
