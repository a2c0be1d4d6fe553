/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locations, spreads, ranks: known values, and properties over seeded random data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/stats.h"

static uint64_t seed = 20250117;

/* splitmix64: the same numbers on every machine. */
static double uniform(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static void test_known_values(void **state)
{
	const double odd[] = {5, 1, 3};
	const double even[] = {4, 1, 3, 2};

	(void)state;
	assert_true(tp_stats_median(odd, 3) == 3);
	assert_true(tp_stats_median(even, 4) == 2.5);
	assert_true(tp_stats_mean(even, 4) == 2.5);
	assert_true(fabs(tp_stats_sd(even, 4) - 1.2909944487358056) < 1e-15);
	assert_true(fabs(tp_stats_cv_pct(even, 4) - 51.63977794943222) < 1e-12);
	assert_true(odd[0] == 5 && even[0] == 4); /* inputs are left as they are */
	assert_true(tp_stats_sd(odd, 1) == 0);
	assert_true(isnan(tp_stats_median(odd, 0)));
}

static void test_median_ranks(void **state)
{
	size_t low, high;

	(void)state;
	assert_true(fabs(tp_stats_median_ranks(25, &low, &high) - 0.957) < 0.0005);
	assert_int_equal(low, 8);
	assert_int_equal(high, 18);
	assert_true(fabs(tp_stats_median_ranks(15, &low, &high) - 0.965) < 0.0005);
	assert_int_equal(low, 4);
	assert_int_equal(high, 12);
	assert_true(tp_stats_median_ranks(5, &low, &high) < 0.95);
	assert_int_equal(low, 1);
	assert_int_equal(high, 5);
	assert_true(tp_stats_median_ranks(100000, &low, &high) >= 0.95);
	assert_true(low > 49000 && high < 51000);
}

static void test_large_offset_keeps_spread(void **state)
{
	double values[1000];

	(void)state;
	for (int i = 0; i < 1000; i++)
		values[i] = 1e12 + (i % 2);
	assert_true(fabs(tp_stats_sd(values, 1000) - 0.50025) < 1e-4);
}

static void test_permutation_and_scale(void **state)
{
	(void)state;
	for (int trial = 0; trial < 200; trial++) {
		size_t n = 1 + (size_t)(uniform() * 60);
		double a[64], b[64], scaled[64];

		for (size_t i = 0; i < n; i++)
			a[i] = b[i] = 1 + uniform();
		for (size_t i = n - 1; i > 0; i--) {
			size_t j = (size_t)(uniform() * (double)(i + 1));
			double keep = b[i];

			b[i] = b[j];
			b[j] = keep;
		}
		for (size_t i = 0; i < n; i++)
			scaled[i] = 1024 * a[i];
		assert_true(tp_stats_median(a, n) == tp_stats_median(b, n));
		assert_true(tp_stats_median(scaled, n) == 1024 * tp_stats_median(a, n));
		assert_true(fabs(tp_stats_mean(a, n) - tp_stats_mean(b, n)) < 1e-13);
		assert_true(fabs(tp_stats_cv_pct(scaled, n) - tp_stats_cv_pct(a, n)) < 1e-9);
	}
}

static void test_usable(void **state)
{
	const double bad[] = {1, NAN, 0, -1, INFINITY};

	(void)state;
	assert_true(tp_stats_usable(bad, 1));
	assert_false(tp_stats_usable(bad, 0));
	for (int i = 1; i < 5; i++)
		assert_false(tp_stats_usable(&bad[i], 1));
}

static void test_quantum(void **state)
{
	const int64_t coarse[] = {4100000, 4200000, 4500000};
	const int64_t fine[] = {4100003, 4200000, 4500000};

	(void)state;
	assert_int_equal(tp_stats_quantum(coarse, 3), 100000);
	assert_int_equal(tp_stats_quantum(fine, 3), 1);
	assert_int_equal(tp_stats_quantum(fine, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known_values),
	    cmocka_unit_test(test_median_ranks),
	    cmocka_unit_test(test_permutation_and_scale),
	    cmocka_unit_test(test_large_offset_keeps_spread),
	    cmocka_unit_test(test_usable),
	    cmocka_unit_test(test_quantum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
