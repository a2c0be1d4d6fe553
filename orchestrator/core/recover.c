/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a step that a dead epoch left behind means for the next one; see recover.h. */
#include "core/recover.h"

static const enum tp_recovery policies[] = {
    [TP_STEP_BUILD] = TP_RECOVER_RERUN,	    [TP_STEP_DEPLOY] = TP_RECOVER_PROBE,
    [TP_STEP_ARM] = TP_RECOVER_PROBE,	    [TP_STEP_BOOT] = TP_RECOVER_PROBE,
    [TP_STEP_MEASURE] = TP_RECOVER_DISCARD, [TP_STEP_JUDGE] = TP_RECOVER_RERUN,
    [TP_STEP_CLEAN] = TP_RECOVER_RERUN,
};
static_assert(TP_ARRAY_SIZE(policies) == _TP_STEP_KIND_MAX);

enum tp_recovery tp_recover_policy(enum tp_step_kind kind)
{
	return policies[kind];
}

enum tp_boot_state tp_recover_boot(enum tp_boot_state state, const struct tp_probe *probe)
{
	switch (state) {
	case TP_BOOT_PLANNED:
		return TP_BOOT_PLANNED; /* installing again is harmless: verified by hash */
	case TP_BOOT_INSTALLED:
		return probe->reachable && probe->installed ? state : TP_BOOT_DISCARDED;
	case TP_BOOT_ARMED:
		/* A machine that rebooted behind our back has used the one-shot up. */
		return probe->reachable && probe->installed && probe->armed &&
			       !probe->boot_id_changed
			   ? state
			   : TP_BOOT_DISCARDED;
	case TP_BOOT_REBOOTING:
	case TP_BOOT_IDENTIFIED:
		return probe->reachable && probe->boot_id_changed && probe->token_matches
			   ? state
			   : TP_BOOT_DISCARDED;
	case TP_BOOT_MEASURING:
		return TP_BOOT_DISCARDED;
	case TP_BOOT_COMPLETE:
	case TP_BOOT_FAILED:
	case TP_BOOT_DISCARDED:
	case _TP_BOOT_STATE_MAX:
		break;
	}
	return state;
}
