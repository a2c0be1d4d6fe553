/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locations, spreads and quanta against numbers that can be checked by hand. */
#include "core_helper.h"

#include <stdlib.h>

#include "core/stats.h"

static void median_of_few(void **state)
{
	const double odd[] = {5, 1, 4, 2, 3};
	const double even[] = {4, 1, 3, 2};

	(void)state;
	assert_same(tp_stats_median(odd, 1), 5);
	assert_same(tp_stats_median(odd, 2), 3);
	assert_same(tp_stats_median(odd, 5), 3);
	assert_same(tp_stats_median(even, 4), 2.5);
	assert_true(isnan(tp_stats_median(odd, 0)));
}

static void input_is_left_as_it_is(void **state)
{
	const double before[] = {9, 1, 5, 3, 7, 2, 8};
	double values[7];
	double low, high;

	(void)state;
	memcpy(values, before, sizeof(before));
	(void)tp_stats_median(values, 7);
	tp_stats_median_interval(values, 7, &low, &high);
	assert_memory_equal(values, before, sizeof(before));
}

/* One round that a background job hit must not move the median; it does move the mean. */
static void one_outlier_moves_only_the_mean(void **state)
{
	double values[25];

	(void)state;
	for (int i = 0; i < 25; i++)
		values[i] = 100 + i;
	assert_same(tp_stats_location(values, 25, TP_LOCATION_MEDIAN), 112);
	assert_close(tp_stats_location(values, 25, TP_LOCATION_MEAN), 112, 1e-15);
	values[24] = 1e6;
	assert_same(tp_stats_location(values, 25, TP_LOCATION_MEDIAN), 112);
	assert_true(tp_stats_location(values, 25, TP_LOCATION_MEAN) > 40000);
	assert_true(isnan(tp_stats_location(values, 25, _TP_LOCATION_MAX)));
}

/* Thirds of 9: medians 2 and 8; one outlier in a third does not make a trend. */
static void a_trend_is_seen_and_an_outlier_is_none(void **state)
{
	const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	const double falling[] = {8, 8, 8, 1, 1, 1, 2, 2, 2};
	const double level[] = {4, 4, 4, 9, 9, 9, 4, 400, 4};

	(void)state;
	assert_same(tp_stats_trend_pct(rising, 9), 300);
	assert_same(tp_stats_trend_pct(falling, 9), -75);
	assert_same(tp_stats_trend_pct(level, 9), 0);
	assert_true(isnan(tp_stats_trend_pct(rising, 8)));
	assert_true(isnan(tp_stats_trend_pct(rising, 0)));
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squared deviations 32, so s = sqrt(32 / 7). */
static void sample_deviation_divides_by_n_less_one(void **state)
{
	const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};

	(void)state;
	assert_close(tp_stats_mean(values, 8), 5, 1e-15);
	assert_close(tp_stats_sd(values, 8), sqrt(32.0 / 7), 1e-15);
	assert_close(tp_stats_cv_pct(values, 8), 20 * sqrt(32.0 / 7), 1e-15);
	assert_same(tp_stats_sd(values, 1), 0);
	assert_same(tp_stats_cv_pct(values, 1), 0);
	assert_true(isnan(tp_stats_sd(values, 0)));
	assert_true(isnan(tp_stats_mean(values, 0)));
	assert_true(isnan(tp_stats_cv_pct(values, 0)));
}

/* The sum of squares less n mean^2 would be rubbish here: it loses all of its digits. */
static void deviation_survives_a_large_offset(void **state)
{
	const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};

	(void)state;
	assert_close(tp_stats_sd(values, 4), sqrt(30), 1e-12);
	assert_close(tp_stats_mean(values, 4), 1e9 + 10, 1e-15);
}

/* Against two passes in extended precision, over lengths and scales. */
static void welford_agrees_with_two_passes(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t n = 2 + (size_t)random_below(&seed, 200);
		double scale = exp(random_between(&seed, -20, 20));
		long double sum = 0, squares = 0;
		double values[202];

		for (size_t i = 0; i < n; i++) {
			values[i] = scale * random_between(&seed, 1, 1.2);
			sum += values[i];
		}
		for (size_t i = 0; i < n; i++)
			squares += (values[i] - sum / n) * (values[i] - sum / n);
		assert_close(tp_stats_mean(values, n), (double)(sum / n), 1e-14);
		assert_close(tp_stats_sd(values, n), (double)sqrtl(squares / (n - 1)), 1e-11);
	}
}

static void shuffle(double *values, size_t n, uint64_t *seed)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = (size_t)random_below(seed, (int)i + 1);
		double swap = values[i];

		values[i] = values[k];
		values[k] = swap;
	}
}

static void order_of_rounds_does_not_matter(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t n = 1 + (size_t)random_below(&seed, 60);
		double values[60], low, high, low2, high2, median, sd;

		for (size_t i = 0; i < n; i++)
			values[i] = random_between(&seed, 1, 2);
		median = tp_stats_median(values, n);
		sd = tp_stats_sd(values, n);
		tp_stats_median_interval(values, n, &low, &high);
		shuffle(values, n, &seed);
		tp_stats_median_interval(values, n, &low2, &high2);
		assert_same(tp_stats_median(values, n), median);
		assert_close(tp_stats_sd(values, n), sd, 1e-12);
		assert_same(low2, low);
		assert_same(high2, high);
		assert_true(low <= median && median <= high);
	}
}

static void a_scale_scales_everything_but_the_cv(void **state)
{
	uint64_t seed = 8;

	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t n = 2 + (size_t)random_below(&seed, 40);
		double scale = exp(random_between(&seed, -30, 30));
		double one[42], other[42];

		for (size_t i = 0; i < n; i++) {
			one[i] = random_between(&seed, 1, 2);
			other[i] = one[i] * scale;
		}
		assert_close(tp_stats_median(other, n), tp_stats_median(one, n) * scale, 1e-14);
		assert_close(tp_stats_mean(other, n), tp_stats_mean(one, n) * scale, 1e-13);
		assert_close(tp_stats_sd(other, n), tp_stats_sd(one, n) * scale, 1e-11);
		assert_close(tp_stats_cv_pct(other, n), tp_stats_cv_pct(one, n), 1e-11);
	}
}

static void unusable_values_are_known(void **state)
{
	const double bad[] = {NAN, INFINITY, -INFINITY, 0, -0.0, -1, -1e-300};
	double values[3] = {1, 5e-324, 1.7e308};

	(void)state;
	assert_true(tp_stats_usable(values, 3));
	assert_false(tp_stats_usable(values, 0));
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++) {
		for (size_t k = 0; k < 3; k++) {
			double copy[3] = {1, 2, 3};

			copy[k] = bad[i];
			assert_false(tp_stats_usable(copy, 3));
		}
	}
}

static void quantum_is_the_common_step(void **state)
{
	const int64_t step[] = {9600, 19200, 48000, 9600 * 7};
	const int64_t coprime[] = {1000003, 999983};
	const int64_t with_zero[] = {0, 12, 0, 18};
	const int64_t negative[] = {-12, 18, INT64_MIN};
	const int64_t huge[] = {INT64_MIN, INT64_MIN};

	(void)state;
	assert_int_equal(tp_stats_quantum(step, 4), 9600);
	assert_int_equal(tp_stats_quantum(coprime, 2), 1);
	assert_int_equal(tp_stats_quantum(with_zero, 4), 6);
	assert_int_equal(tp_stats_quantum(with_zero, 1), 0);
	assert_int_equal(tp_stats_quantum(NULL, 0), 0);
	assert_int_equal(tp_stats_quantum(negative, 2), 6);
	assert_int_equal(tp_stats_quantum(negative, 3), 2);
	assert_true(tp_stats_quantum(huge, 2) == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(median_of_few),
	    cmocka_unit_test(input_is_left_as_it_is),
	    cmocka_unit_test(one_outlier_moves_only_the_mean),
	    cmocka_unit_test(a_trend_is_seen_and_an_outlier_is_none),
	    cmocka_unit_test(sample_deviation_divides_by_n_less_one),
	    cmocka_unit_test(deviation_survives_a_large_offset),
	    cmocka_unit_test(welford_agrees_with_two_passes),
	    cmocka_unit_test(order_of_rounds_does_not_matter),
	    cmocka_unit_test(a_scale_scales_everything_but_the_cv),
	    cmocka_unit_test(unusable_values_are_known),
	    cmocka_unit_test(quantum_is_the_common_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
