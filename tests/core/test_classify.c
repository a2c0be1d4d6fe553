/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules 1 to 7 at their edges, their order, and numbers that must be refused. Locations are
 * chosen so that deltas are exact: 128 against 100 is 28 %, 105 against 100 is not quite 5 %.
 */
#include "core_helper.h"

/* Gates whose limits a double holds exactly; with 64 as parent so are the deltas. */
static const struct tp_gates exact_gates = {
    .signal_pct = 6.25, .drift_pct = 6.25, .cv_pct = 12.5, .floor_pct = 3.125, .quantum_pct = 1};

static enum tp_rule rule_of(struct tp_metric_def metric, struct sandwich s)
{
	struct tp_disqualified fine = {};
	struct tp_verdict v = {};
	struct tp_err err = {};

	if (tp_classify(&metric, &exact_gates, s.boots, &fine, &v, &err) != 0)
		fail_msg("refused: %s", err.text);
	return v.rule;
}

static void figures_follow_their_formulas(void **state)
{
	struct tp_verdict v = judge(plain, with_cvs(locations(100, 112, 104), 1, 2, 3));

	(void)state;
	assert_same(v.parent_a, 100);
	assert_same(v.child, 112);
	assert_same(v.parent_b, 104);
	assert_same(v.midpoint, 102);
	assert_close(v.child_vs_parent_a_pct, 12, 1e-13);
	assert_close(v.child_vs_parent_b_pct, 100 * 8.0 / 104, 1e-13);
	assert_close(v.child_vs_midpoint_pct, 100 * 10.0 / 102, 1e-13);
	assert_close(v.parent_drift_pct, 100 * 4.0 / 102, 1e-13);
	assert_close(v.parent_drift_signed_pct, 4, 1e-13);
	assert_same(v.cv_pct[0], 1);
	assert_same(v.cv_pct[1], 2);
	assert_same(v.cv_pct[2], 3);
	v = judge(plain, locations(104, 112, 100));
	assert_true(v.parent_drift_pct > 0 && v.parent_drift_signed_pct < 0);
}

/* A limit that is met exactly: signal and floor count, drift and CV pass. */
static void edges_belong_to_the_right_side(void **state)
{
	double drift_edge = 100 * 1.0 / 15.5; /* of 15 and 16 */
	struct tp_gates gates = exact_gates;
	struct sandwich s = locations(15, 30, 16);
	struct tp_disqualified fine = {};
	struct tp_verdict v;

	(void)state;
	assert_int_equal(rule_of(plain, locations(64, 68, 64)), TP_RULE_SLOWER);
	assert_int_equal(rule_of(plain, locations(64, nextafter(68, 0), 64)), TP_RULE_BELOW_GATE);
	assert_int_equal(rule_of(plain, locations(64, 66, 64)), TP_RULE_BELOW_GATE);
	assert_int_equal(rule_of(plain, locations(64, nextafter(66, 0), 64)),
			 TP_RULE_NO_MATERIAL_SIGNAL);
	assert_int_equal(rule_of(plain, locations(64, 68, 65)), TP_RULE_STRADDLES_GATE);
	assert_int_equal(rule_of(plain, locations(65, 68, 64)), TP_RULE_STRADDLES_GATE);
	assert_int_equal(rule_of(plain, locations(64, 60, 64)), TP_RULE_FASTER);
	assert_int_equal(rule_of(plain, locations(64, nextafter(60, 64), 64)),
			 TP_RULE_NO_MATERIAL_SIGNAL);
	assert_int_equal(rule_of(plain, with_cvs(locations(64, 68, 64), 12.5, 12.5, 12.5)),
			 TP_RULE_SLOWER);
	gates.drift_pct = drift_edge;
	assert_int_equal(tp_classify(&plain, &gates, s.boots, &fine, &v, NULL), 0);
	assert_int_equal(v.rule, TP_RULE_SLOWER);
	gates.drift_pct = nextafter(drift_edge, 0);
	assert_int_equal(tp_classify(&plain, &gates, s.boots, &fine, &v, NULL), 0);
	assert_int_equal(v.rule, TP_RULE_DRIFT_GATE_FAIL);
}

/* Each of the three CVs alone fails the gate by the smallest step there is. */
static void any_boot_can_fail_the_cv_gate(void **state)
{
	double over = nextafter(12.5, 13);

	(void)state;
	assert_int_equal(rule_of(plain, with_cvs(locations(64, 80, 64), over, 1, 1)),
			 TP_RULE_CV_GATE_FAIL);
	assert_int_equal(rule_of(plain, with_cvs(locations(64, 80, 64), 1, over, NAN)),
			 TP_RULE_CV_GATE_FAIL);
	assert_int_equal(rule_of(plain, with_cvs(locations(64, 80, 64), NAN, NAN, over)),
			 TP_RULE_CV_GATE_FAIL);
	assert_int_equal(rule_of(plain, locations(64, 80, 64)), TP_RULE_SLOWER);
}

/* The child lies between floor and gate for one parent, beyond the gate for the other. */
static void straddling(void **state)
{
	(void)state;
	assert_label(plain, locations(100, 106, 102), "STRADDLES_5_PERCENT_GATE");
	assert_label(plain, locations(102, 106, 100), "STRADDLES_5_PERCENT_GATE");
	assert_label(plain, locations(100, 104, 101), "BELOW_5_PERCENT_GATE");
	/* Beyond the gate for one, but under the floor for the other: nothing is shown. */
	assert_label(plain, locations(100, 106, 104.5), "NO_MATERIAL_SIGNAL");
	/* Worse than one parent and better than the other. */
	assert_label(plain, locations(98, 100, 102), "NO_MATERIAL_SIGNAL");
}

/* Rule 6 is about harm: a gain that does not reach the gate is no material signal. */
static void small_gains_have_no_label_of_their_own(void **state)
{
	(void)state;
	assert_label(plain, locations(100, 96, 100), "NO_MATERIAL_SIGNAL");
	assert_label(plain, locations(100, 94.5, 98), "NO_MATERIAL_SIGNAL");
	assert_label(plain, locations(100, 94, 100), "EXACT_CHILD_FASTER");
	assert_label(higher(plain), locations(100, 104, 100), "NO_MATERIAL_SIGNAL");
}

static void harm_follows_the_direction(void **state)
{
	struct tp_verdict v = judge(higher(plain), locations(100, 90, 100));

	(void)state;
	assert_string_equal(v.label, "EXACT_CHILD_SLOWER");
	assert_close(v.child_vs_parent_a_pct, -10, 1e-13);
	assert_label(higher(plain), locations(100, 110, 100), "EXACT_CHILD_FASTER");
	assert_label(higher(plain), locations(100, 97, 100), "BELOW_5_PERCENT_GATE");
	assert_label(higher(plain), locations(100, 94.9, 97.5), "STRADDLES_5_PERCENT_GATE");
}

static enum tp_rule rule_with(struct tp_disqualified d, struct sandwich s)
{
	struct tp_gates gates = tp_gates_default();
	struct tp_verdict v = {};

	assert_int_equal(tp_classify(&plain, &gates, s.boots, &d, &v, NULL), 0);
	return v.rule;
}

/* The first rule that applies wins, with everything that comes later wrong as well. */
static void first_match_wins(void **state)
{
	struct sandwich bad = with_cvs(locations(100, 150, 120), 99, 99, 99);
	struct sandwich drifted = locations(100, 150, 120);
	struct tp_disqualified d = {true, true, true, true, true};

	(void)state;
	assert_int_equal(rule_with(d, bad), TP_RULE_IDENTITY_FAIL);
	d.identity = false;
	assert_int_equal(rule_with(d, bad), TP_RULE_SEMANTIC_FAIL);
	d.semantic = false;
	assert_int_equal(rule_with(d, bad), TP_RULE_ENVIRONMENT_FAIL);
	d.environment = false;
	assert_int_equal(rule_with(d, bad), TP_RULE_QUANTIZATION_FAIL);
	d.quantization = false;
	assert_int_equal(rule_with(d, bad), TP_RULE_NOT_STEADY);
	d.not_steady = false;
	assert_int_equal(rule_with(d, bad), TP_RULE_DRIFT_GATE_FAIL);
	assert_int_equal(rule_with(d, with_cvs(locations(100, 150, 100), 99, 1, 1)),
			 TP_RULE_CV_GATE_FAIL);
	assert_int_equal(rule_with(d, drifted), TP_RULE_DRIFT_GATE_FAIL);
}

static void refuse(const struct tp_gates *gates, struct sandwich s, const char *words)
{
	struct tp_disqualified fine = {};
	struct tp_verdict v = {.parent_a = 77};
	struct tp_err err = {};

	assert_int_equal(tp_classify(&plain, gates, s.boots, &fine, &v, &err), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	assert_same(v.parent_a, 77);
}

static void senseless_locations_are_refused(void **state)
{
	static const char *const names[] = {"t_ns: the location of parent A",
					    "t_ns: the location of the child",
					    "t_ns: the location of parent B"};
	const double bad[] = {NAN, INFINITY, -INFINITY, 0, -0.0, -1};
	struct tp_gates gates = tp_gates_default();

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++) {
		for (int k = 0; k < 3; k++) {
			struct sandwich s = locations(100, 100, 100);

			s.boots[k].location = bad[i];
			refuse(&gates, s, names[k]);
		}
	}
	refuse(&gates, with_cvs(locations(1, 1, 1), 1, INFINITY, 1), "variation of the child");
	refuse(&gates, with_cvs(locations(1, 1, 1), 1, 1, -1), "variation of parent B");
}

/* An infinite or absent ratio compares false everywhere: it must not pass as "no signal". */
static void ratios_out_of_range_are_refused(void **state)
{
	struct tp_gates gates = tp_gates_default();

	(void)state;
	refuse(&gates, locations(5e-324, 1e300, 5e-324), "too far apart");
	refuse(&gates, locations(1.7e308, 1.7e308, 1.7e308), "too far apart");
}

/* A gate that is no number would let everything through. */
static void broken_gates_are_refused(void **state)
{
	const double bad[] = {NAN, INFINITY, 0, -1};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++) {
		struct tp_gates gates = tp_gates_default();

		gates.drift_pct = bad[i];
		refuse(&gates, locations(1, 1, 1), "drift_pct");
		gates = tp_gates_default();
		gates.cv_pct = bad[i];
		refuse(&gates, locations(1, 1, 1), "cv_pct");
	}
}

static void samples_come_from_rounds(void **state)
{
	double rounds[] = {900, 101, 103, 99, 102};
	struct tp_boot_sample s = {};
	struct tp_err err = {};

	(void)state;
	assert_int_equal(tp_boot_sample_from(rounds, 5, TP_LOCATION_MEDIAN, false, &s, &err), 0);
	assert_same(s.location, 102);
	assert_true(s.cv_pct > 100);
	assert_int_equal(s.n, 5);
	assert_int_equal(tp_boot_sample_from(rounds, 5, TP_LOCATION_MEDIAN, true, &s, &err), 0);
	assert_same(s.location, 101.5);
	assert_true(s.cv_pct < 2);
	assert_int_equal(s.n, 4);
	assert_int_equal(tp_boot_sample_from(rounds + 1, 4, TP_LOCATION_MEAN, false, &s, &err), 0);
	assert_close(s.location, 101.25, 1e-15);
	assert_int_equal(tp_boot_sample_from(rounds, 1, TP_LOCATION_MEAN, false, &s, &err), 0);
	assert_same(s.location, 900);
}

static void samples_of_bad_rounds_are_refused(void **state)
{
	const double bad[] = {NAN, INFINITY, 0, -5};
	struct tp_boot_sample s = {.n = 77};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++) {
		/* A median would not even notice the one in 25. */
		double rounds[25];

		for (int k = 0; k < 25; k++)
			rounds[k] = 100;
		rounds[i * 8] = bad[i];
		assert_int_equal(
		    tp_boot_sample_from(rounds, 25, TP_LOCATION_MEDIAN, false, &s, NULL), -EINVAL);
	}
	assert_int_equal(tp_boot_sample_from(NULL, 0, TP_LOCATION_MEDIAN, false, &s, NULL),
			 -EINVAL);
	assert_int_equal(tp_boot_sample_from(&(double){1}, 1, TP_LOCATION_MEDIAN, true, &s, NULL),
			 -EINVAL);
	assert_int_equal(s.n, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(figures_follow_their_formulas),
	    cmocka_unit_test(edges_belong_to_the_right_side),
	    cmocka_unit_test(any_boot_can_fail_the_cv_gate),
	    cmocka_unit_test(straddling),
	    cmocka_unit_test(small_gains_have_no_label_of_their_own),
	    cmocka_unit_test(harm_follows_the_direction),
	    cmocka_unit_test(first_match_wins),
	    cmocka_unit_test(senseless_locations_are_refused),
	    cmocka_unit_test(ratios_out_of_range_are_refused),
	    cmocka_unit_test(broken_gates_are_refused),
	    cmocka_unit_test(samples_come_from_rounds),
	    cmocka_unit_test(samples_of_bad_rounds_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
