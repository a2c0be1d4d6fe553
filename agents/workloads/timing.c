/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of timed regions; see timing.h. */
#include "workloads/timing.h"

#define STEP_PROBES 64
#define STEP_SPINS  100000000

int64_t tp_timing_step_ns(void)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < STEP_PROBES; i++) {
		int64_t start = tp_timing_ns();
		int64_t now = start;

		/* Bounded: a clock that stands still must not hang the agent. */
		for (int spin = 0; now == start && spin < STEP_SPINS; spin++)
			now = tp_timing_ns();
		if (now > start && now - start < best)
			best = now - start;
	}
	return best == INT64_MAX ? 0 : best;
}
