/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One use of a statement; see sql.h. */
#include "store/sql.h"

#include <assert.h>
#include <string.h>

int tp_sql_open(struct tp_store *store, enum tp_statement id, struct tp_sql *ret,
		struct tp_err *reterr)
{
	sqlite3_stmt **stmt = &store->statements[id];
	int rc;

	if (!*stmt) {
		rc = sqlite3_prepare_v3(store->db, tp_statements[id], -1, SQLITE_PREPARE_PERSISTENT,
					stmt, NULL);
		if (rc != SQLITE_OK)
			return tp_db_error(store, rc, "read", reterr);
	}
	assert(!sqlite3_stmt_busy(*stmt));
	*ret = (struct tp_sql){.store = store, .stmt = *stmt};
	return 0;
}

void tp_sql_close(struct tp_sql *sql)
{
	if (!sql->stmt)
		return;
	sqlite3_reset(sql->stmt);
	sqlite3_clear_bindings(sql->stmt);
	sql->stmt = NULL;
}

static int parameter(struct tp_sql *sql, const char *name)
{
	int index = sqlite3_bind_parameter_index(sql->stmt, name);

	sql->n_bound++;
	if (index == 0 && sql->rc == SQLITE_OK)
		sql->rc = SQLITE_RANGE;
	return index;
}

static void note(struct tp_sql *sql, int rc)
{
	if (sql->rc == SQLITE_OK)
		sql->rc = rc;
}

void tp_sql_bind_int(struct tp_sql *sql, const char *name, int64_t value)
{
	note(sql, sqlite3_bind_int64(sql->stmt, parameter(sql, name), value));
}

void tp_sql_bind_real(struct tp_sql *sql, const char *name, double value)
{
	note(sql, sqlite3_bind_double(sql->stmt, parameter(sql, name), value));
}

void tp_sql_bind_text(struct tp_sql *sql, const char *name, const char *value)
{
	note(sql, sqlite3_bind_text(sql->stmt, parameter(sql, name), value, -1, SQLITE_STATIC));
}

int tp_sql_step(struct tp_sql *sql, struct tp_err *reterr)
{
	int rc = sql->rc;

	if (rc == SQLITE_OK && sql->n_bound != sqlite3_bind_parameter_count(sql->stmt))
		rc = SQLITE_RANGE;
	if (rc != SQLITE_OK)
		return tp_db_error(sql->store, rc, "use", reterr);
	rc = sqlite3_step(sql->stmt);
	sql->column = 0;
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return tp_db_error(sql->store, rc, sqlite3_stmt_readonly(sql->stmt) ? "read" : "write",
			   reterr);
}

int tp_sql_run(struct tp_sql *sql, int *ret_changes, struct tp_err *reterr)
{
	int r = tp_sql_step(sql, reterr);

	assert(r <= 0);
	if (r == 0 && ret_changes)
		*ret_changes = sqlite3_changes(sql->store->db);
	tp_sql_close(sql);
	return r;
}

int64_t tp_sql_int(struct tp_sql *sql)
{
	return sqlite3_column_int64(sql->stmt, sql->column++);
}

double tp_sql_real(struct tp_sql *sql)
{
	return sqlite3_column_double(sql->stmt, sql->column++);
}

const char *tp_sql_peek(struct tp_sql *sql)
{
	const char *text = (const char *)sqlite3_column_text(sql->stmt, sql->column);

	if (!text && sqlite3_column_type(sql->stmt, sql->column) != SQLITE_NULL)
		note(sql, SQLITE_NOMEM);
	sql->column++;
	return text ? text : "";
}

char *tp_sql_text(struct tp_sql *sql)
{
	bool is_null = sqlite3_column_type(sql->stmt, sql->column) == SQLITE_NULL;
	const char *text = tp_sql_peek(sql);
	char *copy = is_null ? NULL : strdup(text);

	if (!copy && !is_null)
		note(sql, SQLITE_NOMEM);
	return copy;
}

int tp_sql_word(struct tp_sql *sql, int (*parse)(const char *name))
{
	int value = parse(tp_sql_peek(sql));

	if (value < 0)
		note(sql, SQLITE_CORRUPT);
	return value < 0 ? 0 : value;
}

int tp_sql_check(struct tp_sql *sql, struct tp_err *reterr)
{
	assert(sql->column <= sqlite3_column_count(sql->stmt));
	return sql->rc == SQLITE_OK ? 0 : tp_db_error(sql->store, sql->rc, "read", reterr);
}
