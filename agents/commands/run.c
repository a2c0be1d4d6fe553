/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `run`: measure one workload into a file. */
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/args.h"
#include "commands/command.h"
#include "run/detach.h"

enum {
	OPT_RUN_ID,
	OPT_OUT,
	OPT_WARMUP,
	OPT_ROUNDS,
	OPT_DETACH,
	OPT_QUIET_MS,
	OPT_DEADLINE_MS,
	OPT_DMA_LATENCY_US,
	_OPT_MAX,
};

static const struct tp_option options[] = {
    [OPT_RUN_ID] = {.name = "run-id", .kind = TP_OPTION_TEXT, .required = true},
    [OPT_OUT] = {.name = "out", .kind = TP_OPTION_TEXT, .required = true},
    [OPT_WARMUP] = {.name = "warmup", .kind = TP_OPTION_NUMBER, .required = true, .max = 100000000},
    [OPT_ROUNDS] =
	{.name = "rounds", .kind = TP_OPTION_NUMBER, .required = true, .min = 1, .max = 100000000},
    [OPT_DETACH] = {.name = "detach", .kind = TP_OPTION_FLAG},
    [OPT_QUIET_MS] = {.name = "quiet-ms",
		      .kind = TP_OPTION_NUMBER,
		      .fallback = "500",
		      .max = 3600000},
    [OPT_DEADLINE_MS] = {.name = "deadline-ms",
			 .kind = TP_OPTION_NUMBER,
			 .fallback = "0",
			 .max = 1000000000},
    [OPT_DMA_LATENCY_US] = {.name = "dma-latency-us",
			    .kind = TP_OPTION_NUMBER,
			    .fallback = "-1",
			    .min = -1,
			    .max = 2000000000},
};
static_assert(TP_ARRAY_SIZE(options) == _OPT_MAX, "each option in its place");

static const struct tp_workload *choose_workload(int argc, char *const *argv, struct tp_err *reterr)
{
	const struct tp_workload *workload = argc > 0 ? tp_workload_find(argv[0]) : NULL;

	if (!workload)
		tp_err_set(reterr, -EINVAL, NULL, "'%s' is not a workload; `list` names them",
			   argc > 0 ? argv[0] : "");
	return workload;
}

static int run_here(struct tp_run *run, struct tp_result *result, struct tp_err *reterr)
{
	run->warmed = tp_progress_warmed;
	tp_progress_started(run, getpid());
	return tp_run_execute(run, result, reterr);
}

static int run_with(const struct tp_workload *workload, const struct tp_value *own,
		    const struct tp_value *values, struct tp_err *reterr)
{
	bool detach = own[OPT_DETACH].given;
	struct tp_connection c;
	bool remote = tp_connection_parse(getenv("SSH_CONNECTION"), &c);
	struct tp_run run = {.workload = workload,
			     .values = values,
			     .run_id = own[OPT_RUN_ID].text,
			     .out = own[OPT_OUT].text,
			     .warmup = own[OPT_WARMUP].number,
			     .rounds = own[OPT_ROUNDS].number,
			     .quiet_ms =
				 detach || own[OPT_QUIET_MS].given ? own[OPT_QUIET_MS].number : 0,
			     .connection = detach && remote ? &c : NULL,
			     .deadline_ms = own[OPT_DEADLINE_MS].number,
			     .dma_latency_us = own[OPT_DMA_LATENCY_US].number,
			     .notify_fd = -1};
	_cleanup_(tp_result_freep) struct tp_result *result = NULL;
	int r = tp_result_create(run.out, &result, reterr);

	if (r < 0)
		return r;
	return detach ? tp_detach_run(&run, result, reterr) : run_here(&run, result, reterr);
}

static int run_run(int argc, char *const *argv, struct tp_str *out, struct tp_err *reterr)
{
	const struct tp_workload *workload = choose_workload(argc, argv, reterr);
	_cleanup_(tp_freep) struct tp_value *values = NULL;
	struct tp_value own[_OPT_MAX];

	(void)out;
	if (!workload)
		return TP_COMMAND_E_USAGE;
	values = calloc(workload->n_options, sizeof(*values));
	if (!values)
		return tp_err_oom(reterr);
	struct tp_option_set sets[] = {{options, _OPT_MAX, own},
				       {workload->options, workload->n_options, values}};
	if (tp_args_parse(argc - 1, argv + 1, sets, TP_ARRAY_SIZE(sets), reterr) < 0)
		return TP_COMMAND_E_USAGE;
	return run_with(workload, own, values, reterr);
}

const struct tp_command tp_command_run = {
    .name = "run",
    .usage = "WORKLOAD --run-id ID --out FILE --warmup N --rounds N [--detach] [--quiet-ms MS]\n"
	     "      [--deadline-ms MS] [--dma-latency-us US] [flags of the workload]",
    .run = run_run,
};
