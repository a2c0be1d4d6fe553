/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worker's loop: snapshot -> plan -> act -> record, until nothing is left; see worker.h. */
#include "engine/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/protocol.h"
#include "engine/act.h"
#include "util/clock.h"
#include "util/failpoint.h"
#include "util/fd.h"
#include "util/str.h"

struct tp_worker_options tp_worker_options_default(void)
{
	return (struct tp_worker_options){
	    .infra_backoff_ms = 2000,
	    .build_timeout_ms = 4 * 3600 * 1000,
	    .min_free_bytes = 0,
	};
}

static void worker_deinit(struct tp_worker *w)
{
	w->machine = tp_machine_close(w->machine);
	tp_job_row_deinit(&w->row);
	tp_request_deinit(&w->request);
	tp_protocol_deinit(&w->protocol);
	tp_target_row_deinit(&w->target_row);
	tp_target_config_deinit(&w->target);
}

static int load_protocol(struct tp_worker *w, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = NULL;
	char sha256[TP_SHA256_HEX];
	int r = tp_store_protocol_get(w->store, w->row.protocol_id, &text, sha256, reterr);

	if (r != 0)
		return r;
	return tp_protocol_parse(text, "stored protocol", &w->protocol, reterr);
}

/* The target's description is part of what is held equal; a change in mid-job is refused. */
static int load_target(struct tp_worker *w, struct tp_err *reterr)
{
	char sha256[TP_SHA256_HEX];
	int r = tp_store_target_get_id(w->store, w->row.target_id, &w->target_row, reterr);

	if (r != 0)
		return r;
	tp_sha256_bytes(w->target_row.yaml, strlen(w->target_row.yaml), sha256);
	if (strcmp(sha256, w->request.target_sha256) != 0)
		return tp_err_set(
		    reterr, -ESTALE, w->target_row.name,
		    "the description of target %s changed since job %lld was planned; "
		    "start the job anew",
		    w->target_row.name, (long long)w->job);
	return tp_target_config_parse(w->target_row.yaml, w->target_row.name, &w->target, reterr);
}

static int load(struct tp_worker *w, struct tp_err *reterr)
{
	int r = tp_store_job_get(w->store, w->job, &w->row, reterr);

	if (r == 0)
		r = tp_request_from_json(w->row.request_json, &w->request, reterr);
	if (r == 0)
		r = load_protocol(w, reterr);
	if (r == 0)
		r = load_target(w, reterr);
	return r;
}

static int take_snapshot(struct tp_worker *w, struct tp_snapshot *s, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *diff = NULL;
	int r = tp_store_snapshot(w->store, w->job, s, reterr);

	if (r != 0)
		return r;
	s->limits.max_infra_attempts += w->infra_forgiven;
	if (s->n_kernels != 2 || s->kernels[0].state != TP_KERNEL_BUILT ||
	    s->kernels[1].state != TP_KERNEL_BUILT ||
	    strcmp(s->kernels[0].config_sha256, s->kernels[1].config_sha256) == 0)
		return 0;
	r = tp_act_config_diff(w, s, &diff, reterr);
	if (r == 0)
		s->config_differs_allowed = diff[0] == '\0';
	return r;
}

static void show_progress(struct tp_worker *w, const struct tp_snapshot *s,
			  const struct tp_action *a)
{
	struct tp_progress_means means = {};
	struct tp_err ignored;
	int64_t left_ms;
	const struct {
		enum tp_step_kind kind;
		int64_t *mean;
	} wanted[] = {
	    {TP_STEP_BUILD, &means.build_ms},	  {TP_STEP_DEPLOY, &means.deploy_ms},
	    {TP_STEP_ARM, &means.arm_ms},	  {TP_STEP_BOOT, &means.boot_ms},
	    {TP_STEP_MEASURE, &means.measure_ms},
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(wanted); i++) {
		if (tp_store_step_mean_ms(w->store, w->row.target_id, wanted[i].kind,
					  wanted[i].mean, &ignored) != 0)
			*wanted[i].mean = 0;
	}
	left_ms = tp_progress_remaining_ms(s, &means);
	w->progress.state.job = w->job;
	w->progress.state.n_points = s->n_points;
	w->progress.state.point = a->point;
	w->progress.state.role = a->point >= 0 ? s->points[a->point].role : TP_ROLE_PARENT_A;
	w->progress.state.eta_ms = left_ms ? tp_clock_mono_ms() + left_ms : 0;
}

/* One sentence on what the answer rests on, kept with the job. */
static int finish_reason(struct tp_worker *w, const struct tp_snapshot *s,
			 const struct tp_action *a, struct tp_str *out, struct tp_err *reterr)
{
	_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row kernel = {};
	_cleanup_(tp_freep) char *diff = NULL;
	int r = 0;

	tp_str_append(out, a->reason);
	if (a->verdict == TP_VERDICT_CONFIG_DIFFERS) {
		r = tp_act_config_diff(w, s, &diff, reterr);
		if (r == 0)
			tp_str_printf(out,
				      "; allow them in the target's "
				      "kernel.allow_config_differences or mend the config:\n%s",
				      diff);
	} else if (a->kernel >= 0) {
		r = tp_store_kernel_get(w->store, s->kernels[a->kernel].id, &kernel, reterr);
		if (r == 0)
			tp_str_printf(out, ": %.12s %s%s%s", kernel.commit_id, kernel.subject,
				      kernel.first_error ? ": " : "",
				      kernel.first_error ? kernel.first_error : "");
	}
	return r;
}

static int finish(struct tp_worker *w, const struct tp_snapshot *s, const struct tp_action *a,
		  struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str reason = {};
	enum tp_job_state state = a->kind == TP_ACTION_FINISH ? TP_JOB_DONE : TP_JOB_FAILED;
	int r = finish_reason(w, s, a, &reason, reterr);

	if (r == 0)
		r = tp_store_begin(w->store, reterr);
	if (r == 0)
		r = tp_store_job_finish(w->store, w->job, w->epoch, state, a->verdict,
					tp_str_text(&reason), tp_clock_wall_ms(), reterr);
	if (r == 0)
		r = tp_store_target_release(w->store, w->row.target_id, w->job, reterr);
	if (r == 0)
		r = tp_store_commit(w->store, reterr);
	if (r != 0) {
		tp_store_rollback(w->store);
		return r;
	}
	tp_act_say(w, "job %lld %s: %s", (long long)w->job,
		   state == TP_JOB_DONE ? tp_job_verdict_name(a->verdict) : "failed",
		   tp_str_text(&reason));
	if (state == TP_JOB_FAILED)
		return tp_err_set(reterr, -EIO, w->target.name,
				  "job %lld failed: %s; `triptych log %lld` has the history, "
				  "`triptych retry %lld` goes on",
				  (long long)w->job, a->reason, (long long)w->job,
				  (long long)w->job);
	return 0;
}

static int act(struct tp_worker *w, const struct tp_snapshot *s, const struct tp_action *a,
	       struct tp_err *reterr)
{
	const struct tp_plan_point *point = a->point >= 0 ? &s->points[a->point] : NULL;

	switch (a->kind) {
	case TP_ACTION_BUILD:
		return tp_act_build(w, &s->kernels[a->kernel], reterr);
	case TP_ACTION_NEW_BOOT:
		return tp_act_new_boot(w, point, reterr);
	case TP_ACTION_DEPLOY:
		return tp_act_deploy(w, point, reterr);
	case TP_ACTION_ARM:
		return tp_act_arm(w, point, reterr);
	case TP_ACTION_REBOOT:
		return tp_act_reboot(w, point, reterr);
	case TP_ACTION_MEASURE:
		return tp_act_measure(w, point, reterr);
	case TP_ACTION_JUDGE:
		return tp_act_judge(w, s, reterr);
	case TP_ACTION_CLEAN:
		return tp_act_clean(w, reterr);
	case TP_ACTION_FINISH:
	case TP_ACTION_GIVE_UP:
		return finish(w, s, a, reterr);
	case TP_ACTION_NOTHING:
	case _TP_ACTION_MAX:
		break;
	}
	return 0;
}

static int loop(struct tp_worker *w, struct tp_err *reterr)
{
	for (;;) {
		struct tp_snapshot snapshot = {};
		struct tp_action action;
		int r = take_snapshot(w, &snapshot, reterr);

		if (r != 0)
			return r;
		action = tp_plan_next(&snapshot);
		if (action.kind == TP_ACTION_NOTHING)
			return 0;
		show_progress(w, &snapshot, &action);
		tp_failpoint(tp_action_name(action.kind));
		r = act(w, &snapshot, &action, reterr);
		if (r != 0)
			return r;
	}
}

/* What only a person can mend ends the job as failed, so that it shows in `status`. */
static void park(struct tp_worker *w, const struct tp_err *cause)
{
	struct tp_err ignored;

	if (tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_FAILED, TP_VERDICT_NONE,
				cause->text, tp_clock_wall_ms(), &ignored) == 0 &&
	    tp_store_target_release(w->store, w->row.target_id, w->job, &ignored) == 0)
		return;
	tp_act_say(w, "job %lld is left as running: %s", (long long)w->job, ignored.text);
}

/* The worker of a job holds this lock for its life; the kernel drops it when we die. */
static int lock_job(struct tp_worker *w, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path =
	    tp_strf("%s/job-%lld.lock", w->paths->logs, (long long)w->job);
	int fd;

	if (!path)
		return tp_err_oom(reterr);
	fd = tp_lock_file(path, false, reterr);
	if (fd == -EWOULDBLOCK)
		return tp_err_set(reterr, -EBUSY, NULL,
				  "job %lld is being run by another process; `triptych log %lld` "
				  "shows how far it is",
				  (long long)w->job, (long long)w->job);
	return fd;
}

/* A person who says `retry` has looked at the faults so far; their count begins anew. */
static int forgive_faults(struct tp_worker *w, struct tp_err *reterr)
{
	struct tp_snapshot s = {};
	int r = tp_store_snapshot(w->store, w->job, &s, reterr);

	for (int i = 0; r == 0 && i < s.n_points; i++) {
		if (s.points[i].n_infra_failures > w->infra_forgiven)
			w->infra_forgiven = s.points[i].n_infra_failures;
	}
	return r;
}

static int claim_and_run(struct tp_worker *w, struct tp_err *reterr)
{
	int r = w->row.state == TP_JOB_FAILED ? forgive_faults(w, reterr) : 0;

	if (r == 0)
		r = tp_store_job_claim(w->store, w->job, tp_clock_wall_ms(), &w->epoch, reterr);
	if (r == 0)
		r = tp_store_target_lease(w->store, w->row.target_id, w->job, w->epoch, reterr);
	tp_failpoint("act:claimed");
	if (r == 0)
		r = tp_recovery_run(w, reterr);
	if (r == 0)
		r = loop(w, reterr);
	if (r != 0)
		park(w, reterr);
	return r;
}

int tp_worker_run(struct tp_store *store, const struct tp_paths *paths, int64_t job,
		  const struct tp_worker_options *options, const struct tp_progress *progress,
		  struct tp_err *reterr)
{
	_cleanup_(worker_deinit) struct tp_worker w = {
	    .store = store, .paths = paths, .options = *options, .job = job};
	_cleanup_(tp_fd_closep) int lock = -1;
	int r;

	if (progress)
		w.progress = *progress;
	lock = lock_job(&w, reterr);
	if (lock < 0)
		return lock;
	r = load(&w, reterr);
	if (r == 0 && (w.row.state == TP_JOB_DONE || w.row.state == TP_JOB_CANCELLED))
		return 0;
	if (r == 0)
		r = claim_and_run(&w, reterr);
	return tp_err_as_errno(r, reterr);
}
