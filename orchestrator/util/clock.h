/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time: monotonic readings, wall-clock stamps and deadlines.
 *
 * A deadline is a point on the monotonic clock; every call that can wait takes one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tp_deadline {
	int64_t at_ms; /* CLOCK_MONOTONIC, milliseconds */
};

/* CLOCK_MONOTONIC in nanoseconds and in milliseconds. */
int64_t tp_clock_mono_ns(void);
int64_t tp_clock_mono_ms(void);

/* CLOCK_REALTIME in milliseconds since 1970. */
int64_t tp_clock_wall_ms(void);

/* The deadline @timeout_ms from now; a sum that does not fit means "never". */
struct tp_deadline tp_deadline_in(int64_t timeout_ms);

/* The earlier of @a and now + @timeout_ms. */
struct tp_deadline tp_deadline_min(struct tp_deadline a, int64_t timeout_ms);

/* Milliseconds left, never below 0; fits poll()'s argument. */
int tp_deadline_left_ms(struct tp_deadline deadline);

bool tp_deadline_passed(struct tp_deadline deadline);

/* Sleep @ms or until @deadline, whichever is sooner. Returns false when the deadline has passed. */
bool tp_deadline_sleep(struct tp_deadline deadline, int64_t ms);
