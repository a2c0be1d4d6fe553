/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locations, spreads and order statistics; see stats.h. */
#include "core/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static double *sorted_copy(const double *values, size_t n)
{
	double *copy = malloc((n ? n : 1) * sizeof(*copy));

	if (!copy)
		return NULL;
	memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare_doubles);
	return copy;
}

double tp_stats_median(const double *values, size_t n)
{
	double *sorted = n > 0 ? sorted_copy(values, n) : NULL;
	double median;

	if (!sorted)
		return NAN;
	median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	free(sorted);
	return median;
}

/* Welford's recurrence: mean and sum of squared deviations in one pass. */
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

/* P(X <= k) for X ~ Binomial(n, 1/2), through log-gamma so that large n does not overflow. */
static double binomial_half_cdf(size_t k, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i <= k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
			   lgamma((double)(n - i) + 1) - (double)n * M_LN2);
	return sum;
}

/* Coverage of [x_(low), x_(n+1-low)]: 1 - 2 P(X <= low - 1). */
double tp_stats_median_ranks(size_t n, size_t *ret_low, size_t *ret_high)
{
	size_t low = 1;
	double tail = binomial_half_cdf(0, n);
	double next = tail;

	for (size_t rank = 2; 2 * rank <= n; rank++) {
		next += exp(lgamma((double)n + 1) - lgamma((double)rank) -
			    lgamma((double)(n - rank + 1) + 1) - (double)n * M_LN2);
		if (1 - 2 * next < 0.95)
			break;
		low = rank;
		tail = next;
	}
	*ret_low = low;
	*ret_high = n + 1 - low;
	return n < 2 ? 0 : 1 - 2 * tail;
}

void tp_stats_median_interval(const double *values, size_t n, double *ret_low, double *ret_high)
{
	double *sorted = n > 0 ? sorted_copy(values, n) : NULL;
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

int64_t tp_stats_quantum(const int64_t *values, size_t n)
{
	int64_t gcd = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t a = values[i] < 0 ? -values[i] : values[i];

		while (a != 0) {
			int64_t rest = gcd % a;

			gcd = a;
			a = rest;
		}
	}
	return gcd;
}
