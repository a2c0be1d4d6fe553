/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run that outlives the connection which started it.
 *
 * The child measures in a session of its own, with no descriptor of ours but one pipe; the
 * foreground process waits for the end of the warm-up rounds, says so, and leaves.
 */
#pragma once

#include <sys/types.h>
#include "run/run.h"

/*
 * Print the progress records of @run on standard output until it is warmed up. In the child
 * this does not return. Returns 0, or -errno with the run's own sentence in @reterr.
 */
TP_MUST_CHECK int tp_detach_run(struct tp_run *run, struct tp_result *result,
				struct tp_err *reterr);

/* The two progress records, on standard output; a failing write is of no interest. */
void tp_progress_started(const struct tp_run *run, pid_t pid);
void tp_progress_warmed(struct tp_run *run);
