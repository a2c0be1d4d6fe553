/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boot cycle: reboot -> down -> up -> identify -> settle.
 *
 * A machine is "up" when it proves another boot id, not when it answers; the socket of the
 * reboot command is dropped, never waited for. Whatever became of the kernel, the machine is
 * left reachable when its power can be controlled.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/console.h"
#include "target/identity.h"
#include "target/power.h"
#include "target/real.h"
#include "target/remote.h"
#include "util/failpoint.h"
#include "util/str.h"

#define POLL_MS		  200  /* between two looks */
#define TP_REAL_ANSWER_MS 1000 /* a server that greets does so at once */
#define LOOK_AT_MS	  3000 /* a machine that still answers is asked which boot it is, this often */

enum cycle_state {
	CYCLE_GOING_DOWN, /* it answers, and it is the boot from before */
	CYCLE_DOWN,	  /* it does not answer */
	CYCLE_UP,
	CYCLE_NEVER_DOWN,
	CYCLE_NEVER_UP,
};

struct cycle {
	struct tp_real *real;
	const struct tp_boot_request *request;
	const char *boot_id_before;
	enum cycle_state state;
	int64_t start_ms, down_at_ms, next_look_ms;
	int64_t console_mark;
	struct tp_identity seen;
	struct tp_err last; /* why nobody could log in */
};

/* ---- waiting ---- */

static void note_down(struct cycle *c)
{
	if (c->state == CYCLE_GOING_DOWN) {
		c->state = CYCLE_DOWN;
		c->down_at_ms = tp_clock_mono_ms();
	}
}

static void note_same_boot(struct cycle *c)
{
	int64_t down_ms = c->real->base.config->deadlines.down_ms;

	c->state = CYCLE_GOING_DOWN;
	c->next_look_ms = tp_clock_mono_ms() + LOOK_AT_MS;
	tp_real_disconnect(c->real);
	if (tp_clock_mono_ms() - c->start_ms >= down_ms)
		c->state = CYCLE_NEVER_DOWN;
}

static void step(struct cycle *c)
{
	const struct tp_target_config *config = c->real->base.config;
	bool answers = tp_transport_answers(config, tp_deadline_in(TP_REAL_ANSWER_MS));

	if (!answers)
		note_down(c);
	if (c->state == CYCLE_DOWN &&
	    tp_clock_mono_ms() - c->down_at_ms >= config->deadlines.up_ms) {
		c->state = CYCLE_NEVER_UP;
		return;
	}
	if (!answers || (c->state == CYCLE_GOING_DOWN && tp_clock_mono_ms() < c->next_look_ms))
		return;
	if (!tp_real_look(c->real, tp_deadline_in(config->deadlines.connect_ms), &c->seen,
			  &c->last))
		note_down(c);
	else if (strcmp(c->seen.boot_id, c->boot_id_before) == 0)
		note_same_boot(c);
	else
		c->state = CYCLE_UP;
}

static void wait_for_end(struct cycle *c)
{
	while (c->state == CYCLE_GOING_DOWN || c->state == CYCLE_DOWN) {
		step(c);
		if (c->state == CYCLE_GOING_DOWN || c->state == CYCLE_DOWN)
			tp_deadline_sleep(tp_deadline_in(POLL_MS), POLL_MS);
	}
}

static void get_back(struct cycle *c, char *detail, size_t size)
{
	struct tp_err err = {};
	size_t len = strlen(detail);
	int r;

	if (!tp_power_has(c->real->base.config)) {
		if (c->state == CYCLE_NEVER_DOWN)
			r = tp_real_do(c->real, tp_real_disarm, NULL, &err);
		else
			r = tp_err_set(&err, TP_MACHINE_E_UNREACHABLE, NULL,
				       "no power control; somebody must reset it");
	} else {
		r = tp_real_reset(c->real, c->boot_id_before, &err);
	}
	if (r)
		snprintf(detail + len, size - len, "; the machine was not brought back: %s",
			 err.text);
}

/* ---- what came up ---- */

static int do_pending(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);

	return real->boot->pending(&ctx, arg, reterr);
}

/* A one-shot that is still there was either not forgotten or never looked at. */
static int check_consumed(struct cycle *c, enum tp_boot_outcome outcome, struct tp_err *reterr)
{
	char pending[TP_BOOT_ID_MAX] = "";
	int r = tp_real_do(c->real, do_pending, pending, reterr);

	if (r || !tp_str_starts(pending, "triptych-"))
		return r;
	r = tp_real_do(c->real, tp_real_disarm, NULL, reterr);
	if (r)
		return r;
	if (outcome == TP_OUTCOME_FELL_BACK)
		return tp_err_set(reterr, TP_MACHINE_E_REFUSED, c->real->base.config->name,
				  "the bootloader ignored the one-shot entry %s: does its "
				  "configuration honour next_entry in boot.grub_dir's grubenv?",
				  pending);
	return tp_err_set(
	    reterr, TP_MACHINE_E_STICKY, c->real->base.config->name,
	    "the bootloader booted the one-shot entry %s but did not forget it; it was "
	    "removed, and this machine cannot be used safely",
	    pending);
}

static int do_settle(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	static const char script[] = "[ -d /run/systemd/system ] || exit 0\n"
				     "timeout \"$1\" systemctl is-system-running --wait\n"
				     "[ $? = 124 ] && exit 9\nexit 0";
	int64_t limit_ms = real->base.config->deadlines.settle_ms;
	char seconds[24];
	const char *args[] = {seconds, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r;

	(void)arg;
	snprintf(seconds, sizeof(seconds), "%lld", (long long)(limit_ms / 1000 + 1));
	r = tp_machine_code(tp_remote_sh(real->t, script, args, 1024,
					 tp_deadline_in(limit_ms + 5000), &out, reterr),
			    reterr);
	if (r == 0 && out.exit_code == 9)
		return tp_err_set(
		    reterr, -ETIMEDOUT, real->base.config->name,
		    "the target did not finish starting within %s s "
		    "(systemctl is-system-running --wait); raise deadlines.settle_ms or "
		    "see what hangs",
		    seconds);
	return r;
}

static int settle(struct cycle *c, struct tp_err *reterr)
{
	int64_t rest_ms = c->real->base.config->settle_ms;
	int64_t start = tp_clock_mono_ms(), spent;
	int r = tp_real_do(c->real, do_settle, NULL, reterr);

	spent = tp_clock_mono_ms() - start;
	if (r == 0 && spent < rest_ms)
		tp_deadline_sleep(tp_deadline_in(rest_ms), rest_ms - spent);
	return r;
}

static void add_console(struct cycle *c, struct tp_boot_report *report)
{
	char words[128];
	size_t len = strlen(report->detail);
	bool died;

	report->console =
	    tp_console_since(c->real->base.config, c->console_mark, c->request->token);
	died = tp_console_last_words(report->console, words, sizeof(words));
	if (words[0] && (died || report->outcome == TP_OUTCOME_NEVER_CAME_UP))
		snprintf(report->detail + len, sizeof(report->detail) - len, "; console: %s",
			 words);
}

static int report_up(struct cycle *c, struct tp_boot_report *report, struct tp_err *reterr)
{
	int64_t start;
	int r;

	report->identity = c->seen;
	report->outcome =
	    tp_identity_judge(&c->seen, c->request, report->detail, sizeof(report->detail));
	r = check_consumed(c, report->outcome, reterr);
	if (r || report->outcome != TP_OUTCOME_OK)
		return r;
	start = tp_clock_mono_ms();
	r = settle(c, reterr);
	report->settle_ms = tp_clock_mono_ms() - start;
	return r;
}

static void report_missing(struct cycle *c, struct tp_boot_report *report)
{
	const struct tp_target_deadlines *limits = &c->real->base.config->deadlines;

	if (c->state == CYCLE_NEVER_DOWN) {
		report->outcome = TP_OUTCOME_NEVER_WENT_DOWN;
		snprintf(
		    report->detail, sizeof(report->detail),
		    "the machine was told to reboot and was still in the same boot %lld s later",
		    (long long)limits->down_ms / 1000);
		return;
	}
	report->outcome = TP_OUTCOME_NEVER_CAME_UP;
	snprintf(report->detail, sizeof(report->detail),
		 "the machine went down and gave no login within %lld s%s%.200s",
		 (long long)limits->up_ms / 1000, c->last.text[0] ? ": " : "", c->last.text);
}

static int make_report(struct cycle *c, struct tp_boot_report *report, struct tp_err *reterr)
{
	int64_t up_at = tp_clock_mono_ms();
	int r = 0;

	if (c->down_at_ms == 0)
		c->down_at_ms = up_at; /* too quick to be seen, or it never went */
	report->down_ms = c->down_at_ms - c->start_ms;
	report->up_ms = up_at - c->down_at_ms;
	if (c->state == CYCLE_UP)
		r = report_up(c, report, reterr);
	else
		report_missing(c, report);
	add_console(c, report);
	if (c->state != CYCLE_UP)
		get_back(c, report->detail, sizeof(report->detail));
	return r;
}

int tp_real_boot(struct tp_machine *m, const struct tp_boot_request *request,
		 const char *boot_id_before, bool already_rebooting, struct tp_boot_report *ret,
		 struct tp_err *reterr)
{
	struct cycle c = {.real = (struct tp_real *)m,
			  .request = request,
			  .boot_id_before = boot_id_before,
			  .start_ms = tp_clock_mono_ms(),
			  .console_mark = -1};
	struct tp_boot_report report = {};
	int r = 0;

	if (!already_rebooting) {
		c.console_mark = tp_console_mark(m->config);
		tp_failpoint("target-before-reboot");
		r = tp_real_give_reboot(c.real, boot_id_before, reterr);
		tp_failpoint("target-rebooting");
		c.next_look_ms = tp_clock_mono_ms() + LOOK_AT_MS;
	}
	c.real->agent_there = false;
	if (r)
		return r;
	wait_for_end(&c);
	r = make_report(&c, &report, reterr);
	if (r) {
		tp_boot_report_deinit(&report);
		return r;
	}
	*ret = report;
	return 0;
}
