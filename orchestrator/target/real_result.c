/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a run ended: its result file, the agent's own word, or nothing at all. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "target/real_run.h"

#define RECORDS_MAX ((int64_t)1 << 30)

static int fetch(struct tp_real_run *run, bool *ret_there, struct tp_err *reterr)
{
	struct tp_deadline deadline = tp_real_run_patience(run);
	int r;

	do {
		r = tp_real_connect_until(run->real, deadline, reterr);
		if (r == 0)
			r = tp_machine_code(
			    run->real->t->ops->download(
				run->real->t, run->remote, run->local, RECORDS_MAX,
				tp_deadline_in(run->real->base.config->deadlines.upload_ms),
				reterr),
			    reterr);
		if (r == TP_MACHINE_E_LOST)
			tp_real_disconnect(run->real);
	} while (r == TP_MACHINE_E_LOST && !tp_deadline_passed(deadline));
	*ret_there = r == 0;
	return r == -ENOENT ? 0 : r;
}

/* No process, no result: killed, or the whole machine went down under it. */
static int take_death(struct tp_real_run *run, const struct tp_agent_state *state,
		      struct tp_err *reterr)
{
	char *detail = run->report.detail;
	size_t size = sizeof(run->report.detail);
	struct tp_identity id = {};
	int r = tp_real_do(run->real, tp_real_identify_now, &id, reterr);

	if (r)
		return r;
	run->report.outcome = TP_OUTCOME_AGENT_DIED;
	if (!state->known || strcmp(state->boot_id, id.boot_id) != 0) {
		run->real->agent_there = false;
		snprintf(detail, size,
			 "the machine rebooted in mid-run (it is up for %lld s, in %s)",
			 (long long)id.uptime_ms / 1000, id.release);
	} else {
		snprintf(detail, size, "the agent vanished in mid-run%s%s%s",
			 state->phase[0] ? " (phase " : "", state->phase,
			 state->phase[0] ? "): killed, or out of memory" : "");
	}
	return 0;
}

int tp_real_run_finish(struct tp_real_run *run, const struct tp_agent_state *state,
		       struct tp_err *reterr)
{
	char reason[256] = "";
	bool there = false, ok = false;
	int r = fetch(run, &there, reterr);

	if (r)
		return r;
	if (!there && strcmp(state->phase, "failed") == 0) {
		run->report.outcome = TP_OUTCOME_RUN_FAILED;
		snprintf(run->report.detail, sizeof(run->report.detail), "the workload failed: %s",
			 state->reason);
		return 0;
	}
	if (!there)
		return take_death(run, state, reterr);
	r = tp_agent_read_end(run->local, &ok, reason, sizeof(reason), reterr);
	if (r < 0)
		return r;
	run->report.outcome = ok ? TP_OUTCOME_OK : TP_OUTCOME_RUN_FAILED;
	if (!ok)
		snprintf(run->report.detail, sizeof(run->report.detail), "the workload failed: %s",
			 reason);
	return 0;
}

/* Nothing is said about the commit by a deadline of ours. */
void tp_real_run_overrun(struct tp_real_run *run)
{
	const char *argv[] = {run->real->agent_remote, "stop", "--out", run->remote, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};

	run->report.outcome = TP_OUTCOME_INFRA;
	snprintf(
	    run->report.detail, sizeof(run->report.detail),
	    "the run was not over within deadlines.run_ms (%lld s) and was stopped; raise it, or "
	    "ask for fewer rounds",
	    (long long)run->real->base.config->deadlines.run_ms / 1000);
	if (run->real->t &&
	    run->real->t->ops->exec(run->real->t, argv, 4096, tp_real_exec_deadline(run->real),
				    &out, NULL) != 0)
		tp_real_disconnect(run->real);
}
