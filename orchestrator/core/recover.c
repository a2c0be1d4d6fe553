/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a step that a dead epoch left behind means for the next one; see recover.h. */
#include "core/recover.h"

enum tp_recovery tp_recover_policy(enum tp_step_kind kind)
{
	switch (kind) {
	case TP_STEP_BUILD:
	case TP_STEP_JUDGE:
	case TP_STEP_CLEAN:
		return TP_RECOVER_RERUN;
	case TP_STEP_DEPLOY:
	case TP_STEP_ARM:
	case TP_STEP_BOOT:
		return TP_RECOVER_PROBE;
	case TP_STEP_MEASURE:
	case _TP_STEP_KIND_MAX:
		break;
	}
	return TP_RECOVER_DISCARD;
}

/* How far did it come? Anything that the target does not prove is not so. */
static bool is_proved(enum tp_boot_state state, const struct tp_probe *probe)
{
	if (!probe->reachable)
		return false;
	switch (state) {
	case TP_BOOT_INSTALLED:
		return probe->installed;
	case TP_BOOT_ARMED:
		/* A machine that rebooted behind our back has used the one-shot up. */
		return probe->installed && probe->armed && !probe->boot_id_changed;
	case TP_BOOT_REBOOTING:
	case TP_BOOT_IDENTIFIED:
		return probe->boot_id_changed && probe->token_matches;
	case TP_BOOT_PLANNED:
	case TP_BOOT_MEASURING:
	case TP_BOOT_COMPLETE:
	case TP_BOOT_FAILED:
	case TP_BOOT_DISCARDED:
	case _TP_BOOT_STATE_MAX:
		break;
	}
	return false;
}

enum tp_boot_state tp_recover_boot(enum tp_boot_state state, const struct tp_probe *probe)
{
	switch (state) {
	case TP_BOOT_INSTALLED:
	case TP_BOOT_ARMED:
	case TP_BOOT_REBOOTING:
	case TP_BOOT_IDENTIFIED:
		return is_proved(state, probe) ? state : TP_BOOT_DISCARDED;
	case TP_BOOT_MEASURING:
		return TP_BOOT_DISCARDED;
	case TP_BOOT_PLANNED: /* installing again is harmless: verified by hash */
	case TP_BOOT_COMPLETE:
	case TP_BOOT_FAILED:
	case TP_BOOT_DISCARDED:
	case _TP_BOOT_STATE_MAX:
		break;
	}
	return state;
}
