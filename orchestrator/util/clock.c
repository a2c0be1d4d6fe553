/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time and deadlines; see clock.h. */
#include "util/clock.h"

#include <errno.h>
#include <limits.h>
#include <time.h>

static int64_t read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t tp_clock_mono_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

int64_t tp_clock_mono_ms(void)
{
	return tp_clock_mono_ns() / 1000000;
}

int64_t tp_clock_wall_ms(void)
{
	return read_ns(CLOCK_REALTIME) / 1000000;
}

struct tp_deadline tp_deadline_in(int64_t timeout_ms)
{
	struct tp_deadline deadline;

	if (__builtin_add_overflow(tp_clock_mono_ms(), timeout_ms, &deadline.at_ms))
		deadline.at_ms = INT64_MAX;
	return deadline;
}

struct tp_deadline tp_deadline_min(struct tp_deadline a, int64_t timeout_ms)
{
	struct tp_deadline b = tp_deadline_in(timeout_ms);

	return a.at_ms < b.at_ms ? a : b;
}

int tp_deadline_left_ms(struct tp_deadline deadline)
{
	int64_t left = deadline.at_ms - tp_clock_mono_ms();

	if (left < 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

bool tp_deadline_passed(struct tp_deadline deadline)
{
	return tp_clock_mono_ms() >= deadline.at_ms;
}

bool tp_deadline_sleep(struct tp_deadline deadline, int64_t ms)
{
	int64_t left = tp_deadline_left_ms(deadline);
	int64_t want = ms > 0 ? ms : 0;
	int64_t nap = want < left ? want : left;
	struct timespec ts = {.tv_sec = nap / 1000, .tv_nsec = (nap % 1000) * 1000000};

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
	return !tp_deadline_passed(deadline);
}
