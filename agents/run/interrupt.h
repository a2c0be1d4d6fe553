/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may end a run early: a signal, or its deadline.
 *
 * Both are looked at between rounds. When a round does not come back within the grace time
 * after the deadline, the process ends itself: its state then tells where it hung.
 */
#pragma once

#include <stdint.h>

#define TP_INTERRUPT_GRACE_MS  10000
#define TP_INTERRUPT_EXIT_HUNG 3 /* exit code of a process that ended itself so */

/*
 * Watch for SIGTERM, SIGINT and the deadline, @deadline_ms from now; 0 means none. SIGHUP and
 * SIGPIPE are ignored: losing the connection does not end a run.
 */
void tp_interrupt_watch(int64_t deadline_ms);

/* Stop the deadline's clock. */
void tp_interrupt_unwatch(void);

/* A sentence when the run has to end, NULL otherwise. */
const char *tp_interrupt_reason(void);
