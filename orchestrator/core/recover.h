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

/* DISCARD for a kind that is none: the one policy that believes nothing. */
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
 * The state that a boot attempt found in @state goes on in: the same one, or DISCARDED.
 *
 *   planned                 stays: installing again does no harm
 *   installed               stays where its files are there and whole
 *   armed                   stays where files and one-shot are there and nothing rebooted since
 *   rebooting, identified   stays where a new boot carries this attempt's token; the plan then
 *                           has a rebooting one identified, without a second reboot
 *   measuring               is discarded, always: half a boot is no boot
 *   complete, failed, discarded   are final
 *
 * A target that does not answer proves nothing.
 */
enum tp_boot_state tp_recover_boot(enum tp_boot_state state, const struct tp_probe *probe);
