/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of timed regions.
 *
 * CLOCK_MONOTONIC_RAW: no NTP slewing inside a region, and still read through the vDSO. Under
 * an instruction-counting machine both monotonic clocks follow the counted instructions.
 */
#pragma once

#include <stdint.h>
#include <time.h>

#define TP_TIMING_CLOCK_NAME "CLOCK_MONOTONIC_RAW"

static inline int64_t tp_timing_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The smallest step the clock was seen to take, in ns: the quantum of every elapsed_ns. */
int64_t tp_timing_step_ns(void);
