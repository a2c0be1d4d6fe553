/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `version` and `list`: what this agent is and can do. */
#include "base/args.h"
#include "base/record.h"
#include "commands/command.h"
#include "workloads/workload.h"

static int no_flags(int argc, char *const *argv, struct tp_err *reterr)
{
	return tp_args_parse(argc, argv, NULL, 0, reterr) < 0 ? TP_COMMAND_E_USAGE : 0;
}

static int run_version(int argc, char *const *argv, struct tp_str *out, struct tp_err *reterr)
{
	int r = no_flags(argc, argv, reterr);
	struct tp_jsonw w;

	if (r != 0)
		return r;
	w = tp_record_begin(out, "version", true);
	tp_jsonw_text(&w, "version", TP_AGENT_VERSION);
	tp_jsonw_int(&w, "protocol", TP_AGENT_PROTOCOL);
	tp_record_end(&w);
	return 0;
}

static void add_option(struct tp_jsonw *w, const struct tp_option *option)
{
	tp_jsonw_object(w, NULL);
	tp_jsonw_text(w, "name", option->name);
	tp_jsonw_text(w, "kind", tp_option_kind_name(option->kind));
	tp_jsonw_text(w, "default", option->fallback);
	if (option->kind == TP_OPTION_NUMBER) {
		tp_jsonw_int(w, "min", option->min);
		tp_jsonw_int(w, "max", option->max);
	}
	tp_jsonw_text(w, "help", option->help);
	tp_jsonw_object_end(w);
}

static void add_metric(struct tp_jsonw *w, const struct tp_metric *metric)
{
	tp_jsonw_object(w, NULL);
	tp_jsonw_text(w, "name", metric->name);
	tp_jsonw_text(w, "unit", metric->unit);
	tp_jsonw_text(w, "better", "lower");
	tp_jsonw_bool(w, "control", metric->control);
	tp_jsonw_object_end(w);
}

static void add_workload(struct tp_str *out, const struct tp_workload *workload, bool first)
{
	struct tp_jsonw w = tp_record_begin(out, "workload", first);

	tp_jsonw_text(&w, "name", workload->name);
	tp_jsonw_text(&w, "help", workload->help);
	tp_jsonw_array(&w, "options");
	for (size_t i = 0; i < workload->n_options; i++)
		add_option(&w, &workload->options[i]);
	tp_jsonw_array_end(&w);
	tp_jsonw_array(&w, "metrics");
	for (size_t i = 0; i < workload->n_metrics; i++)
		add_metric(&w, &workload->metrics[i]);
	tp_jsonw_array_end(&w);
	tp_record_end(&w);
}

static int run_list(int argc, char *const *argv, struct tp_str *out, struct tp_err *reterr)
{
	int r = no_flags(argc, argv, reterr);
	size_t count;
	const struct tp_workload *const *workloads = tp_workloads(&count);

	if (r != 0)
		return r;
	for (size_t i = 0; i < count; i++)
		add_workload(out, workloads[i], i == 0);
	return 0;
}

const struct tp_command tp_command_version = {.name = "version", .usage = "", .run = run_version};
const struct tp_command tp_command_list = {.name = "list", .usage = "", .run = run_list};
