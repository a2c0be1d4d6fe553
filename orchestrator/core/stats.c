/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locations, spreads and order statistics; see stats.h. */
#include "core/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What an interval for the median promises. */
#define COVERAGE_WANTED 0.95

/* A third of the rounds must have a median that one outlier cannot move. */
#define TREND_THIRD_LEAST 3

/* Powers of two with which binomial terms are kept in range; see median_ranks. */
#define RESCALE_BITS 512
#define RESCALE	     0x1p512

bool tp_stats_usable(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(values[i]) || values[i] <= 0)
			return false;
	}
	return n >= 1;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* NULL for n = 0 and when out of memory. */
static double *sorted_copy(const double *values, size_t n)
{
	double *copy = n > 0 && n <= SIZE_MAX / sizeof(*copy) ? malloc(n * sizeof(*copy)) : NULL;

	if (!copy)
		return NULL;
	memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare_doubles);
	return copy;
}

double tp_stats_median(const double *values, size_t n)
{
	double *sorted = sorted_copy(values, n);
	double median;

	if (!sorted)
		return NAN;
	median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	free(sorted);
	return median;
}

/* Mean and sum of squared deviations in one pass, without the cancellation of sum(x^2). */
static void welford(const double *values, size_t n, double *ret_mean, double *ret_m2)
{
	double mean = 0;
	double m2 = 0;

	for (size_t i = 0; i < n; i++) {
		double delta = values[i] - mean;

		mean += delta / (double)(i + 1);
		m2 += delta * (values[i] - mean);
	}
	*ret_mean = mean;
	*ret_m2 = m2;
}

double tp_stats_mean(const double *values, size_t n)
{
	double mean, m2;

	welford(values, n, &mean, &m2);
	return n > 0 ? mean : NAN;
}

double tp_stats_sd(const double *values, size_t n)
{
	double mean, m2;

	if (n < 2)
		return n == 1 ? 0 : NAN;
	welford(values, n, &mean, &m2);
	return sqrt(m2 / (double)(n - 1));
}

double tp_stats_cv_pct(const double *values, size_t n)
{
	return 100 * tp_stats_sd(values, n) / tp_stats_mean(values, n);
}

double tp_stats_location(const double *values, size_t n, enum tp_location location)
{
	switch (location) {
	case TP_LOCATION_MEDIAN:
		return tp_stats_median(values, n);
	case TP_LOCATION_MEAN:
		return tp_stats_mean(values, n);
	case _TP_LOCATION_MAX:
		break;
	}
	return NAN;
}

/*
 * The interval from the k-th smallest to the k-th largest value misses the median when fewer than
 * k values lie on one side of it: coverage 1 - 2 P(X < k), X ~ Binomial(n, 1/2). Terms start at
 * C(n, 0) and carry a common factor 2^scale, so that neither 2^-n nor C(n, n/2) leaves a double.
 */
double tp_stats_median_ranks(size_t n, size_t *ret_low, size_t *ret_high)
{
	double scale = -(double)n;
	double term = 1; /* C(n, low - 1) */
	double sum = 1;	 /* of C(n, 0) to C(n, low - 1) */
	double coverage = 1 - 2 * pow(2, scale);
	size_t low = 1;

	while (2 * (low + 1) <= n) {
		double next;

		term *= (double)(n - low + 1) / (double)low;
		sum += term;
		if (sum > RESCALE) {
			term /= RESCALE;
			sum /= RESCALE;
			scale += RESCALE_BITS;
		}
		next = 1 - 2 * sum * pow(2, scale);
		if (next < COVERAGE_WANTED)
			break;
		coverage = next;
		low++;
	}
	*ret_low = low;
	*ret_high = n >= low ? n + 1 - low : low;
	return n < 2 ? 0 : coverage;
}

void tp_stats_median_interval(const double *values, size_t n, double *ret_low, double *ret_high)
{
	double *sorted = sorted_copy(values, n);
	size_t low, high;

	*ret_low = NAN;
	*ret_high = NAN;
	if (!sorted)
		return;
	tp_stats_median_ranks(n, &low, &high);
	*ret_low = sorted[low - 1];
	*ret_high = sorted[high - 1];
	free(sorted);
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

double tp_stats_trend_pct(const double *values, size_t n)
{
	size_t third = n / 3;

	if (third < TREND_THIRD_LEAST)
		return NAN;
	return 100 *
	       (tp_stats_median(values + n - third, third) / tp_stats_median(values, third) - 1);
}

int64_t tp_stats_quantum(const int64_t *values, size_t n)
{
	uint64_t gcd = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t a = magnitude(values[i]);

		while (a != 0) {
			uint64_t rest = gcd % a;

			gcd = a;
			a = rest;
		}
	}
	return gcd > INT64_MAX ? INT64_MAX : (int64_t)gcd;
}
