/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public views: by name only, filtered, complete numbers, readable with plain sqlite3. */
#include "store_helper.h"

#include <errno.h>

#include "util/child.h"

static const char *const views[] = {"verdicts",	 "points",  "boots", "rounds",
				    "kernels",	 "jobs",    "steps", "targets",
				    "protocols", "history", "noise"};

/* Two targets with a measured job each. */
static void fill_twice(struct world *w)
{
	struct tp_verdict verdict = {.label = "L", .reason = "r", .parent_a = 0.1 + 0.2};
	struct tp_verdict_extra extra = {.better = "lower", .metric_role = "primary"};
	struct tp_round_row round = {
	    .phase = TP_PHASE_MEASURED, .round = 1, .metric = "m", .elapsed_ns = 100, .ops = 3};
	struct tp_job_new job;
	int64_t boot, step;

	fill_world(w);
	for (int i = 0; i < 2; i++) {
		boot = new_boot(w, 0);
		bring_to(w, boot, TP_BOOT_MEASURING);
		ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_MEASURE, 0, boot,
					  1000, &step, &w->err));
		ok(w, tp_store_begin(w->store, &w->err));
		ok(w, tp_store_round_add(w->store, boot, &round, &w->err));
		ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_MEASURING,
					 TP_BOOT_COMPLETE, NULL, 1, &w->err));
		ok(w, tp_store_step_finish(w->store, w->epoch, step, TP_STEP_DONE, NULL, 2500,
					   &w->err));
		ok(w, tp_store_commit(w->store, &w->err));
		ok(w, tp_store_location_put(w->store, boot, "m", 1, 33.25, 1, 1, 1, 1, 1, &w->err));
		ok(w, tp_store_verdict_put(w->store, w->job, "m", &verdict, &extra, 1, &w->err));
		ok(w, tp_store_event_add(w->store, w->job, "done", 1, &w->err));
		free(peek(w,
			  "INSERT INTO noise SELECT id, 'w', 'm', 1.0, 24, 0.5, 2, 1 FROM target "
			  "ORDER BY id DESC LIMIT 1"));
		if (i == 1)
			break;
		ok(w, tp_store_target_put(w->store, "other", "name: other\n", TP_EVIDENCE_FAKE,
					  NULL, 1, &w->target, &w->err));
		ok(w, tp_store_protocol_put(w->store, "second", KEY_B, "name: second\n", 1,
					    &w->protocol, &w->err));
		ok(w, tp_store_kernel_put(w->store, "third", "v3", "c", "t", "s", 1, &w->child,
					  &w->err));
		job = exact_job(w);
		ok(w, tp_store_job_create(w->store, &job, 1, &w->job, &w->err));
		ok(w, tp_store_job_claim(w->store, w->job, 1, &w->epoch, &w->err));
	}
}

struct seen {
	int rows;
	char first[4096]; /* "column=t:text|" of the first row */
};

static int see(const char *const *columns, const struct tp_query_cell *cells, int n, void *data)
{
	struct seen *seen = data;
	size_t used = 0;

	if (seen->rows++ > 0)
		return 0;
	for (int i = 0; i < n; i++) {
		assert_true(cells[i].type == 'n' ? !cells[i].text : !!cells[i].text);
		used +=
		    (size_t)snprintf(seen->first + used, sizeof(seen->first) - used, "%s=%c:%s|",
				     columns[i], cells[i].type, cells[i].text ? cells[i].text : "");
	}
	return 0;
}

static struct seen query(struct world *w, const char *view, int64_t job, const char *target)
{
	struct seen seen = {};

	ok(w, tp_store_query(w->store, view, job, target, see, &seen, &w->err));
	return seen;
}

static void every_view_is_filtered(void **state)
{
	/* All rows, those of job 2, those of target other, those of job 1 on target other. */
	static const struct {
		int all, job, target, none;
	} rows[TP_ARRAY_SIZE(views)] = {
	    {2, 1, 1, 0}, {6, 3, 3, 0}, {2, 1, 1, 0}, {2, 1, 1, 0}, {3, 2, 2, 1}, {2, 1, 1, 0},
	    {2, 1, 1, 0}, {2, 1, 1, 0}, {2, 1, 1, 0}, {2, 1, 1, 0}, {2, 1, 1, 0},
	};
	struct world *w = *state;

	fill_twice(w);
	for (size_t i = 0; i < TP_ARRAY_SIZE(views); i++) {
		if (query(w, views[i], 0, NULL).rows != rows[i].all ||
		    query(w, views[i], 2, NULL).rows != rows[i].job ||
		    query(w, views[i], 0, "other").rows != rows[i].target ||
		    query(w, views[i], 1, "other").rows != rows[i].none)
			fail_msg("%s: %d, %d, %d, %d rows", views[i],
				 query(w, views[i], 0, NULL).rows, query(w, views[i], 2, NULL).rows,
				 query(w, views[i], 0, "other").rows,
				 query(w, views[i], 1, "other").rows);
	}
}

static void cells_carry_type_and_all_digits(void **state)
{
	struct world *w = *state;
	struct seen seen;

	fill_twice(w);
	seen = query(w, "verdicts", 1, NULL);
	assert_non_null(strstr(seen.first, "job=i:1|target=s:lab|evidence=s:virtual|"));
	assert_non_null(strstr(seen.first, "|parent_a=f:0.30000000000000004|"));
	assert_non_null(strstr(seen.first, "|label_drop_first=n:|"));
	seen = query(w, "rounds", 1, NULL);
	assert_non_null(
	    strstr(seen.first, "|elapsed_ns=i:100|ops=i:3|ns_per_op=f:33.33333333333333"));
	seen = query(w, "points", 1, NULL);
	assert_non_null(strstr(seen.first, "|role=s:parent_a|"));
	assert_non_null(strstr(seen.first, "|location=f:33.25|"));
	seen = query(w, "steps", 2, NULL);
	assert_non_null(strstr(seen.first, "|seconds=f:1.5|"));
	assert_non_null(strstr(seen.first, "|started=s:1970-01-01T00:00:01.000Z|"));
}

static void only_known_names(void **state)
{
	static const char *const bad[] = {
	    "", "job", "VERDICTS", "verdicts; DROP TABLE job", "sqlite_schema", "verdicts --"};
	struct world *w = *state;
	struct seen seen = {};

	fill_twice(w);
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++)
		refused(w, -EINVAL, "there are verdicts, points, boots",
			tp_store_query(w->store, bad[i], 0, NULL, see, &seen, &w->err));
	assert_int_equal(query(w, "jobs", 0, "lab' OR '1'='1").rows, 0);
	assert_int_equal(seen.rows, 0);
	assert_peek(w, "SELECT count(*) FROM job", "2");
}

static int stop(const char *const *columns, const struct tp_query_cell *cells, int n, void *data)
{
	(void)columns;
	(void)cells;
	(void)n;
	return ++*(int *)data == 2 ? -ECANCELED : 0;
}

static void a_reader_may_stop(void **state)
{
	struct world *w = *state;
	int rows = 0;

	fill_twice(w);
	assert_int_equal(tp_store_query(w->store, "points", 0, NULL, stop, &rows, &w->err),
			 -ECANCELED);
	assert_int_equal(rows, 2);
	/* The statement was given back. */
	assert_int_equal(query(w, "points", 0, NULL).rows, 6);
}

/* Looking a job's rounds up must not read everybody's. */
static void rounds_are_found_by_index(void **state)
{
	struct world *w = *state;
	sqlite3_stmt *stmt;
	sqlite3 *db;

	fill_twice(w);
	assert_int_equal(sqlite3_open(w->path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db,
			       "EXPLAIN QUERY PLAN SELECT * FROM rounds WHERE job BETWEEN 1 AND 1",
			       -1, &stmt, NULL),
	    SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *line = (const char *)sqlite3_column_text(stmt, 3);

		if (tp_str_starts(line, "SCAN round") || tp_str_starts(line, "SCAN boot"))
			fail_msg("%s", line);
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

/* docs/schema.md names every column of every view. */
static void every_column_is_documented(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_freep) char *page = NULL;

	fill_twice(w);
	ok(w, tp_file_read(TP_SOURCE_ROOT "/docs/schema.md", 1 << 20, &page, NULL, &w->err));
	for (size_t i = 0; i < TP_ARRAY_SIZE(views); i++) {
		struct seen seen = query(w, views[i], 0, NULL);

		for (char *cell = strtok(seen.first, "|"); cell; cell = strtok(NULL, "|")) {
			char word[64];

			if (!strchr(cell, '='))
				continue;
			snprintf(word, sizeof(word), "`%.*s`", (int)strcspn(cell, "="), cell);
			if (!strstr(page, word))
				fail_msg("docs/schema.md lacks %s of %s", word, views[i]);
		}
	}
}

static void plain_sqlite3_reads_every_view(void **state)
{
	struct world *w = *state;

	fill_twice(w);
	for (size_t i = 0; i < TP_ARRAY_SIZE(views); i++) {
		_cleanup_(tp_freep) char *sql =
		    tp_strf("SELECT count(*) > 0 FROM %s",
			    strcmp(views[i], "noise") == 0 ? "noise_ledger" : views[i]);
		const char *const argv[] = {"sqlite3", "-readonly", w->path, sql, NULL};
		struct tp_child child = {
		    .argv = argv, .log_fd = -1, .deadline = tp_deadline_in(30000)};
		struct tp_child_result result = {};

		ok(w, tp_child_run(&child, &result, &w->err));
		if (result.exit_code == 127)
			skip();
		assert_int_equal(result.exit_code, 0);
		assert_string_equal(tp_str_chomp(result.output), "1");
		tp_child_result_deinit(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(every_view_is_filtered),
	    world_test(cells_carry_type_and_all_digits),
	    world_test(only_known_names),
	    world_test(a_reader_may_stop),
	    world_test(rounds_are_found_by_index),
	    world_test(every_column_is_documented),
	    world_test(plain_sqlite3_reads_every_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
