/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running the agent on an identified boot and storing every round: all of a boot or nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/act.h"
#include "util/clock.h"
#include "engine/records.h"
#include "util/failpoint.h"
#include "util/str.h"

static void on_run_progress(enum tp_phase phase, int round, int rounds, void *data)
{
	struct tp_progress *p = data;

	if (p->state.total != rounds || phase == TP_PHASE_WARMUP)
		snprintf(p->state.activity, sizeof(p->state.activity), "%s",
			 phase == TP_PHASE_WARMUP ? "warming up" : "measuring");
	tp_progress_count(p, round, rounds, phase == TP_PHASE_MEASURED);
}

struct storing {
	struct tp_store *store;
	int64_t boot;
	int measured_max;
};

static int store_round(const struct tp_round_row *round, void *data, struct tp_err *reterr)
{
	struct storing *s = data;

	if (round->phase == TP_PHASE_MEASURED && round->round > s->measured_max)
		s->measured_max = round->round;
	return tp_store_round_add(s->store, s->boot, round, reterr);
}

/* The records must be of this boot of this kernel, or they are nobody's. */
static int check_summary(const struct tp_records_summary *summary, const struct tp_boot_row *boot,
			 const struct tp_kernel_row *kernel, struct tp_err *reterr)
{
	if (strcmp(summary->boot_id, boot->boot_id ? boot->boot_id : "") != 0)
		return tp_err_set(reterr, -EBADMSG, NULL,
				  "the agent's records come from boot %s, not from %s",
				  summary->boot_id, boot->boot_id ? boot->boot_id : "?");
	if (strcmp(summary->release, kernel->release) != 0 ||
	    strcmp(summary->build_id, kernel->build_id) != 0)
		return tp_err_set(
		    reterr, -EBADMSG, NULL,
		    "the agent's records come from kernel %s (build-id %s), not from %s",
		    summary->release, summary->build_id, kernel->release);
	if (strcmp(summary->run_id, boot->token) != 0)
		return tp_err_set(reterr, -EBADMSG, NULL,
				  "the agent's records carry run id %s, not %s", summary->run_id,
				  boot->token);
	return 0;
}

/* One transaction: all rounds, the environment, the boot complete, the step done. */
static int record_run(struct tp_worker *w, const struct tp_boot_row *boot,
		      const struct tp_kernel_row *kernel, int64_t step, const char *path,
		      const struct tp_run_report *report, struct tp_err *reterr)
{
	char times[128];
	_cleanup_(tp_records_summary_deinit) struct tp_records_summary summary = {};
	struct storing storing = {.store = w->store, .boot = boot->id};
	struct tp_boot_row fill = {.outcome = TP_OUTCOME_OK};
	int64_t now_ms = tp_clock_wall_ms();
	int r = tp_store_begin(w->store, reterr);

	if (r == 0)
		r = tp_records_read(path, store_round, &storing, &summary, reterr);
	if (r == 0)
		r = check_summary(&summary, boot, kernel, reterr);
	if (r == 0 && storing.measured_max != w->protocol.rounds)
		r = tp_err_set(reterr, -EBADMSG, NULL,
			       "the agent's records hold %d measured rounds, not %d",
			       storing.measured_max, w->protocol.rounds);
	snprintf(times, sizeof(times), "{\"warmup_ms\":%lld,\"measured_ms\":%lld,\"polls\":%d}",
		 (long long)report->warmup_ms, (long long)report->measured_ms, report->polls);
	fill.env_before_json = summary.env_before_json;
	fill.env_after_json = summary.env_after_json;
	if (r == 0)
		r = tp_store_boot_move(w->store, w->epoch, boot->id, TP_BOOT_MEASURING,
				       TP_BOOT_COMPLETE, &fill, now_ms, reterr);
	if (r == 0)
		r = tp_store_step_finish(w->store, w->epoch, step, TP_STEP_DONE, times, now_ms,
					 reterr);
	if (r == 0)
		r = tp_store_commit(w->store, reterr);
	if (r != 0)
		tp_store_rollback(w->store);
	return r;
}

static int record_failed_run(struct tp_worker *w, const struct tp_boot_row *boot, int64_t step,
			     const struct tp_run_report *report, struct tp_err *reterr)
{
	struct tp_boot_row fill = {.outcome = report->outcome, .detail = (char *)report->detail};
	int r = tp_act_record(w, boot->id, TP_BOOT_MEASURING, TP_BOOT_FAILED, &fill, step,
			      TP_STEP_FAILED, report->detail, reterr);

	if (r == 0)
		tp_act_say(w, "%s: %s", tp_boot_outcome_name(report->outcome), report->detail);
	return r;
}

static int run_agent(struct tp_worker *w, const struct tp_boot_row *boot, const char *path,
		     struct tp_run_report *report, struct tp_err *reterr)
{
	struct tp_run_request request = {
	    .run_id = boot->token,
	    .workload = w->protocol.workload.agent,
	    .params = w->protocol.workload.params,
	    .n_params = w->protocol.workload.n_params,
	    .warmup = w->protocol.warmup,
	    .rounds = w->protocol.rounds,
	};
	int r = tp_act_machine(w, reterr);

	if (r != 0)
		return r;
	tp_progress_activity(&w->progress, "warming up");
	return tp_machine_run(w->machine, &request, path, on_run_progress, &w->progress, report,
			      reterr);
}

static int measure(struct tp_worker *w, const struct tp_boot_row *boot,
		   const struct tp_kernel_row *kernel, int64_t step, const char *path,
		   struct tp_err *reterr)
{
	struct tp_run_report report = {};
	int r = run_agent(w, boot, path, &report, reterr);

	if (r != 0)
		return tp_act_infra(w, r, boot->id, TP_BOOT_MEASURING, step, reterr);
	tp_failpoint("act:measured");
	if (report.outcome != TP_OUTCOME_OK)
		return record_failed_run(w, boot, step, &report, reterr);
	r = record_run(w, boot, kernel, step, path, &report, reterr);
	if (r == -EBADMSG)
		return tp_act_infra(w, r, boot->id, TP_BOOT_MEASURING, step, reterr);
	return r;
}

int tp_act_measure(struct tp_worker *w, const struct tp_plan_point *point, struct tp_err *reterr)
{
	_cleanup_(tp_boot_row_deinit) struct tp_boot_row boot = {};
	_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row kernel = {};
	_cleanup_(tp_freep) char *path = NULL;
	int64_t step;
	int r = tp_store_boot_get(w->store, point->boot_id, &boot, reterr);

	if (r == 0)
		r = tp_store_kernel_get(w->store, boot.kernel_id, &kernel, reterr);
	if (r == 0)
		r = tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_MEASURE, 0, boot.id,
					tp_clock_wall_ms(), &step, reterr);
	if (r == 0)
		r = tp_store_boot_move(w->store, w->epoch, boot.id, TP_BOOT_IDENTIFIED,
				       TP_BOOT_MEASURING, NULL, tp_clock_wall_ms(), reterr);
	if (r != 0)
		return r;
	path = tp_strf("%s/boot-%lld.jsonl", w->paths->logs, (long long)boot.id);
	if (!path)
		return tp_err_oom(reterr);
	return measure(w, &boot, &kernel, step, path, reterr);
}
