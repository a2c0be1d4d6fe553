/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych query: the public views of the database. */
#include <stdio.h>
#include <string.h>

#include "cli/app.h"
#include "cli/table.h"

/* The columns that text shows; JSON and TSV have all of them. */
static const struct {
	const char *view;
	const char *const columns[14];
} views[] = {
    {"verdicts",
     {"job", "target", "metric", "parent_a", "child", "parent_b", "child_vs_parent_a_pct",
      "child_vs_parent_b_pct", "parent_drift_pct", "label", NULL}},
    {"points",
     {"job", "role", "release", "metric", "n", "location", "cv_pct", "ci_low", "ci_high", NULL}},
    {"boots", {"job", "boot", "role", "attempt", "release", "state", "outcome", "detail", NULL}},
    {"rounds",
     {"job", "boot", "role", "phase", "round", "metric", "elapsed_ns", "ops", "ns_per_op",
      "semantic_ok", "affinity_ok", NULL}},
    {"kernels",
     {"kernel", "state", "spec", "commit_id", "subject", "release", "build_s", "first_error",
      NULL}},
};

static int query_run(struct tp_app *app, int argc, char **argv)
{
	_cleanup_(tp_table_deinit) struct tp_table table = {};
	const char *target = NULL;
	long long job = 0;
	struct tp_option options[] = {
	    {.name = "job", .number = &job},
	    {.name = "target", .text = &target},
	    {},
	};
	int first = tp_app_options(app, &tp_cmd_query, argc, argv, options);
	struct tp_err err = {};

	if (first < 0)
		return TP_EXIT_USAGE;
	for (size_t i = 0; argc - first == 1 && i < TP_ARRAY_SIZE(views); i++) {
		if (strcmp(views[i].view, argv[first]) != 0)
			continue;
		if (tp_app_open(app, true, &err) != 0 ||
		    tp_table_query(app->store, views[i].view, job, target, &table, &err) != 0 ||
		    tp_table_print(&table, views[i].view, views[i].columns, app->output, &err) != 0)
			return tp_app_fail(&err);
		return TP_EXIT_OK;
	}
	return tp_app_usage(&tp_cmd_query, "name one of verdicts, points, boots, rounds, kernels");
}

const struct tp_command tp_cmd_query = {
    .name = "query",
    .usage = "verdicts|points|boots|rounds|kernels [--job N] [--target T] [--json|--tsv]",
    .help = "read what was measured",
    .run = query_run,
};
