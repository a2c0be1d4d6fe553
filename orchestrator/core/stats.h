/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locations, spreads and order statistics of one boot's rounds; formulas of docs/measurement.md.
 *
 * Pure and in doubles; nothing is rounded. Values must be finite: check with tp_stats_usable()
 * first. No function changes its input; NAN stands for "no values" (and, for the median and
 * its interval, which sort a copy, for "no memory").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/protocol.h"

/* All finite and > 0, and n >= 1. */
bool tp_stats_usable(const double *values, size_t n);

/* Median: mean of the middle two for even n. */
double tp_stats_median(const double *values, size_t n);

/* Arithmetic mean by Welford's recurrence. */
double tp_stats_mean(const double *values, size_t n);

/* Sample standard deviation (n - 1), Welford; 0 for n = 1. */
double tp_stats_sd(const double *values, size_t n);

/* 100 s / mean. */
double tp_stats_cv_pct(const double *values, size_t n);

double tp_stats_location(const double *values, size_t n, enum tp_location location);

/*
 * Ranks (1-based, symmetric) of the narrowest pair of order statistics that bounds the median
 * with at least 95 % confidence, from the binomial distribution: n = 25 gives 8..18, n = 15
 * gives 4..12. Returns the exact coverage (0..1). n < 6 has no such interval: ranks 1..n and
 * what they cover; n = 0 gives 1..1 and 0.
 */
double tp_stats_median_ranks(size_t n, size_t *ret_low, size_t *ret_high);

/* The values at those ranks. */
void tp_stats_median_interval(const double *values, size_t n, double *ret_low, double *ret_high);

/*
 * How far the rounds, in their order, rise (above 0) or fall: 100 (last / first - 1), medians of
 * the last and of the first third. NAN below 9 values, or without memory.
 */
double tp_stats_trend_pct(const double *values, size_t n);

/*
 * The step in which raw integer values were counted, as far as they show it: their greatest
 * common divisor. 0 when there is no value but 0.
 */
int64_t tp_stats_quantum(const int64_t *values, size_t n);
