/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The median's interval: ranks and coverage from exact arithmetic, and what sampling finds. */
#include "core_helper.h"

#include <math.h>

#include "core/stats.h"

/* From exact binomial sums in integers and fractions. */
static const struct {
	size_t n, low, high;
	double coverage;
} exact[] = {
    {1, 1, 1, 0},
    {2, 1, 2, 0.5},
    {5, 1, 5, 0.9375},
    {6, 1, 6, 0.96875},
    {8, 1, 8, 0.9921875},
    {9, 2, 8, 0.9609375},
    {11, 2, 10, 0.98828125},
    {12, 3, 10, 0.96142578125},
    {15, 4, 12, 0.96484375},
    {17, 5, 13, 0.950958251953125},
    {25, 8, 18, 0.9567147493362427},
    {40, 14, 27, 0.9615226917157997},
    {51, 19, 33, 0.9511261076817297},
    {100, 40, 61, 0.9647997997822951},
    {201, 87, 115, 0.951998533946168},
    {500, 228, 273, 0.9559365304210726},
    {1000, 469, 532, 0.9537088026395019},
    {1500, 712, 789, 0.9532389202177056},
};

static void ranks_are_exact(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(exact); i++) {
		size_t low, high;
		double coverage = tp_stats_median_ranks(exact[i].n, &low, &high);

		if (low != exact[i].low || high != exact[i].high)
			fail_msg("n = %zu: ranks %zu..%zu, not %zu..%zu", exact[i].n, low, high,
				 exact[i].low, exact[i].high);
		assert_close(coverage, exact[i].coverage, 1e-12);
	}
}

/* The two that the published protocol names. */
static void ranks_of_the_published_protocol(void **state)
{
	size_t low, high;
	char text[16];

	(void)state;
	snprintf(text, sizeof(text), "%.1f", 100 * tp_stats_median_ranks(25, &low, &high));
	assert_string_equal(text, "95.7");
	assert_int_equal(low, 8);
	assert_int_equal(high, 18);
	snprintf(text, sizeof(text), "%.1f", 100 * tp_stats_median_ranks(15, &low, &high));
	assert_string_equal(text, "96.5");
	assert_int_equal(low, 4);
	assert_int_equal(high, 12);
}

static void ranks_of_any_length_are_sane(void **state)
{
	size_t last_low = 1;

	(void)state;
	for (size_t n = 1; n < 3000; n++) {
		size_t low, high;
		double coverage = tp_stats_median_ranks(n, &low, &high);

		assert_int_equal(low + high, n + 1);
		assert_in_range(low, last_low, last_low + 1);
		assert_true(coverage >= (n < 6 ? 0 : 0.95) && coverage < 1);
		last_low = low;
	}
}

/* 100 000 rounds: the normal approximation n/2 - 1.96 sqrt(n)/2 is good to a rank or two. */
static void ranks_of_many_rounds(void **state)
{
	size_t low, high;
	double coverage = tp_stats_median_ranks(100000, &low, &high);

	(void)state;
	assert_in_range(low, 49688, 49692);
	assert_int_equal(low + high, 100001);
	assert_true(coverage >= 0.95 && coverage < 0.9515);
}

static void nothing_has_no_interval(void **state)
{
	size_t low, high;
	double lower, upper;

	(void)state;
	assert_same(tp_stats_median_ranks(0, &low, &high), 0);
	assert_int_equal(low, 1);
	assert_int_equal(high, 1);
	tp_stats_median_interval(NULL, 0, &lower, &upper);
	assert_true(isnan(lower) && isnan(upper));
}

static void interval_is_the_values_at_the_ranks(void **state)
{
	double values[25];
	double low, high;

	(void)state;
	for (int i = 0; i < 25; i++)
		values[i] = (i * 7) % 25 + 1; /* 1..25, shuffled */
	tp_stats_median_interval(values, 25, &low, &high);
	assert_same(low, 8);
	assert_same(high, 18);
}

/* Skewed values, 20 000 samples: the true median is inside as often as promised (SE 0.14 %). */
static void interval_covers_as_promised(void **state)
{
	uint64_t seed = 95;
	int inside = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		double values[25], low, high;

		for (int i = 0; i < 25; i++)
			values[i] = 1 - log1p(-random_between(&seed, 0, 1));
		tp_stats_median_interval(values, 25, &low, &high);
		inside += low <= 1 + M_LN2 && 1 + M_LN2 <= high;
	}
	assert_in_range(inside, 19134 - 140, 19134 + 140);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ranks_are_exact),
	    cmocka_unit_test(ranks_of_the_published_protocol),
	    cmocka_unit_test(ranks_of_any_length_are_sane),
	    cmocka_unit_test(ranks_of_many_rounds),
	    cmocka_unit_test(nothing_has_no_interval),
	    cmocka_unit_test(interval_is_the_values_at_the_ranks),
	    cmocka_unit_test(interval_covers_as_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
