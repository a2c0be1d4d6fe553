/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a view as a table: text for people, JSON and TSV for programs. */
#pragma once

#include "cli/app.h"

struct tp_table_cell {
	char type; /* 'i', 'f', 's' or 'n' as in struct tp_query_cell */
	char *text;
};

struct tp_table {
	char **columns;
	int n_columns;
	struct tp_table_cell *cells; /* n_rows x n_columns, row by row */
	int n_rows, cap_rows;
};

void tp_table_deinit(struct tp_table *table);

/* Read a view of the database; see tp_store_query(). */
TP_MUST_CHECK int tp_table_query(struct tp_store *store, const char *view, int64_t job,
				 const char *target, struct tp_table *ret, struct tp_err *reterr);

/* Index of a column, -1 when the table has none of that name. */
int tp_table_column(const struct tp_table *table, const char *name);

/* The cell's text, "" for NULL or an unknown column. Owned by the table. */
const char *tp_table_text(const struct tp_table *table, int row, const char *column);

/*
 * Print on stdout. Text shows @columns (NULL-ended; NULL: all); JSON is {"@view": [ {...} ]}
 * and TSV has a header; both always have every column, numbers in full precision.
 */
TP_MUST_CHECK int tp_table_print(const struct tp_table *table, const char *view,
				 const char *const *columns, enum tp_output output,
				 struct tp_err *reterr);
