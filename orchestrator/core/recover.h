/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a step that a dead epoch left behind means for the next one. Pure.
 */
#pragma once

#include "core/model.h"

enum tp_recovery {
	TP_RECOVER_RERUN,   /* content-addressed or pure: do it again */
	TP_RECOVER_PROBE,   /* ask the target what is true, then move the boot's state */
	TP_RECOVER_DISCARD, /* a measurement: drop the partial boot, take a new attempt */
	_TP_RECOVER_MAX,
};

enum tp_recovery tp_recover_policy(enum tp_step_kind kind);

/* What the target said when it was asked. */
struct tp_probe {
	bool reachable;
	bool boot_id_changed; /* from the boot id noted before the reboot */
	bool token_matches;   /* /proc/cmdline carries this attempt's token */
	bool installed;	      /* files of this attempt are there and hash right */
	bool armed;	      /* the bootloader's one-shot is this attempt's entry */
};

/*
 * The state that a boot attempt found in @state is moved to. Deploy, arm and boot are resumed
 * where the target proves how far it came; a boot that came up but was not yet identified is
 * identified again (PROBE); one found measuring is DISCARDED.
 */
enum tp_boot_state tp_recover_boot(enum tp_boot_state state, const struct tp_probe *probe);
