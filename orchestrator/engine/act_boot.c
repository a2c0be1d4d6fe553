/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One attempt at a fresh boot: new row, deploy, arm, reboot, and the way back to rescue.
 */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine/act.h"
#include "util/clock.h"
#include "util/failpoint.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/str.h"

void tp_act_say(struct tp_worker *w, const char *fmt, ...)
{
	struct tp_err ignored;
	char text[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tp_str_sanitize(text);
	tp_log(TP_LOG_INFO, "%s", text);
	if (tp_store_event_add(w->store, w->job, text, tp_clock_wall_ms(), &ignored) != 0)
		tp_log(TP_LOG_WARN, "the line above is not in the history: %s", ignored.text);
}

int tp_act_machine(struct tp_worker *w, struct tp_err *reterr)
{
	int r = 0;

	if (!w->machine) {
		tp_progress_activity(&w->progress, "connecting to %s", w->target.name);
		r = tp_machine_open(&w->target, w->paths->agent, &w->machine, reterr);
		if (r != 0)
			return r;
	}
	if (!w->prechecked) {
		r = tp_machine_rescue(w->machine, reterr);
		if (r == 0)
			r = tp_machine_precheck(w->machine, reterr);
		w->prechecked = r == 0;
	}
	return r;
}

/* Only a person can mend these; another attempt would fail in the same way. */
static bool needs_a_person(int code)
{
	return code == TP_MACHINE_E_REFUSED || code == TP_MACHINE_E_NO_SPACE ||
	       code == TP_MACHINE_E_STICKY || code == -ENOSPC || code == -ENOMEM;
}

int tp_act_record(struct tp_worker *w, int64_t boot, enum tp_boot_state from, enum tp_boot_state to,
		  const struct tp_boot_row *fill, int64_t step, enum tp_step_state state,
		  const char *detail, struct tp_err *reterr)
{
	int64_t now_ms = tp_clock_wall_ms();
	int r = tp_store_begin(w->store, reterr);

	if (r == 0)
		r = tp_store_boot_move(w->store, w->epoch, boot, from, to, fill, now_ms, reterr);
	if (r == 0)
		r = tp_store_step_finish(w->store, w->epoch, step, state, detail, now_ms, reterr);
	if (r == 0)
		r = tp_store_commit(w->store, reterr);
	if (r != 0)
		tp_store_rollback(w->store);
	return r;
}

int tp_act_infra(struct tp_worker *w, int code, int64_t boot, enum tp_boot_state from, int64_t step,
		 struct tp_err *reterr)
{
	struct tp_err cause = *reterr;
	struct tp_boot_row fill = {.outcome = TP_OUTCOME_INFRA, .detail = cause.text};
	struct tp_err ignored;
	int r;

	if (needs_a_person(code)) {
		r = tp_store_step_finish(w->store, w->epoch, step, TP_STEP_FAILED, cause.text,
					 tp_clock_wall_ms(), &ignored);
		(void)r;
		reterr->code = code < 0 ? code : -EIO;
		return reterr->code;
	}
	tp_act_say(w, "infrastructure fault, no evidence about the commit: %s", cause.text);
	w->machine = tp_machine_close(w->machine);
	w->prechecked = false;
	return tp_act_record(w, boot, from, TP_BOOT_FAILED, &fill, step, TP_STEP_FAILED, cause.text,
			     reterr);
}

struct tp_boot_request tp_act_boot_request(const struct tp_kernel_row *kernel,
					   const struct tp_boot_row *boot)
{
	return (struct tp_boot_request){
	    .artifact_dir = kernel->artifact_dir,
	    .image_sha256 = kernel->image_sha256,
	    .release = kernel->release,
	    .build_id = kernel->build_id,
	    .token = boot->token,
	};
}

static int make_token(char ret[17], struct tp_err *reterr)
{
	unsigned char raw[8];

	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return tp_err_set(reterr, -EIO, NULL, "the system has no random numbers");
	for (int i = 0; i < 8; i++)
		snprintf(ret + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

/* Rest before another attempt after an infrastructure fault: doubled each time, 60 s at most. */
static void back_off(struct tp_worker *w, const struct tp_plan_point *point)
{
	int64_t rest_ms = w->options.infra_backoff_ms;

	if (point->n_infra_failures == 0 || !point->has_boot ||
	    point->boot_state != TP_BOOT_FAILED || rest_ms == 0)
		return;
	for (int i = 1; i < point->n_infra_failures && rest_ms < 60000; i++)
		rest_ms *= 2;
	tp_progress_activity(&w->progress, "resting after a fault");
	tp_deadline_sleep(tp_deadline_in(rest_ms), rest_ms);
}

int tp_act_new_boot(struct tp_worker *w, const struct tp_plan_point *point, struct tp_err *reterr)
{
	char token[17] = "";
	int64_t boot;
	int r = make_token(token, reterr);

	if (r < 0)
		return r;
	back_off(w, point);
	return tp_store_boot_new(w->store, w->job, w->epoch, point->id, token, tp_clock_wall_ms(),
				 &boot, reterr);
}

/* What each act of an attempt needs: rows, request, started step. */
struct attempt {
	struct tp_boot_row boot;
	struct tp_kernel_row kernel;
	struct tp_boot_request request;
	int64_t step;
};

static void attempt_deinit(struct attempt *a)
{
	tp_boot_row_deinit(&a->boot);
	tp_kernel_row_deinit(&a->kernel);
}

static int attempt_begin(struct tp_worker *w, const struct tp_plan_point *point,
			 enum tp_step_kind kind, struct attempt *a, struct tp_err *reterr)
{
	int r = tp_store_boot_get(w->store, point->boot_id, &a->boot, reterr);

	if (r == 0)
		r = tp_store_kernel_get(w->store, a->boot.kernel_id, &a->kernel, reterr);
	if (r != 0)
		return r;
	a->request = tp_act_boot_request(&a->kernel, &a->boot);
	return tp_store_step_start(w->store, w->job, w->epoch, kind, 0, a->boot.id,
				   tp_clock_wall_ms(), &a->step, reterr);
}

static int attempt_done(struct tp_worker *w, const struct attempt *a, enum tp_boot_state from,
			enum tp_boot_state to, const struct tp_boot_row *fill,
			struct tp_err *reterr)
{
	return tp_act_record(w, a->boot.id, from, to, fill, a->step, TP_STEP_DONE, NULL, reterr);
}

int tp_act_deploy(struct tp_worker *w, const struct tp_plan_point *point, struct tp_err *reterr)
{
	_cleanup_(attempt_deinit) struct attempt a = {};
	int r = attempt_begin(w, point, TP_STEP_DEPLOY, &a, reterr);

	if (r != 0)
		return r;
	r = tp_act_machine(w, reterr);
	if (r == 0) {
		tp_progress_activity(&w->progress, "installing the kernel");
		r = tp_machine_install(w->machine, &a.request, reterr);
	}
	tp_failpoint("act:installed");
	if (r != 0)
		return tp_act_infra(w, r, a.boot.id, TP_BOOT_PLANNED, a.step, reterr);
	return attempt_done(w, &a, TP_BOOT_PLANNED, TP_BOOT_INSTALLED, NULL, reterr);
}

int tp_act_arm(struct tp_worker *w, const struct tp_plan_point *point, struct tp_err *reterr)
{
	_cleanup_(attempt_deinit) struct attempt a = {};
	struct tp_identity identity = {};
	struct tp_boot_row fill = {.boot_id_before = identity.boot_id};
	int r = attempt_begin(w, point, TP_STEP_ARM, &a, reterr);

	if (r != 0)
		return r;
	r = tp_act_machine(w, reterr);
	if (r == 0) {
		tp_progress_activity(&w->progress, "arming the one-shot entry");
		r = tp_machine_identify(w->machine, &identity, reterr);
	}
	if (r == 0)
		r = tp_machine_arm(w->machine, &a.request, reterr);
	tp_failpoint("act:armed");
	if (r != 0)
		return tp_act_infra(w, r, a.boot.id, TP_BOOT_INSTALLED, a.step, reterr);
	return attempt_done(w, &a, TP_BOOT_INSTALLED, TP_BOOT_ARMED, &fill, reterr);
}

static char *identity_json(const struct tp_boot_report *report)
{
	const struct tp_identity *id = &report->identity;
	json_t *root =
	    json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "boot_id", id->boot_id, "release",
		      id->release, "build_id", id->build_id, "cmdline", id->cmdline, "down_ms",
		      (json_int_t)report->down_ms, "up_ms", (json_int_t)report->up_ms, "settle_ms",
		      (json_int_t)report->settle_ms);
	char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;

	json_decref(root);
	return text;
}

/* The console is evidence, but a full disk must not fail a boot that came up. */
static char *keep_console(struct tp_worker *w, const struct attempt *a, const char *console)
{
	char *path;
	struct tp_err err = {};

	if (!console || !console[0])
		return NULL;
	path = tp_strf("%s/boot-%lld.console", w->paths->logs, (long long)a->boot.id);
	if (path && tp_file_write(path, console, strlen(console), 0640, &err) < 0) {
		tp_act_say(w, "the console log is not kept: %s", err.text);
		free(path);
		return NULL;
	}
	return path;
}

static int record_boot(struct tp_worker *w, const struct attempt *a,
		       const struct tp_boot_report *report, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *identity = identity_json(report);
	_cleanup_(tp_freep) char *console = keep_console(w, a, report->console);
	struct tp_boot_row fill = {
	    .outcome = report->outcome == TP_OUTCOME_OK ? TP_OUTCOME_NONE : report->outcome,
	    .boot_id = report->identity.boot_id[0] ? (char *)report->identity.boot_id : NULL,
	    .detail = (char *)report->detail,
	    .identity_json = identity,
	    .console_path = console,
	};

	tp_failpoint("act:booted");
	if (report->outcome == TP_OUTCOME_OK)
		return attempt_done(w, a, TP_BOOT_REBOOTING, TP_BOOT_IDENTIFIED, &fill, reterr);
	tp_act_say(w, "boot of %s: %s: %s%s%s", a->kernel.release,
		   tp_boot_outcome_name(report->outcome), report->detail,
		   console ? "; console: " : "", console ? console : "");
	return attempt_done(w, a, TP_BOOT_REBOOTING, TP_BOOT_FAILED, &fill, reterr);
}

int tp_act_reboot(struct tp_worker *w, const struct tp_plan_point *point, struct tp_err *reterr)
{
	_cleanup_(tp_boot_report_deinit) struct tp_boot_report report = {};
	_cleanup_(attempt_deinit) struct attempt a = {};
	bool already = point->boot_state == TP_BOOT_REBOOTING;
	int r = attempt_begin(w, point, TP_STEP_BOOT, &a, reterr);

	if (r == 0 && !already)
		r = tp_store_boot_move(w->store, w->epoch, a.boot.id, TP_BOOT_ARMED,
				       TP_BOOT_REBOOTING, NULL, tp_clock_wall_ms(), reterr);
	if (r != 0)
		return r;
	r = tp_act_machine(w, reterr);
	if (r == 0) {
		tp_progress_activity(&w->progress, "rebooting");
		r = tp_machine_boot(w->machine, &a.request, a.boot.boot_id_before, already, &report,
				    reterr);
	}
	if (r != 0)
		return tp_act_infra(w, r, a.boot.id, TP_BOOT_REBOOTING, a.step, reterr);
	return record_boot(w, &a, &report, reterr);
}

int tp_act_clean(struct tp_worker *w, struct tp_err *reterr)
{
	int64_t step;
	int r = tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_CLEAN, 0, 0,
				    tp_clock_wall_ms(), &step, reterr);

	if (r != 0)
		return r;
	r = tp_act_machine(w, reterr);
	if (r == 0) {
		tp_progress_activity(&w->progress, "back to the rescue kernel");
		r = tp_machine_clean(w->machine, reterr);
	}
	tp_failpoint("act:cleaned");
	if (r != 0)
		tp_act_say(w, "the target was not cleaned: %s", reterr->text);
	r = tp_store_step_finish(w->store, w->epoch, step, r == 0 ? TP_STEP_DONE : TP_STEP_FAILED,
				 r == 0 ? NULL : reterr->text, tp_clock_wall_ms(), reterr);
	if (r != 0)
		return r;
	/* What was measured stays valid; a target that cannot be cleaned ends no job. */
	return tp_store_job_set_cleaned(w->store, w->job, w->epoch, reterr);
}
