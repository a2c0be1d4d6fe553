/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated reboot: at once, but with everything that can become of one. */
#include <stdio.h>
#include <string.h>

#include "target/fake.h"
#include "target/identity.h"
#include "util/failpoint.h"
#include "util/str.h"

void tp_fake_disarm(struct tp_fake_state *s)
{
	s->armed_token[0] = '\0';
	s->armed_image[0] = '\0';
}

/* What the bootloader does: the one-shot once, else the permanent default. */
static void boot_armed(struct tp_fake_state *s, const struct tp_boot_request *q)
{
	const struct tp_fake_kernel *k = s->armed_token[0] ? tp_fake_find(s, s->armed_image) : NULL;

	if (!k) {
		tp_fake_boot_rescue(s);
	} else {
		tp_fake_new_boot_id(s);
		s->speed = k->speed;
		snprintf(s->token, sizeof(s->token), "%s", s->armed_token);
		snprintf(s->release, sizeof(s->release), "%s", q->release);
		snprintf(s->build_id, sizeof(s->build_id), "%s", q->build_id);
	}
	tp_fake_disarm(s);
}

/* Returns false when nothing came up. */
static bool reboot(struct tp_fake_state *s, const struct tp_boot_request *q, const char *fault)
{
	if (strcmp(fault, "never_went_down") == 0) {
		tp_fake_disarm(s);
		return false;
	}
	if (strcmp(fault, "fell_back") == 0 || strcmp(fault, "never_came_up") == 0)
		tp_fake_disarm(s);
	boot_armed(s, q);
	if (strcmp(fault, "new_microcode") == 0)
		s->microcode++;
	if (strcmp(fault, "wrong_kernel") == 0)
		memset(s->build_id, 'f', strlen(s->build_id));
	return strcmp(fault, "never_came_up") != 0;
}

static void report_up(const struct tp_fake_state *s, const struct tp_boot_request *q,
		      struct tp_boot_report *report)
{
	tp_fake_identity(s, &report->identity);
	report->outcome =
	    tp_identity_judge(&report->identity, q, report->detail, sizeof(report->detail));
}

static void report_missing(const char *fault, struct tp_boot_report *report)
{
	bool down = strcmp(fault, "never_came_up") == 0;

	report->outcome = down ? TP_OUTCOME_NEVER_CAME_UP : TP_OUTCOME_NEVER_WENT_DOWN;
	snprintf(report->detail, sizeof(report->detail), "the simulated machine %s",
		 down ? "went down and gave no login"
		      : "was told to reboot and was still in the same boot");
}

/* The predecessor gave the order: all that is left is to look. */
static int look_again(struct tp_machine *m, const struct tp_boot_request *q, const char *before,
		      struct tp_boot_report *report, struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r)
		return r;
	if (strcmp(state.boot_id, before) == 0) {
		report_missing("never_went_down", report);
		tp_fake_disarm(&state);
		return tp_fake_put(m, &state, reterr);
	}
	report_up(&state, q, report);
	return 0;
}

static int give_reboot(struct tp_machine *m, const struct tp_boot_request *q, const char *before,
		       struct tp_boot_report *report, struct tp_err *reterr)
{
	struct tp_fake_state state;
	char fault[32];
	bool up;
	int r = tp_fake_reach(m, &state, reterr);

	if (r)
		return r;
	if (strcmp(state.boot_id, before) != 0) { /* it is another boot already */
		report_up(&state, q, report);
		return 0;
	}
	state.boots++;
	tp_fake_fault(((struct tp_fake *)m)->dir, "boot", state.boots, fault, sizeof(fault));
	up = reboot(&state, q, fault);
	tp_failpoint("target-before-reboot");
	r = tp_fake_put(m, &state, reterr);
	tp_failpoint("target-rebooting");
	if (r < 0)
		return r;
	if (strcmp(fault, "lost") == 0)
		return tp_err_set(reterr, TP_MACHINE_E_LOST, m->config->name,
				  "the connection to the simulated machine was cut");
	if (up)
		report_up(&state, q, report);
	else
		report_missing(fault, report);
	return 0;
}

int tp_fake_boot(struct tp_machine *m, const struct tp_boot_request *q, const char *before,
		 bool already_rebooting, struct tp_boot_report *ret, struct tp_err *reterr)
{
	struct tp_boot_report report = {};
	int r = already_rebooting ? look_again(m, q, before, &report, reterr)
				  : give_reboot(m, q, before, &report, reterr);

	if (r)
		return r;
	report.console = tp_strf("simulated console: boot of %s\n%s\n", q->release, report.detail);
	*ret = report;
	return 0;
}
