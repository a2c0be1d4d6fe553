/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych target: the machines that can be measured on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/app.h"
#include "cli/table.h"
#include "config/target.h"
#include "engine/enroll.h"
#include "target/machine.h"
#include "util/str.h"

static const char *const list_columns[] = {"target", "evidence", "state", "added", NULL};

/* On a terminal a person compares the fingerprint; elsewhere --accept-host-key must be given. */
static bool ask_trust(const char *key, const char *fingerprint, void *data)
{
	const bool *accept = data;
	char answer[8] = "";

	(void)key;
	fprintf(stderr, "triptych: the machine's host key is %s\n", fingerprint);
	if (*accept)
		return true;
	if (!isatty(0))
		return false;
	fprintf(stderr, "Is that its key? Compare it on the machine itself. [yes/no] ");
	return fgets(answer, sizeof(answer), stdin) && strcmp(tp_str_chomp(answer), "yes") == 0;
}

static int target_add(struct tp_app *app, const char *path, bool accept)
{
	_cleanup_(tp_freep) char *name = NULL;
	struct tp_err err = {};

	if (tp_enroll_add(app->store, &app->paths, path, ask_trust, &accept, &name, &err) != 0)
		return tp_app_fail(&err);
	printf("target %s is checked and ready\n", name);
	return TP_EXIT_OK;
}

static int target_list(struct tp_app *app)
{
	_cleanup_(tp_table_deinit) struct tp_table table = {};
	struct tp_err err = {};

	if (tp_table_query(app->store, "targets", 0, NULL, &table, &err) != 0 ||
	    tp_table_print(&table, "targets", list_columns, app->output, &err) != 0)
		return tp_app_fail(&err);
	return TP_EXIT_OK;
}

static int target_show(struct tp_app *app, const char *name)
{
	_cleanup_(tp_target_row_deinit) struct tp_target_row row = {};
	struct tp_err err = {};

	if (tp_enroll_find(app->store, name, &row, &err) != 0)
		return tp_app_fail(&err);
	if (app->output == TP_OUTPUT_JSON) {
		printf("%s\n", row.facts_json ? row.facts_json : "{}");
		return TP_EXIT_OK;
	}
	printf("# target %s, %s, evidence %s\n%s", row.name, row.state, row.evidence, row.yaml);
	if (row.facts_json)
		printf("# facts (--json prints them alone)\n# %s\n", row.facts_json);
	return TP_EXIT_OK;
}

static int target_check(struct tp_app *app, const char *name)
{
	_cleanup_(tp_freep) char *facts = NULL;
	struct tp_err err = {};

	if (tp_enroll_check(app->store, &app->paths, name, &facts, &err) != 0)
		return tp_app_fail(&err);
	if (app->output == TP_OUTPUT_JSON)
		printf("%s\n", facts);
	else
		printf("target %s passes its check\n", name);
	return TP_EXIT_OK;
}

static int target_power(struct tp_app *app, const char *name, const char *action)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config config = {};
	_cleanup_(tp_target_row_deinit) struct tp_target_row row = {};
	struct tp_err err = {};
	bool on = false;
	int r = tp_enroll_find(app->store, name, &row, &err);

	if (r == 0)
		r = tp_target_config_parse(row.yaml, name, &config, &err);
	if (r == 0)
		r = tp_power_act(&config, action, &on, &err);
	if (r != 0)
		return tp_app_fail(&err);
	printf("target %s is %s\n", name, on ? "on" : "off");
	return TP_EXIT_OK;
}

static int target_run(struct tp_app *app, int argc, char **argv)
{
	bool accept = false;
	struct tp_option options[] = {{.name = "accept-host-key", .flag = &accept}, {}};
	int first = tp_app_options(app, &tp_cmd_target, argc, argv, options);
	char **arg = argv + first + 1;
	int n = argc - first - 1;
	struct tp_err err = {};
	const char *verb;

	if (first < 0)
		return TP_EXIT_USAGE;
	if (n < 0)
		return tp_app_usage(&tp_cmd_target, "say what to do with targets");
	verb = argv[first];
	if (tp_app_open(app, strcmp(verb, "list") == 0 || strcmp(verb, "show") == 0, &err) != 0)
		return tp_app_fail(&err);
	if (strcmp(verb, "add") == 0 && n == 1)
		return target_add(app, arg[0], accept);
	if (strcmp(verb, "list") == 0 && n == 0)
		return target_list(app);
	if (strcmp(verb, "show") == 0 && n == 1)
		return target_show(app, arg[0]);
	if (strcmp(verb, "check") == 0 && n == 1)
		return target_check(app, arg[0]);
	if (strcmp(verb, "power") == 0 && n == 2)
		return target_power(app, arg[0], arg[1]);
	return tp_app_usage(&tp_cmd_target, "that is none of its forms");
}

const struct tp_command tp_cmd_target = {
    .name = "target",
    .usage = "add FILE.yaml [--accept-host-key] | list | show NAME | check NAME |\n"
	     "       power NAME on|off|reset|status   [--json|--tsv]",
    .help = "the machines that can be measured on",
    .run = target_run,
};
