/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an observer can say about a run: its state, whether it lives, how far its file got. */
#pragma once

#include "run/state.h"
#include "util/str.h"

/*
 * Append the state record of @state to @out with two facts more: "alive", and "complete" when
 * FILE has its final name. While the run is in a phase of rounds, its "round" becomes the last
 * one of that phase that was recorded: a run that died did so in the round after it.
 */
void tp_look_record(struct tp_str *out, const char *path, const struct tp_state *state);

/*
 * Phase and number of the last round record in @text, the tail of a result file. Pure.
 * Returns 0, or -ENOENT when there is none.
 */
TP_MUST_CHECK int tp_look_last_round(const char *text, char ret_phase[static 16],
				     long long *ret_round);
