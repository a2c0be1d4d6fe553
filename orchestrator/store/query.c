/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public views, row by row; see store.h. No text of a caller ever becomes SQL. */
#include "store/sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define MAX_COLUMNS 64

static const struct {
	const char *name;
	enum tp_statement statement;
} views[] = {
    {"verdicts", TP_STATEMENT_QUERY_VERDICTS},	 {"points", TP_STATEMENT_QUERY_POINTS},
    {"boots", TP_STATEMENT_QUERY_BOOTS},	 {"rounds", TP_STATEMENT_QUERY_ROUNDS},
    {"kernels", TP_STATEMENT_QUERY_KERNELS},	 {"jobs", TP_STATEMENT_QUERY_JOBS},
    {"steps", TP_STATEMENT_QUERY_STEPS},	 {"targets", TP_STATEMENT_QUERY_TARGETS},
    {"protocols", TP_STATEMENT_QUERY_PROTOCOLS}, {"history", TP_STATEMENT_QUERY_HISTORY},
    {"noise", TP_STATEMENT_QUERY_NOISE},
};

struct row {
	const char *columns[MAX_COLUMNS];
	struct tp_query_cell cells[MAX_COLUMNS];
	char numbers[MAX_COLUMNS][32];
};

/* SQLite prints 15 digits; a double may need 17 to be itself again. */
static const char *print_real(double value, char buffer[static 32])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buffer, 32, "%.*g", digits, value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	return buffer;
}

static void read_cell(sqlite3_stmt *stmt, int i, struct row *row)
{
	struct tp_query_cell *cell = &row->cells[i];

	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		cell->type = 'i';
		cell->text = (const char *)sqlite3_column_text(stmt, i);
		return;
	case SQLITE_FLOAT:
		cell->type = 'f';
		cell->text = print_real(sqlite3_column_double(stmt, i), row->numbers[i]);
		return;
	case SQLITE_NULL:
		cell->type = 'n';
		cell->text = NULL;
		return;
	}
	cell->type = 's';
	cell->text = (const char *)sqlite3_column_text(stmt, i);
}

static int give_row(struct tp_sql *sql, struct row *row, tp_query_row_fn fn, void *data,
		    struct tp_err *reterr)
{
	int n = sqlite3_column_count(sql->stmt);

	if (n > MAX_COLUMNS)
		n = MAX_COLUMNS;
	for (int i = 0; i < n; i++) {
		row->columns[i] = sqlite3_column_name(sql->stmt, i);
		read_cell(sql->stmt, i, row);
		if (!row->columns[i] || (!row->cells[i].text && row->cells[i].type != 'n'))
			return tp_err_oom(reterr);
	}
	return fn(row->columns, row->cells, n, data);
}

static int unknown_view(const char *view, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str list = {};

	for (size_t i = 0; i < TP_ARRAY_SIZE(views); i++)
		tp_str_printf(&list, "%s%s", i > 0 ? ", " : "", views[i].name);
	return tp_err_set(reterr, -EINVAL, NULL,
			  "there is nothing to query called %.40s; there are %s", view,
			  tp_str_text(&list));
}

static int run(struct tp_store *store, enum tp_statement statement, int64_t job, const char *target,
	       tp_query_row_fn fn, void *data, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	struct row row = {};
	int r = tp_sql_open(store, statement, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":low", job);
	tp_sql_bind_int(&sql, ":high", job ? job : INT64_MAX);
	tp_sql_bind_text(&sql, ":target", target);
	while ((r = tp_sql_step(&sql, reterr)) > 0) {
		r = give_row(&sql, &row, fn, data, reterr);
		if (r != 0)
			return r;
	}
	return r;
}

int tp_store_query(struct tp_store *store, const char *view, int64_t job, const char *target,
		   tp_query_row_fn fn, void *data, struct tp_err *reterr)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(views); i++) {
		if (strcmp(views[i].name, view) == 0)
			return run(store, views[i].statement, job, target, fn, data, reterr);
	}
	return unknown_view(view, reterr);
}
