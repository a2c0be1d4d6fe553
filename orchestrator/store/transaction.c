/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Transactions: the caller's, and those of one function; see db.h. */
#include "store/db.h"

#include <errno.h>

#include "util/failpoint.h"

static int lost(struct tp_store *store, struct tp_err *reterr)
{
	return tp_err_set(reterr, -EIO, store->path,
			  "a transaction on the database %s was broken off by an earlier error",
			  store->path);
}

int tp_store_begin(struct tp_store *store, struct tp_err *reterr)
{
	int r;

	if (store->in_transaction)
		return tp_err_set(reterr, -EINVAL, store->path,
				  "a transaction is already open on the database %s", store->path);
	r = tp_db_exec(store, "BEGIN IMMEDIATE", "write", reterr);
	store->in_transaction = r == 0;
	return r;
}

int tp_store_commit(struct tp_store *store, struct tp_err *reterr)
{
	int r;

	/* SQLite ends a transaction by itself when the disk is full or fails. */
	if (!store->in_transaction || sqlite3_get_autocommit(store->db)) {
		store->in_transaction = false;
		return lost(store, reterr);
	}
	tp_failpoint("store:transaction:before-commit");
	r = tp_db_exec(store, "COMMIT", "write", reterr);
	if (r < 0) {
		tp_store_rollback(store);
		return r;
	}
	store->in_transaction = false;
	tp_failpoint("store:transaction:after-commit");
	return 0;
}

void tp_store_rollback(struct tp_store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->in_transaction = false;
}

static int begin(struct tp_txn *txn, const char *own, struct tp_err *reterr)
{
	struct tp_store *store = txn->store;
	int r;

	txn->nested = !sqlite3_get_autocommit(store->db);
	if (store->in_transaction && !txn->nested)
		return lost(store, reterr);
	r = tp_db_exec(store, txn->nested ? "SAVEPOINT tp" : own, "use", reterr);
	txn->open = r == 0;
	return r;
}

int tp_txn_begin(struct tp_txn *txn, struct tp_err *reterr)
{
	return begin(txn, "BEGIN IMMEDIATE", reterr);
}

int tp_txn_begin_read(struct tp_txn *txn, struct tp_err *reterr)
{
	return begin(txn, "BEGIN", reterr);
}

int tp_txn_commit(struct tp_txn *txn, struct tp_err *reterr)
{
	int r;

	if (!txn->nested)
		tp_failpoint(txn->before);
	r = tp_db_exec(txn->store, txn->nested ? "RELEASE tp" : "COMMIT", "write", reterr);
	if (r < 0)
		return r;
	txn->open = false;
	if (!txn->nested)
		tp_failpoint(txn->after);
	return 0;
}

void tp_txn_end(struct tp_txn *txn)
{
	if (!txn->open || sqlite3_get_autocommit(txn->store->db))
		return;
	txn->open = false;
	sqlite3_exec(txn->store->db, txn->nested ? "ROLLBACK TO tp; RELEASE tp" : "ROLLBACK", NULL,
		     NULL, NULL);
}
