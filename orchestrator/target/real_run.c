/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of the agent: started detached, left alone while rounds are measured, asked as seldom
 * as an estimate allows, fetched. The run goes on without the connection, so a lost one is opened
 * again; what ends a run is the agent's death, its own word, or the deadline.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/agent.h"
#include "target/real_run.h"
#include "target/remote.h"
#include "util/failpoint.h"
#include "util/str.h"

#define QUIET_MS   300	/* the agent is busy with nothing so long after we hung up */
#define MARGIN_MS  500	/* added to the estimate: late costs less than a disturbed round */
#define TICK_MS	   200	/* progress calls */
#define MIN_NAP_MS 1000 /* between two questions */
#define MAX_NAP_MS 30000
#define ORPHAN_MS  600000 /* after our own deadline a run that nobody stopped stops itself */
#define FIXED_ARGS 20

static void tell(struct tp_real_run *run, enum tp_phase phase, int round)
{
	if (run->progress)
		run->progress(phase, round, run->request->rounds, run->data);
}

/* ---- start ---- */

static int start_argv(struct tp_real_run *run, char numbers[4][24], const char ***ret)
{
	const struct tp_run_request *q = run->request;
	const char **argv = calloc((size_t)q->n_params + FIXED_ARGS, sizeof(*argv));
	int n = 0;

	if (!argv)
		return -ENOMEM;
	snprintf(numbers[0], 24, "%d", q->warmup);
	snprintf(numbers[1], 24, "%d", q->rounds);
	snprintf(numbers[2], 24, "%d", QUIET_MS);
	snprintf(numbers[3], 24, "%lld",
		 (long long)run->real->base.config->deadlines.run_ms + ORPHAN_MS);
	argv[n++] = run->real->agent_remote;
	argv[n++] = "run";
	argv[n++] = q->workload;
	for (int i = 0; i < q->n_params; i++)
		argv[n++] = q->params[i];
	argv[n++] = "--run-id";
	argv[n++] = q->run_id;
	argv[n++] = "--out";
	argv[n++] = run->remote;
	argv[n++] = "--warmup";
	argv[n++] = numbers[0];
	argv[n++] = "--rounds";
	argv[n++] = numbers[1];
	argv[n++] = "--quiet-ms";
	argv[n++] = numbers[2];
	argv[n++] = "--deadline-ms";
	argv[n++] = numbers[3];
	argv[n++] = "--detach";
	*ret = argv;
	return 0;
}

static void note_estimate(struct tp_real_run *run, const struct tp_agent_start *start,
			  int64_t wall_ms)
{
	int64_t warmup_ms = start->warmup_ms >= 0 ? start->warmup_ms : wall_ms;

	run->report.warmup_ms = wall_ms;
	run->measured_at = tp_clock_mono_ms() + QUIET_MS;
	if (run->request->warmup > 0)
		run->round_ms = warmup_ms / run->request->warmup + 1;
}

/* The agent said no, before or while it warmed up. */
static int take_refusal(struct tp_real_run *run, const struct tp_agent_start *start,
			struct tp_exec_result *out)
{
	run->report.outcome = TP_OUTCOME_RUN_FAILED;
	snprintf(run->report.detail, sizeof(run->report.detail), "the workload failed: %s",
		 start->reason[0] ? start->reason : tp_remote_words(out));
	return 0;
}

static int ask(struct tp_real_run *run, struct tp_agent_state *ret, struct tp_err *reterr);

/*
 * Start it. When the connection is lost the run may be under way: then its state decides, and
 * only a run that never began is started again.
 */
static int start_once(struct tp_real_run *run, struct tp_err *reterr)
{
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	_cleanup_(tp_freep) const char **argv = NULL;
	struct tp_agent_start start;
	char numbers[4][24];
	int r = start_argv(run, numbers, &argv);

	if (r < 0)
		return tp_err_oom(reterr);
	r = tp_machine_code(
	    run->real->t->ops->exec(run->real->t, argv, 65536, run->deadline, &out, reterr),
	    reterr);
	tp_failpoint("target-run-started");
	if (r)
		return r;
	tp_agent_parse_start(out.output, &start);
	if (start.warmed) {
		note_estimate(run, &start, out.last_ms - out.first_ms);
		return 0;
	}
	if (start.ended && !start.ok)
		return take_refusal(run, &start, &out);
	return tp_err_set(reterr, -EBADMSG, run->real->base.config->name,
			  "the agent did not start the run (exit code %d: %s)", out.exit_code,
			  tp_remote_words(&out));
}

static int start(struct tp_real_run *run, struct tp_err *reterr)
{
	struct tp_agent_state state;
	int r = tp_real_do(run->real, tp_real_ensure_agent, NULL, reterr);

	if (r)
		return r;
	r = start_once(run, reterr);
	if (r != TP_MACHINE_E_LOST)
		return r;
	tp_real_disconnect(run->real);
	r = ask(run, &state, reterr);
	if (r)
		return r;
	if (state.known) {
		run->measured_at = tp_clock_mono_ms();
		return 0;
	}
	return start_once(run, reterr);
}

/* ---- asking ---- */

/* How long a lost connection is tried again: what rebooted is back by then. */
struct tp_deadline tp_real_run_patience(const struct tp_real_run *run)
{
	return tp_deadline_in(run->real->base.config->deadlines.up_ms);
}

static int ask(struct tp_real_run *run, struct tp_agent_state *ret, struct tp_err *reterr)
{
	const char *argv[] = {run->real->agent_remote, "status", "--out", run->remote, NULL};
	struct tp_deadline deadline = tp_real_run_patience(run);
	int r;

	do {
		_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};

		r = tp_real_connect_until(run->real, deadline, reterr);
		if (r == 0)
			r = tp_machine_code(
			    run->real->t->ops->exec(run->real->t, argv, 65536,
						    tp_real_exec_deadline(run->real), &out, reterr),
			    reterr);
		if (r == 0)
			tp_agent_parse_state(out.output, ret);
		if (r == TP_MACHINE_E_LOST)
			tp_real_disconnect(run->real);
	} while (r == TP_MACHINE_E_LOST && !tp_deadline_passed(deadline));
	return r;
}

/* How long to wait before the first question, and after one that came too early. */
static int64_t first_nap_ms(const struct tp_real_run *run)
{
	int64_t all = run->round_ms * run->request->rounds;

	if (run->round_ms == 0)
		return MIN_NAP_MS;
	return run->measured_at - tp_clock_mono_ms() + all + all / 10 + MARGIN_MS;
}

static int64_t next_nap_ms(struct tp_real_run *run, const struct tp_agent_state *state)
{
	int64_t spent = tp_clock_mono_ms() - run->measured_at;
	int64_t nap = spent / 8;

	if (state->round > 0 && strcmp(state->phase, "measured") == 0) {
		run->round_ms = spent / state->round + 1;
		nap = run->round_ms * (run->request->rounds - state->round) + MARGIN_MS;
	}
	if (nap < MIN_NAP_MS)
		nap = MIN_NAP_MS;
	return nap < MAX_NAP_MS ? nap : MAX_NAP_MS;
}

/* Off the wire; the round that is told is an estimate. */
static void rest(struct tp_real_run *run, int64_t ms)
{
	struct tp_deadline end = tp_deadline_min(run->deadline, ms);

	tp_real_disconnect(run->real);
	do {
		int64_t spent = tp_clock_mono_ms() - run->measured_at;
		int64_t round = run->round_ms > 0 && spent > 0 ? spent / run->round_ms + 1 : 1;

		if (round > run->request->rounds)
			round = run->request->rounds;
		tell(run, TP_PHASE_MEASURED, (int)round);
	} while (tp_deadline_sleep(end, TICK_MS));
}

/* ---- all of it ---- */

static int follow(struct tp_real_run *run, struct tp_err *reterr)
{
	struct tp_agent_state state = {};
	int64_t nap = first_nap_ms(run);

	for (;;) {
		int r;

		rest(run, nap);
		r = ask(run, &state, reterr);
		if (r)
			return r;
		if (!state.alive)
			break;
		run->report.polls++;
		if (tp_deadline_passed(run->deadline)) {
			tp_real_run_overrun(run);
			return 0;
		}
		nap = next_nap_ms(run, &state);
	}
	run->report.measured_ms = tp_clock_mono_ms() - run->measured_at;
	return tp_real_run_finish(run, &state, reterr);
}

/* Fetched or worthless: our files of this run go. What fails here is removed by clean(). */
static int do_remove(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	static const char script[] = "rm -f \"$1\" \"$1.part\" \"$1.state\"";
	const char *args[] = {arg, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};

	return tp_machine_code(
	    tp_remote_sh(real->t, script, args, 256, tp_real_exec_deadline(real), &out, reterr),
	    reterr);
}

static int check_request(const struct tp_machine *m, const struct tp_run_request *q,
			 struct tp_err *reterr)
{
	size_t n =
	    strspn(q->run_id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	if (n > 0 && n <= 64 && !q->run_id[n])
		return 0;
	return tp_err_set(reterr, -EINVAL, m->config->name,
			  "a run's id must be 1 to 64 letters and digits");
}

int tp_real_run(struct tp_machine *m, const struct tp_run_request *request, const char *local,
		tp_run_progress_fn progress, void *data, struct tp_run_report *ret,
		struct tp_err *reterr)
{
	struct tp_real_run run = {.real = (struct tp_real *)m,
				  .request = request,
				  .local = local,
				  .progress = progress,
				  .data = data,
				  .deadline = tp_deadline_in(m->config->deadlines.run_ms)};
	_cleanup_(tp_freep) char *remote =
	    tp_strf("%s/triptych-run-%s", m->config->work_dir, request->run_id);
	int r = check_request(m, request, reterr);

	if (r == 0 && !remote)
		r = tp_err_oom(reterr);
	if (r)
		return r;
	run.remote = remote;
	tell(&run, TP_PHASE_WARMUP, 0);
	r = start(&run, reterr);
	if (r == 0 && run.report.outcome == TP_OUTCOME_NONE)
		r = follow(&run, reterr);
	if (r)
		return r;
	if (tp_real_do(run.real, do_remove, remote, NULL) != 0)
		tp_real_disconnect(run.real);
	*ret = run.report;
	return 0;
}
