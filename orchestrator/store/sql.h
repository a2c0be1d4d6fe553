/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One use of a statement from the table: bind by name, step, read columns from left to right.
 *
 * Mistakes stick and come out at the next step: a parameter that does not exist or was left
 * unbound, memory that ran out. A statement is given back by tp_sql_close().
 */
#pragma once

#include "store/db.h"

struct tp_sql {
	struct tp_store *store;
	sqlite3_stmt *stmt;
	int rc; /* first failure of a bind or of a copy */
	int n_bound;
	int column; /* next one to read */
};

TP_MUST_CHECK int tp_sql_open(struct tp_store *store, enum tp_statement id, struct tp_sql *ret,
			      struct tp_err *reterr);
void tp_sql_close(struct tp_sql *sql);

/* Texts must stay as they are until the statement is closed; NULL binds NULL, so does NAN. */
void tp_sql_bind_int(struct tp_sql *sql, const char *name, int64_t value);
void tp_sql_bind_real(struct tp_sql *sql, const char *name, double value);
void tp_sql_bind_text(struct tp_sql *sql, const char *name, const char *value);

/* 1: a row is there; 0: done; negative errno. */
TP_MUST_CHECK int tp_sql_step(struct tp_sql *sql, struct tp_err *reterr);

/* Run to its end a statement that changes rows, and close it; @ret_changes may be NULL. */
TP_MUST_CHECK int tp_sql_run(struct tp_sql *sql, int *ret_changes, struct tp_err *reterr);

/* The next column. A text is copied (free()); NULL for NULL. */
int64_t tp_sql_int(struct tp_sql *sql);
double tp_sql_real(struct tp_sql *sql);
char *tp_sql_text(struct tp_sql *sql);
/* The same text in place, until the next step; "" for NULL. */
const char *tp_sql_peek(struct tp_sql *sql);
/* A word of one of core's name tables; sticks when the table does not have it. */
int tp_sql_word(struct tp_sql *sql, int (*parse)(const char *name));

/* Did everything that was read since the last step come out? -ENOMEM or -EBADMSG otherwise. */
TP_MUST_CHECK int tp_sql_check(struct tp_sql *sql, struct tp_err *reterr);
