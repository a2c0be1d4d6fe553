/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych exact: parent A -> child -> parent B; and what every command that runs a job shares. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app.h"
#include "cli/paint.h"
#include "cli/table.h"
#include "engine/exact.h"

static const char *const verdict_columns[] = {
    "metric",
    "parent_a",
    "child",
    "parent_b",
    "child_vs_parent_a_pct",
    "child_vs_parent_b_pct",
    "parent_drift_pct",
    "label",
    NULL,
};

static void print_heading(const struct tp_table *verdicts, int64_t job)
{
	printf("job %lld: %s on %s (evidence: %s)\n", (long long)job,
	       tp_table_text(verdicts, 0, "kernel"), tp_table_text(verdicts, 0, "target"),
	       tp_table_text(verdicts, 0, "evidence"));
}

int tp_app_show_job(struct tp_app *app, int64_t job)
{
	_cleanup_(tp_table_deinit) struct tp_table table = {};
	_cleanup_(tp_job_row_deinit) struct tp_job_row row = {};
	struct tp_err err = {};
	int r = tp_store_job_get(app->store, job, &row, &err);

	if (r == 0)
		r = tp_table_query(app->store, "verdicts", job, NULL, &table, &err);
	if (r == 0 && app->output == TP_OUTPUT_TEXT && table.n_rows > 0)
		print_heading(&table, job);
	if (r == 0 && app->output == TP_OUTPUT_TEXT && row.verdict != TP_VERDICT_MEASURED)
		printf("job %lld: %s: %s\n", (long long)job, tp_job_verdict_name(row.verdict),
		       row.reason ? row.reason : tp_job_state_name(row.state));
	else if (r == 0)
		r = tp_table_print(&table, "verdicts", verdict_columns, app->output, &err);
	if (r != 0)
		return tp_app_fail(&err);
	return TP_EXIT_OK;
}

int tp_app_run_job(struct tp_app *app, int64_t job)
{
	struct tp_progress progress = tp_paint_progress();
	struct tp_err err = {};
	int r = tp_worker_run(app->store, &app->paths, job, &app->worker, &progress, &err);

	tp_paint_end();
	if (r != 0)
		return tp_app_fail(&err);
	return tp_app_show_job(app, job);
}

static int exact_run(struct tp_app *app, int argc, char **argv)
{
	struct tp_exact exact = {.repo = "."};
	long long backoff_ms = app->worker.infra_backoff_ms;
	struct tp_option options[] = {
	    {.name = "repo", .text = &exact.repo},
	    {.name = "target", .text = &exact.target},
	    {.name = "protocol", .text = &exact.protocol},
	    {.name = "again", .flag = &exact.again},
	    {.name = "infra-backoff-ms", .number = &backoff_ms},
	    {},
	};
	int first = tp_app_options(app, &tp_cmd_exact, argc, argv, options);
	struct tp_err err = {};
	int64_t job;
	bool done;

	if (first < 0)
		return TP_EXIT_USAGE;
	if (argc - first != 1)
		return tp_app_usage(&tp_cmd_exact, "name exactly one commit");
	if (!exact.target || !exact.protocol)
		return tp_app_usage(&tp_cmd_exact, "--target and --protocol are needed");
	app->worker.infra_backoff_ms = backoff_ms;
	exact.spec = argv[first];
	if (tp_app_open(app, false, &err) != 0 ||
	    tp_exact_prepare(app->store, &app->paths, &exact, &job, &done, &err) != 0)
		return tp_app_fail(&err);
	if (done) {
		fprintf(stderr,
			"triptych: job %lld has measured exactly this; --again measures anew\n",
			(long long)job);
		return tp_app_show_job(app, job);
	}
	fprintf(stderr, "triptych: job %lld; should this stop, the same command goes on with it\n",
		(long long)job);
	return tp_app_run_job(app, job);
}

const struct tp_command tp_cmd_exact = {
    .name = "exact",
    .usage = "COMMIT --target T --protocol P [--repo R] [--again] [--json|--tsv]",
    .help = "build, boot and measure parent A, child, parent B",
    .run = exact_run,
};
