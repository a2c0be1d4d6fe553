/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every sandwich, over seeded random ones. */
#include "core_helper.h"

#define TRIALS 20000

/* Near the limits, where labels change: parents within 6 %, child within 12 %, CVs up to 20 %. */
static struct sandwich any_sandwich(uint64_t *seed)
{
	double a = exp(random_between(seed, -8, 12));
	double b = a * (1 + random_between(seed, -0.06, 0.06));
	double child = a * (1 + random_between(seed, -0.12, 0.12));
	double top = random_below(seed, 4) == 0 ? 20 : 15;

	return with_cvs(locations(a, child, b), random_between(seed, 0, top),
			random_between(seed, 0, top), random_between(seed, 0, top));
}

static struct tp_metric_def any_metric(uint64_t *seed)
{
	struct tp_metric_def metric = random_below(seed, 2) ? plain : paired;

	metric.role = (enum tp_metric_role)random_below(seed, _TP_METRIC_ROLE_MAX);
	metric.better = (enum tp_better)random_below(seed, _TP_BETTER_MAX);
	return metric;
}

static struct sandwich scaled(struct sandwich s, double factor)
{
	for (int i = 0; i < 3; i++)
		s.boots[i].location *= factor;
	return s;
}

/* Every rule must come up, or the random sandwiches prove nothing. */
static void the_trials_reach_every_rule(void **state)
{
	int seen[_TP_RULE_MAX] = {};
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < TRIALS; i++)
		seen[judge(any_metric(&seed), any_sandwich(&seed)).rule]++;
	for (int rule = TP_RULE_DRIFT_GATE_FAIL; rule < _TP_RULE_MAX; rule++)
		assert_true(seen[rule] > TRIALS / 200);
}

/* Nanoseconds or seconds: a power of two changes no bit, another factor no label. */
static void units_do_not_matter(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		struct tp_metric_def metric = any_metric(&seed);
		struct sandwich s = any_sandwich(&seed);
		struct tp_verdict v = judge(metric, s);
		struct tp_verdict twice = judge(metric, scaled(s, 0x1p-30));
		struct tp_verdict other = judge(metric, scaled(s, random_between(&seed, 0.1, 1e6)));

		assert_same(twice.child_vs_parent_a_pct, v.child_vs_parent_a_pct);
		assert_same(twice.child_vs_parent_b_pct, v.child_vs_parent_b_pct);
		assert_same(twice.parent_drift_pct, v.parent_drift_pct);
		assert_string_equal(twice.label, v.label);
		assert_string_equal(twice.reason, v.reason);
		assert_string_equal(other.label, v.label);
	}
}

/* The parents may change places: only the sign of the drift turns. */
static void parents_may_change_places(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		struct tp_metric_def metric = any_metric(&seed);
		struct sandwich s = any_sandwich(&seed);
		struct sandwich t = {{s.boots[2], s.boots[1], s.boots[0]}};
		struct tp_verdict v = judge(metric, s);
		struct tp_verdict w = judge(metric, t);

		assert_string_equal(w.label, v.label);
		assert_same(w.midpoint, v.midpoint);
		assert_same(w.parent_drift_pct, v.parent_drift_pct);
		assert_same(w.child_vs_parent_a_pct, v.child_vs_parent_b_pct);
		assert_true(w.parent_drift_signed_pct * v.parent_drift_signed_pct <= 0);
	}
}

/* "Higher is better" turns slower into faster, and changes no gate. */
static void turning_the_direction_turns_the_signal(void **state)
{
	uint64_t seed = 4;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		struct tp_metric_def up = any_metric(&seed), down = up;
		struct sandwich s = any_sandwich(&seed);
		enum tp_rule one, other;

		up.better = TP_BETTER_HIGHER;
		down.better = TP_BETTER_LOWER;
		one = judge(up, s).rule;
		other = judge(down, s).rule;
		if (one == TP_RULE_DRIFT_GATE_FAIL || one == TP_RULE_CV_GATE_FAIL)
			assert_int_equal(other, one);
		assert_int_equal(one == TP_RULE_SLOWER, other == TP_RULE_FASTER);
		assert_int_equal(one == TP_RULE_FASTER, other == TP_RULE_SLOWER);
	}
}

/* With equal parents a loss of d % for "lower" is a gain of d % mirrored for "higher". */
static void a_mirror_image_has_the_same_label(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		double delta = random_between(&seed, -0.12, 0.12);
		struct tp_metric_def down = any_metric(&seed), up = down;

		down.better = TP_BETTER_LOWER;
		up.better = TP_BETTER_HIGHER;
		assert_string_equal(judge(down, locations(1, 1 + delta, 1)).label,
				    judge(up, locations(1, 1 - delta, 1)).label);
	}
}

static int severity(enum tp_rule rule)
{
	static const enum tp_rule order[] = {TP_RULE_FASTER, TP_RULE_NO_MATERIAL_SIGNAL,
					     TP_RULE_BELOW_GATE, TP_RULE_STRADDLES_GATE,
					     TP_RULE_SLOWER};

	for (int i = 0; i < 5; i++) {
		if (order[i] == rule)
			return i;
	}
	return -1;
}

/* A child that takes longer, all else equal, is never judged better; gates do not see it. */
static void a_slower_child_is_never_judged_better(void **state)
{
	uint64_t seed = 6;

	(void)state;
	for (int i = 0; i < 500; i++) {
		struct sandwich s = any_sandwich(&seed);
		int last = severity(judge(plain, s).rule);

		for (int k = 0; k < 60; k++) {
			int now;

			s.boots[1].location *= 1.005;
			now = severity(judge(plain, s).rule);
			assert_true(now >= last);
			assert_int_equal(now == -1, last == -1);
			last = now;
		}
	}
}

/* Stricter gates only ever take verdicts away. */
static void stricter_gates_confirm_less(void **state)
{
	struct tp_disqualified fine = {};
	uint64_t seed = 9;

	(void)state;
	for (int i = 0; i < TRIALS; i++) {
		struct tp_metric_def metric = any_metric(&seed);
		struct sandwich s = any_sandwich(&seed);
		struct tp_gates strict = tp_gates_default();
		struct tp_verdict v;

		strict.drift_pct = 3;
		strict.cv_pct = 5;
		strict.signal_pct = 7;
		assert_int_equal(tp_classify(&metric, &strict, s.boots, &fine, &v, NULL), 0);
		if (v.rule == TP_RULE_SLOWER || v.rule == TP_RULE_FASTER)
			assert_int_equal(judge(metric, s).rule, v.rule);
	}
}

static double any_normal(uint64_t *seed)
{
	double radius = sqrt(-2 * log1p(-random_between(seed, 0, 1)));

	return radius * cos(random_between(seed, 0, 2 * M_PI));
}

/* Share of sandwiches that end in @rule when boots scatter by @sigma around a true change. */
static double share_of(enum tp_rule rule, double change, double sigma, uint64_t *seed)
{
	int n = 0;

	for (int i = 0; i < TRIALS; i++) {
		double a = exp(sigma * any_normal(seed));
		double child = (1 + change) * exp(sigma * any_normal(seed));
		double b = exp(sigma * any_normal(seed));

		n += judge(plain, locations(a, child, b)).rule == rule;
	}
	return (double)n / TRIALS;
}

/* The table of docs/measurement.md: what the reader is told about false alarms and misses. */
static void errors_are_as_often_as_documented(void **state)
{
	static const struct {
		enum tp_rule rule;
		double change, sigma, share;
	} table[] = {
	    {TP_RULE_SLOWER, 0, 0.01, 0.000},	{TP_RULE_SLOWER, 0, 0.02, 0.009},
	    {TP_RULE_SLOWER, 0, 0.033, 0.051},	{TP_RULE_DRIFT_GATE_FAIL, 0, 0.02, 0.077},
	    {TP_RULE_SLOWER, 0.05, 0.01, 0.33}, {TP_RULE_DRIFT_GATE_FAIL, 0, 0.033, 0.284},
	    {TP_RULE_SLOWER, 0.07, 0.01, 0.84}, {TP_RULE_SLOWER, 0.07, 0.02, 0.59},
	    {TP_RULE_SLOWER, 0.1, 0.02, 0.85},	{TP_RULE_SLOWER, 0.1, 0.033, 0.58},
	};
	uint64_t seed = 11;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(table); i++) {
		double share = share_of(table[i].rule, table[i].change, table[i].sigma, &seed);
		double wanted = table[i].share;
		double error = 4 * sqrt((wanted * (1 - wanted) + 1e-4) / TRIALS) + 0.005;

		if (fabs(share - wanted) > error)
			fail_msg("sigma %g, change %g: %g, documented as %g", table[i].sigma,
				 table[i].change, share, wanted);
	}
}

static void the_same_question_has_the_same_answer(void **state)
{
	uint64_t seed = 10;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct tp_metric_def metric = any_metric(&seed);
		struct sandwich s = any_sandwich(&seed);
		struct tp_verdict v = judge(metric, s), w = judge(metric, s);

		assert_int_equal(v.rule, w.rule);
		assert_string_equal(v.label, w.label);
		assert_string_equal(v.reason, w.reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_trials_reach_every_rule),
	    cmocka_unit_test(units_do_not_matter),
	    cmocka_unit_test(parents_may_change_places),
	    cmocka_unit_test(turning_the_direction_turns_the_signal),
	    cmocka_unit_test(a_mirror_image_has_the_same_label),
	    cmocka_unit_test(a_slower_child_is_never_judged_better),
	    cmocka_unit_test(stricter_gates_confirm_less),
	    cmocka_unit_test(errors_are_as_often_as_documented),
	    cmocka_unit_test(the_same_question_has_the_same_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
