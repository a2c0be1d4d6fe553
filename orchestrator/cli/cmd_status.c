/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych status: jobs and targets at a glance. */
#include <stdio.h>

#include "cli/app.h"
#include "cli/table.h"

static const char *const job_columns[] = {"job",     "kind",   "state",	   "verdict",
					  "target",  "kernel", "protocol", "points_complete",
					  "created", "reason", NULL};

static int status_run(struct tp_app *app, int argc, char **argv)
{
	_cleanup_(tp_table_deinit) struct tp_table jobs = {};
	const char *target = NULL;
	long long job = 0;
	struct tp_option options[] = {
	    {.name = "job", .number = &job},
	    {.name = "target", .text = &target},
	    {},
	};
	int first = tp_app_options(app, &tp_cmd_status, argc, argv, options);
	struct tp_err err = {};

	if (first < 0)
		return TP_EXIT_USAGE;
	if (argc != first)
		return tp_app_usage(&tp_cmd_status, "it takes no operand");
	if (tp_app_open(app, true, &err) != 0 ||
	    tp_table_query(app->store, "jobs", job, target, &jobs, &err) != 0 ||
	    tp_table_print(&jobs, "jobs", job_columns, app->output, &err) != 0)
		return tp_app_fail(&err);
	return TP_EXIT_OK;
}

const struct tp_command tp_cmd_status = {
    .name = "status",
    .usage = "[--job N] [--target T] [--json|--tsv]",
    .help = "jobs and how they stand",
    .run = status_run,
};
