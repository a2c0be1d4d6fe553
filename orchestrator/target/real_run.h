/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside a run: real_run.c starts and follows it, real_result.c says how it ended. */
#pragma once

#include "target/agent.h"
#include "target/real.h"

struct tp_real_run {
	struct tp_real *real;
	const struct tp_run_request *request;
	const char *local;
	tp_run_progress_fn progress;
	void *data;
	struct tp_deadline deadline;
	char *remote;	     /* result file on the target */
	int64_t round_ms;    /* estimate of one round, at least 1 when known, 0 when not */
	int64_t measured_at; /* when the first measured round began, as far as we know */
	struct tp_run_report report;
};

/* How long a lost connection is tried again: what rebooted is back by then. */
struct tp_deadline tp_real_run_patience(const struct tp_real_run *run);

/* The process is gone: fetch what it left and fill run->report. */
TP_MUST_CHECK int tp_real_run_finish(struct tp_real_run *run, const struct tp_agent_state *state,
				     struct tp_err *reterr);
/* It runs beyond its deadline: stop it and fill run->report. */
void tp_real_run_overrun(struct tp_real_run *run);
