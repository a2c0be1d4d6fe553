/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deadlines: never negative, never overflowing, and a sleep ends at the sooner of two. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <limits.h>

#include "util/clock.h"

static void readings(void **state)
{
	int64_t a = tp_clock_mono_ns();
	int64_t b = tp_clock_mono_ns();

	(void)state;
	assert_true(b >= a);
	assert_true(tp_clock_mono_ms() - a / 1000000 < 1000);
	assert_true(tp_clock_wall_ms() > INT64_C(1500000000000)); /* July 2017 */
}

static void passes(void **state)
{
	struct tp_deadline past = tp_deadline_in(-5);
	struct tp_deadline future = tp_deadline_in(60000);

	(void)state;
	assert_true(tp_deadline_passed(past));
	assert_int_equal(tp_deadline_left_ms(past), 0);
	assert_true(tp_deadline_passed((struct tp_deadline){}));
	assert_false(tp_deadline_passed(future));
	assert_in_range(tp_deadline_left_ms(future), 50000, 60000);
}

static void extremes(void **state)
{
	struct tp_deadline never = tp_deadline_in(INT64_MAX);

	(void)state;
	assert_false(tp_deadline_passed(never));
	assert_int_equal(tp_deadline_left_ms(never), INT_MAX);
	assert_true(tp_deadline_passed(tp_deadline_in(INT64_MIN)));
}

static void the_earlier_one(void **state)
{
	struct tp_deadline soon = tp_deadline_in(1000);

	(void)state;
	assert_true(tp_deadline_min(soon, 60000).at_ms == soon.at_ms);
	assert_true(tp_deadline_min(soon, 1).at_ms < soon.at_ms);
}

static void sleeps(void **state)
{
	int64_t start = tp_clock_mono_ms();

	(void)state;
	assert_true(tp_deadline_sleep(tp_deadline_in(60000), 20));
	assert_true(tp_clock_mono_ms() - start >= 20);
	assert_false(tp_deadline_sleep(tp_deadline_in(20), 60000));
	assert_false(tp_deadline_sleep(tp_deadline_in(-1), 60000));
	assert_true(tp_deadline_sleep(tp_deadline_in(60000), -1));
	assert_true(tp_clock_mono_ms() - start < 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(readings),	       cmocka_unit_test(passes), cmocka_unit_test(extremes),
	    cmocka_unit_test(the_earlier_one), cmocka_unit_test(sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
