/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power control of a target, driven by its configuration alone: the machine may be off. Blocks
 * up to deadlines.power_ms. Entry point for others: tp_power_act() in machine.h.
 */
#pragma once

#include <stdbool.h>
#include "config/target.h"
#include "util/clock.h"
#include "util/err.h"

enum tp_power_action {
	TP_POWER_ON,
	TP_POWER_OFF,
	TP_POWER_RESET,
	TP_POWER_STATUS,
	_TP_POWER_MAX,
};

struct tp_power_ops {
	const char *kind;
	/* @ret_on: is it on afterwards? */
	int (*act)(const struct tp_target_config *config, enum tp_power_action action,
		   struct tp_deadline deadline, bool *ret_on, struct tp_err *reterr);
};

extern const struct tp_power_ops tp_power_qmp;
extern const struct tp_power_ops tp_power_exec;
extern const struct tp_power_ops tp_power_fake;

/* Is there power control at all? */
bool tp_power_has(const struct tp_target_config *config);
