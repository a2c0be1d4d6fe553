/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FILE.state: where a run is, for someone who was not there.
 *
 *   warmup --> measured --> done
 *      |          |
 *      +----------+------> failed
 *
 * Written at phase changes only, never during measured rounds. A run that was killed leaves
 * its last phase behind; process id and start time tell that it is gone.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "util/err.h"
#include "util/macro.h"
#include "util/str.h"

enum tp_phase {
	TP_PHASE_WARMUP,
	TP_PHASE_MEASURED,
	TP_PHASE_DONE,
	TP_PHASE_FAILED,
	_TP_PHASE_MAX,
};

const char *tp_phase_name(enum tp_phase phase);

struct tp_state {
	pid_t pid;
	int64_t start_ticks; /* field 22 of /proc/PID/stat: tells a reused process id */
	enum tp_phase phase;
	char boot_id[40];
	char *line; /* the record as it was written, without its newline */
};

void tp_state_deinit(struct tp_state *state);

/*
 * Replace the state of the run of @out by @phase, for this process. @round is the number of
 * rounds completed in that phase, @reason NULL unless it failed. Falls back to overwriting in
 * place when there is no room for a second file. Returns 0 or -errno with @reterr.
 */
TP_MUST_CHECK int tp_state_write(const char *out, const char *run_id, enum tp_phase phase,
				 int64_t round, const char *reason, struct tp_err *reterr);

/* Read the state of the run of @out. -ENOENT: no run was started there. */
TP_MUST_CHECK int tp_state_read(const char *out, struct tp_state *ret, struct tp_err *reterr);

/* Whether the process of @state still runs: same boot, same start time, not a zombie. */
bool tp_state_alive(const struct tp_state *state);

/* Parse one line of a state file. Pure. Returns 0, -EINVAL, or -ENOMEM. */
TP_MUST_CHECK int tp_state_parse(const char *line, struct tp_state *ret);

/* State letter and start time out of the text of /proc/PID/stat. Pure. 0 or -EINVAL. */
TP_MUST_CHECK int tp_stat_parse(const char *text, char *ret_letter, int64_t *ret_start_ticks);
