/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych retry: go on with a job that stopped, from what is recorded. */
#include <limits.h>

#include "cli/app.h"
#include "util/str.h"

static int retry_run(struct tp_app *app, int argc, char **argv)
{
	long long backoff_ms = app->worker.infra_backoff_ms;
	struct tp_option options[] = {
	    {.name = "infra-backoff-ms", .number = &backoff_ms},
	    {},
	};
	int first = tp_app_options(app, &tp_cmd_retry, argc, argv, options);
	struct tp_err err = {};
	long long job;

	if (first < 0)
		return TP_EXIT_USAGE;
	if (argc - first != 1 || tp_parse_i64(argv[first], 1, LLONG_MAX, &job) < 0)
		return tp_app_usage(&tp_cmd_retry, "name one job by its number");
	app->worker.infra_backoff_ms = backoff_ms;
	if (tp_app_open(app, false, &err) != 0)
		return tp_app_fail(&err);
	return tp_app_run_job(app, job);
}

const struct tp_command tp_cmd_retry = {
    .name = "retry",
    .usage = "JOB [--json|--tsv]",
    .help = "go on with a job that stopped",
    .run = retry_run,
};
