/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of core share: seeded numbers, comparisons of doubles, metrics, boots. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/classify.h"

/* splitmix64: the same numbers on every machine, so that a failure can be repeated. */
static inline uint64_t next_random(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* In [low, high). */
static inline double random_between(uint64_t *seed, double low, double high)
{
	return low + (high - low) * ((double)(next_random(seed) >> 11) * 0x1p-53);
}

static inline int random_below(uint64_t *seed, int n)
{
	return (int)(next_random(seed) % (uint64_t)n);
}

static inline void assert_close(double got, double wanted, double relative)
{
	if (!(fabs(got - wanted) <= relative * fabs(wanted)))
		fail_msg("%.17g is not %.17g within %g", got, wanted, relative);
}

/* To the last bit. */
static inline void assert_same(double got, double wanted)
{
	if (memcmp(&got, &wanted, sizeof(got)) != 0)
		fail_msg("%.17g is not exactly %.17g", got, wanted);
}

static const struct tp_metric_def plain = {.name = (char *)"t_ns"};
static const struct tp_metric_def paired = {
    .name = (char *)"ratio", .paired_num = (char *)"a", .paired_den = (char *)"b"};

static inline struct tp_metric_def as(struct tp_metric_def metric, enum tp_metric_role role)
{
	metric.role = role;
	return metric;
}

static inline struct tp_metric_def higher(struct tp_metric_def metric)
{
	metric.better = TP_BETTER_HIGHER;
	return metric;
}

/* Three boots of which only the locations are known. */
struct sandwich {
	struct tp_boot_sample boots[3];
};

static inline struct sandwich locations(double a, double child, double b)
{
	return (struct sandwich){{{a, NAN, 25}, {child, NAN, 25}, {b, NAN, 25}}};
}

static inline struct sandwich with_cvs(struct sandwich s, double a, double child, double b)
{
	s.boots[0].cv_pct = a;
	s.boots[1].cv_pct = child;
	s.boots[2].cv_pct = b;
	return s;
}

/* Judge under the default gates, with nothing disqualified. */
static inline struct tp_verdict judge(struct tp_metric_def metric, struct sandwich s)
{
	struct tp_gates gates = tp_gates_default();
	struct tp_disqualified fine = {};
	struct tp_verdict v = {};
	struct tp_err err = {};

	if (tp_classify(&metric, &gates, s.boots, &fine, &v, &err) != 0)
		fail_msg("refused: %s", err.text);
	return v;
}

static inline void assert_label(struct tp_metric_def metric, struct sandwich s, const char *label)
{
	struct tp_verdict v = judge(metric, s);

	if (strcmp(v.label, label) != 0)
		fail_msg("%.17g, %.17g, %.17g: %s (%s), not %s", v.parent_a, v.child, v.parent_b,
			 v.label, v.reason, label);
}
