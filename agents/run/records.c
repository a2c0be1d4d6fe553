/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a result file; see records.h. */
#include "run/records.h"

#include "base/cpulist.h"
#include "base/record.h"
#include "facts/facts.h"
#include "workloads/timing.h"

static void add_param(struct tp_jsonw *w, const struct tp_option *option,
		      const struct tp_value *value)
{
	switch (option->kind) {
	case TP_OPTION_TEXT:
		tp_jsonw_text(w, option->name, value->text);
		break;
	case TP_OPTION_NUMBER:
		tp_jsonw_int(w, option->name, value->number);
		break;
	case TP_OPTION_YESNO:
	case TP_OPTION_FLAG:
		tp_jsonw_bool(w, option->name, value->number);
		break;
	case _TP_OPTION_MAX:
		break;
	}
}

static void add_params(struct tp_jsonw *w, const struct tp_run *run)
{
	tp_jsonw_object(w, "params");
	tp_jsonw_int(w, "warmup", run->warmup);
	tp_jsonw_int(w, "rounds", run->rounds);
	for (size_t i = 0; i < run->workload->n_options; i++)
		add_param(w, &run->workload->options[i], &run->values[i]);
	tp_jsonw_object_end(w);
}

static void add_allowed_cpus(struct tp_jsonw *w)
{
	struct tp_cpulist allowed = {};

	if (tp_cpulist_allowed(&allowed) < 0)
		allowed.count = 0;
	tp_jsonw_array(w, "cpus_allowed");
	for (size_t i = 0; i < allowed.count; i++)
		tp_jsonw_int(w, NULL, allowed.cpus[i]);
	tp_jsonw_array_end(w);
}

void tp_records_start(struct tp_str *out, const struct tp_run *run, bool memory_locked,
		      int64_t clock_step_ns)
{
	struct tp_jsonw w = tp_record_begin(out, "start", true);

	tp_jsonw_text(&w, "agent_version", TP_AGENT_VERSION);
	tp_jsonw_text(&w, "run_id", run->run_id);
	tp_jsonw_text(&w, "workload", run->workload->name);
	tp_facts_identity(&w);
	add_params(&w, run);
	add_allowed_cpus(&w);
	tp_jsonw_bool(&w, "memory_locked", memory_locked);
	tp_jsonw_text(&w, "clock", TP_TIMING_CLOCK_NAME);
	tp_jsonw_int(&w, "clock_step_ns", clock_step_ns);
	tp_record_end(&w);
}

void tp_records_env(struct tp_str *out, const char *when)
{
	struct tp_jsonw w = tp_record_begin(out, "env", false);

	tp_jsonw_text(&w, "when", when);
	tp_facts_all(&w, "facts", NULL);
	tp_record_end(&w);
}

static void add_sample(struct tp_str *out, const struct tp_round *round,
		       const struct tp_sample *sample)
{
	struct tp_jsonw w = tp_record_begin(out, "round", false);

	tp_jsonw_text(&w, "phase", round->warmup ? "warmup" : "measured");
	tp_jsonw_int(&w, "round", round->number);
	tp_jsonw_text(&w, "metric", sample->metric);
	tp_jsonw_int(&w, "elapsed_ns", sample->elapsed_ns);
	tp_jsonw_int(&w, "ops", sample->ops);
	tp_jsonw_int(&w, "order", sample->order);
	tp_jsonw_bool(&w, "semantic_ok", sample->semantic_ok);
	tp_jsonw_bool(&w, "affinity_ok", sample->affinity_ok);
	tp_jsonw_object(&w, "fields");
	for (size_t i = 0; i < sample->n_fields; i++)
		tp_jsonw_int(&w, sample->fields[i].name, sample->fields[i].value);
	tp_jsonw_object_end(&w);
	tp_record_end(&w);
}

void tp_records_round(struct tp_str *out, const struct tp_round *round)
{
	for (size_t i = 0; i < round->count; i++)
		add_sample(out, round, &round->samples[i]);
}
