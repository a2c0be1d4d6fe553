/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points at which a test may kill this process: before and after every write and every act.
 *
 * Compiled in with -Dfailpoints=true only. TRIPTYCH_KILL_AT=N kills the process with SIGKILL
 * at the N-th point it passes; TRIPTYCH_KILL_LOG=FILE appends each point's name instead.
 */
#pragma once

#ifdef TP_FAILPOINTS
void tp_failpoint(const char *name);
#else
static inline void tp_failpoint(const char *name)
{
	(void)name;
}
#endif
