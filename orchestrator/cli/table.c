/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a view in memory; see table.h. */
#include "cli/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tp_table_deinit(struct tp_table *t)
{
	for (int i = 0; i < t->n_columns; i++)
		free(t->columns[i]);
	free(t->columns);
	for (int i = 0; i < t->n_rows * t->n_columns; i++)
		free(t->cells[i].text);
	free(t->cells);
	*t = (struct tp_table){};
}

static int take_columns(struct tp_table *t, const char *const *columns, int n)
{
	t->columns = calloc((size_t)n, sizeof(char *));
	if (!t->columns)
		return -ENOMEM;
	t->n_columns = n;
	for (int i = 0; i < n; i++) {
		t->columns[i] = strdup(columns[i]);
		if (!t->columns[i])
			return -ENOMEM;
	}
	return 0;
}

static int add_row(const char *const *columns, const struct tp_query_cell *cells, int n, void *data)
{
	struct tp_table *t = data;
	struct tp_table_cell *row;

	if (!t->columns && take_columns(t, columns, n) < 0)
		return -ENOMEM;
	if (t->n_rows == t->cap_rows) {
		int cap = t->cap_rows ? t->cap_rows * 2 : 16;
		void *more = realloc(t->cells, (size_t)cap * (size_t)n * sizeof(*t->cells));

		if (!more)
			return -ENOMEM;
		t->cells = more;
		t->cap_rows = cap;
	}
	row = &t->cells[t->n_rows * n];
	for (int i = 0; i < n; i++) {
		row[i].type = cells[i].type;
		row[i].text = cells[i].text ? strdup(cells[i].text) : NULL;
	}
	t->n_rows++;
	return 0;
}

int tp_table_query(struct tp_store *store, const char *view, int64_t job, const char *target,
		   struct tp_table *ret, struct tp_err *reterr)
{
	struct tp_table t = {};
	int r = tp_store_query(store, view, job, target, add_row, &t, reterr);

	if (r != 0) {
		tp_table_deinit(&t);
		return tp_err_as_errno(r, reterr);
	}
	*ret = t;
	return 0;
}

int tp_table_column(const struct tp_table *t, const char *name)
{
	for (int i = 0; i < t->n_columns; i++) {
		if (strcmp(t->columns[i], name) == 0)
			return i;
	}
	return -1;
}

const char *tp_table_text(const struct tp_table *t, int row, const char *column)
{
	int i = tp_table_column(t, column);

	if (i < 0 || row < 0 || row >= t->n_rows || !t->cells[row * t->n_columns + i].text)
		return "";
	return t->cells[row * t->n_columns + i].text;
}
