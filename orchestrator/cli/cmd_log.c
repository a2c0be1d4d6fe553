/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych log: a job's history for people. */
#include <limits.h>

#include "cli/app.h"
#include "cli/table.h"
#include "util/str.h"

static const char *const columns[] = {"at", "text", NULL};

static int log_run(struct tp_app *app, int argc, char **argv)
{
	_cleanup_(tp_table_deinit) struct tp_table events = {};
	_cleanup_(tp_job_row_deinit) struct tp_job_row row = {};
	int first = tp_app_options(app, &tp_cmd_log, argc, argv, NULL);
	struct tp_err err = {};
	long long job;
	int r;

	if (first < 0)
		return TP_EXIT_USAGE;
	if (argc - first != 1 || tp_parse_i64(argv[first], 1, LLONG_MAX, &job) < 0)
		return tp_app_usage(&tp_cmd_log, "name one job by its number");
	r = tp_app_open(app, true, &err);
	if (r == 0)
		r = tp_store_job_get(app->store, job, &row, &err);
	if (r == 0)
		r = tp_table_query(app->store, "history", job, NULL, &events, &err);
	if (r == 0)
		r = tp_table_print(&events, "history", columns, app->output, &err);
	return r == 0 ? TP_EXIT_OK : tp_app_fail(&err);
}

const struct tp_command tp_cmd_log = {
    .name = "log",
    .usage = "JOB [--json|--tsv]",
    .help = "the history of a job",
    .run = log_run,
};
