/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table on stdout: text, JSON, TSV; see table.h. */
#include <errno.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table.h"
#include "util/str.h"

/* Text is for reading: percentages with a sign and three places, other floats with six digits. */
static char *readable(const char *column, const struct tp_table_cell *cell)
{
	char *text;

	if (!cell->text)
		return strdup("");
	if (cell->type == 'f' && tp_str_ends(column, "_pct"))
		return tp_strf("%+.3f", strtod(cell->text, NULL));
	if (cell->type == 'f')
		return tp_strf("%.6g", strtod(cell->text, NULL));
	text = strdup(cell->text);
	if (text)
		tp_str_sanitize(text);
	return text;
}

static int fill_line(struct libscols_line *line, const struct tp_table *t, int row,
		     const int *shown, int n)
{
	for (int i = 0; i < n; i++) {
		const struct tp_table_cell *cell = &t->cells[row * t->n_columns + shown[i]];
		char *text = readable(t->columns[shown[i]], cell);

		if (!text || scols_line_refer_data(line, (size_t)i, text) != 0)
			return -ENOMEM;
	}
	return 0;
}

static int print_text(const struct tp_table *t, const int *shown, int n)
{
	struct libscols_table *table = scols_new_table();
	int r = table ? 0 : -ENOMEM;

	for (int i = 0; r == 0 && i < n; i++) {
		char type = t->n_rows > 0 ? t->cells[shown[i]].type : 's';
		int flags = type == 'i' || type == 'f' ? SCOLS_FL_RIGHT : 0;

		if (!scols_table_new_column(table, t->columns[shown[i]], 0, flags))
			r = -ENOMEM;
	}
	for (int row = 0; r == 0 && row < t->n_rows; row++) {
		struct libscols_line *line = scols_table_new_line(table, NULL);

		r = line ? fill_line(line, t, row, shown, n) : -ENOMEM;
	}
	if (r == 0)
		r = scols_print_table(table);
	scols_unref_table(table);
	return r;
}

static json_t *json_cell(const struct tp_table_cell *cell)
{
	if (!cell->text)
		return json_null();
	if (cell->type == 'i')
		return json_integer(strtoll(cell->text, NULL, 10));
	if (cell->type == 'f')
		return json_real(strtod(cell->text, NULL));
	return json_string(cell->text);
}

static int print_json(const struct tp_table *t, const char *view)
{
	json_t *rows = json_array();
	json_t *root = json_pack("{s:o}", view, rows);
	int r;

	for (int row = 0; row < t->n_rows; row++) {
		json_t *object = json_object();

		for (int i = 0; i < t->n_columns; i++)
			json_object_set_new(object, t->columns[i],
					    json_cell(&t->cells[row * t->n_columns + i]));
		json_array_append_new(rows, object);
	}
	r = root ? json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : -1;
	putchar('\n');
	json_decref(root);
	return r < 0 ? -EIO : 0;
}

/* A tab or newline inside a cell becomes a space: one row stays one line. */
static void put_tsv(const char *text)
{
	for (const char *p = text ? text : ""; *p; p++)
		putchar(*p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p);
}

static int print_tsv(const struct tp_table *t)
{
	for (int i = 0; i < t->n_columns; i++)
		printf("%s%s", i ? "\t" : "", t->columns[i]);
	putchar('\n');
	for (int row = 0; row < t->n_rows; row++) {
		for (int i = 0; i < t->n_columns; i++) {
			if (i)
				putchar('\t');
			put_tsv(t->cells[row * t->n_columns + i].text);
		}
		putchar('\n');
	}
	return 0;
}

static int choose(const struct tp_table *t, const char *const *columns, int *shown)
{
	int n = 0;

	for (int i = 0; !columns && i < t->n_columns; i++)
		shown[n++] = i;
	for (const char *const *c = columns; c && *c; c++) {
		int i = tp_table_column(t, *c);

		if (i >= 0)
			shown[n++] = i;
	}
	return n;
}

int tp_table_print(const struct tp_table *t, const char *view, const char *const *columns,
		   enum tp_output output, struct tp_err *reterr)
{
	int shown[128];
	int r = 0;

	if (t->n_columns > 128)
		return tp_err_set(reterr, -E2BIG, view, "the view %s has too many columns", view);
	switch (output) {
	case TP_OUTPUT_TEXT:
		if (t->n_rows == 0)
			printf("no %s yet\n", view);
		else
			r = print_text(t, shown, choose(t, columns, shown));
		break;
	case TP_OUTPUT_JSON:
		r = print_json(t, view);
		break;
	case TP_OUTPUT_TSV:
		r = print_tsv(t);
		break;
	}
	if (r == 0 && (fflush(stdout) != 0 || ferror(stdout)))
		r = -EIO;
	if (r != 0)
		return tp_err_set(reterr, -EIO, view, "the table of %s could not be written", view);
	return 0;
}
