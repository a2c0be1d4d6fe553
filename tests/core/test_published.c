/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The labels and figures of a published case, made by hand, that the classifier must reproduce.
 *
 * Source: the public repository linux-regression-evidence, case
 * fsnotify-concurrent-inotify-watch-setup, tables exact-ab-summary and scaling-extension-summary.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/classify.h"

struct published {
	const char *metric;
	enum tp_metric_role role;
	bool paired;
	double a, child, b;
	const char *vs_a, *vs_b, *drift; /* as printed; NULL: not derivable from printed inputs */
	double cv[3];			 /* NAN: not published */
	const char *label;
};

#define NO_CV                                                                                      \
	{                                                                                          \
		NAN, NAN, NAN                                                                      \
	}

static const struct published cases[] = {
    {"p8_distinct", TP_METRIC_PRIMARY, false, 4182.614000, 4920.865000, 4274.895000, "17.650469",
     "15.110780", "2.182226", NO_CV, "EXACT_CHILD_SLOWER"},
    {"p8_ratio", TP_METRIC_PRIMARY, true, 0.248776883, 0.292725014, 0.240657407, "17.665681",
     "21.635572", "3.317902", NO_CV, "EXACT_RELATIVE_SLOWDOWN"},
    {"p8_shared", TP_METRIC_PRIMARY, false, 17352.417000, 17184.021000, 17786.469000, "-0.970447",
     "-3.387114", "2.470494", NO_CV, "NO_MATERIAL_SIGNAL"},
    {"bulk", TP_METRIC_PRIMARY, false, 1126.821000, 1177.021000, 1138.437000, "4.455011",
     "3.389208", "1.025579", NO_CV, "BELOW_5_PERCENT_GATE"},
    {"mask_update", TP_METRIC_CONTROL, false, 390.677000, 391.063000, 390.487000, "0.098803",
     "0.147508", "0.048645", NO_CV, "NO_MATERIAL_SIGNAL"},
    {"path_lookup", TP_METRIC_CONTROL, false, 594.964000, 595.443000, 597.074000, "0.080509",
     "-0.273165", "0.354016", NO_CV, "NO_MATERIAL_SIGNAL"},
    {"p6_distinct",
     TP_METRIC_PRIMARY,
     false,
     3501.458000,
     3817.636000,
     3484.479000,
     "9.029896",
     "9.561171",
     "0.486091",
     {7.604111, 3.413689, 4.146735},
     "EXACT_CHILD_SLOWER"},
    {"p6_shared",
     TP_METRIC_PRIMARY,
     false,
     12654.292000,
     12448.865000,
     12520.531000,
     "-1.623378",
     "-0.572388",
     "1.062657",
     {3.896225, 4.072359, 3.801197},
     "NO_MATERIAL_SIGNAL"},
    {"p6_ratio",
     TP_METRIC_PRIMARY,
     true,
     0.277574524,
     0.307422650,
     0.277328194,
     "10.753194",
     "10.851567",
     "0.088783",
     {8.361888, 5.337542, 5.336945},
     "EXACT_RELATIVE_SLOWDOWN"},
    {"p8_distinct_scaling",
     TP_METRIC_PRIMARY,
     false,
     4155.208000,
     4968.791000,
     4171.635000,
     "19.579838",
     "19.108958",
     "0.394555",
     {4.625790, 4.131598, 6.743523},
     "EXACT_CHILD_SLOWER"},
    {"p8_shared_scaling",
     TP_METRIC_PRIMARY,
     false,
     17828.136000,
     17932.959000,
     17598.094000,
     "0.587964",
     "1.902848",
     "1.298710",
     {8.549132, 3.260058, 3.642416},
     "NO_MATERIAL_SIGNAL"},
    {"p8_ratio_scaling",
     TP_METRIC_PRIMARY,
     true,
     0.237426273,
     0.279258959,
     0.239101405,
     "17.619232",
     "16.795198",
     "0.703058",
     {12.784132, 5.547697, 7.094481},
     "EXACT_RELATIVE_SLOWDOWN"},
    {"w16_distinct",
     TP_METRIC_AUXILIARY,
     false,
     7460.719000,
     8774.021000,
     7361.396000,
     "17.602888",
     "19.189635",
     "1.340200",
     {7.736388, 10.268668, 6.631573},
     "AUXILIARY_CHILD_SLOWER"},
    {"w16_shared",
     TP_METRIC_AUXILIARY,
     false,
     34169.771000,
     32861.250000,
     34022.437000,
     "-3.829470",
     "-3.413004",
     "0.432114",
     {5.625240, 8.997049, 8.602999},
     "NO_MATERIAL_SIGNAL"},
    {"w16_ratio",
     TP_METRIC_AUXILIARY,
     true,
     0.221750648,
     0.264366322,
     0.221213550,
     "19.217835",
     "19.507291",
     "0.242502",
     {10.408813, 15.006954, 10.638504},
     "AUXILIARY_CV_GATE_FAIL"},
    {"mask_update_scaling",
     TP_METRIC_CONTROL,
     false,
     391.887000,
     391.279000,
     393.634000,
     "-0.155147",
     "-0.598271",
     "0.444800",
     {0.870467, 0.469132, 0.442465},
     "NO_MATERIAL_SIGNAL"},
    {"path_lookup_scaling",
     TP_METRIC_CONTROL,
     false,
     595.696000,
     594.208000,
     594.386000,
     "-0.249792",
     "-0.029947",
     "0.220153",
     {2.273899, 3.098139, 3.548173},
     "NO_MATERIAL_SIGNAL"},
};

static struct tp_verdict judge(const struct published *p, const struct tp_gates *gates,
			       enum tp_better better, double scale)
{
	struct tp_metric_def metric = {
	    .name = (char *)p->metric,
	    .role = p->role,
	    .better = better,
	    .paired_num = p->paired ? (char *)"x" : NULL,
	    .paired_den = p->paired ? (char *)"y" : NULL,
	};
	struct tp_boot_sample boots[3] = {{p->a * scale, p->cv[0], 25},
					  {p->child * scale, p->cv[1], 25},
					  {p->b * scale, p->cv[2], 25}};
	struct tp_disqualified none = {};
	struct tp_verdict verdict = {};
	struct tp_err err = {};

	assert_int_equal(tp_classify(&metric, gates, boots, &none, &verdict, &err), 0);
	return verdict;
}

/*
 * The published ratios are printed with nine digits, their percentages were computed from more:
 * the last printed digit may differ by what that rounding can move.
 */
static void assert_printed(const struct published *p, double value, const char *printed)
{
	double want = strtod(printed, NULL);
	double slack = p->paired ? 100 * 2e-9 / p->b + 0.6e-6 : 0.6e-6;

	if (fabs(value - want) > slack)
		fail_msg("%s: %.9f is not the published %s", p->metric, value, printed);
}

static void test_labels(void **state)
{
	struct tp_gates gates = tp_gates_default();

	(void)state;
	assert_int_equal(TP_ARRAY_SIZE(cases), 17);
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct tp_verdict v = judge(&cases[i], &gates, TP_BETTER_LOWER, 1);

		assert_string_equal(v.label, cases[i].label);
		assert_printed(&cases[i], v.child_vs_parent_a_pct, cases[i].vs_a);
		assert_printed(&cases[i], v.child_vs_parent_b_pct, cases[i].vs_b);
		assert_true(v.reason[0]);
	}
}

/* The published drift is 100 |B/A - 1| or 100 |B - A| / M; ours is the latter, kept with both. */
static void test_drift(void **state)
{
	struct tp_gates gates = tp_gates_default();

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct tp_verdict v = judge(&cases[i], &gates, TP_BETTER_LOWER, 1);

		assert_printed(&cases[i], v.parent_drift_pct, cases[i].drift);
	}
}

static void test_units_do_not_matter(void **state)
{
	const double scales[] = {1e-9, 1e-3, 7, 1e6};
	struct tp_gates gates = tp_gates_default();

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		for (size_t s = 0; s < TP_ARRAY_SIZE(scales); s++) {
			struct tp_verdict v = judge(&cases[i], &gates, TP_BETTER_LOWER, scales[s]);

			assert_string_equal(v.label, cases[i].label);
		}
	}
}

static void test_direction_mirrors(void **state)
{
	struct tp_gates gates = tp_gates_default();
	struct tp_verdict v = judge(&cases[0], &gates, TP_BETTER_HIGHER, 1);

	(void)state;
	assert_string_equal(v.label, "EXACT_CHILD_FASTER");
	v = judge(&cases[1], &gates, TP_BETTER_HIGHER, 1);
	assert_string_equal(v.label, "EXACT_RELATIVE_SPEEDUP");
}

static void test_gates_decide(void **state)
{
	struct tp_gates strict = tp_gates_default();
	struct published p = cases[1];
	struct tp_verdict v;

	(void)state;
	strict.drift_pct = 3;
	v = judge(&p, &strict, TP_BETTER_LOWER, 1);
	assert_string_equal(v.label, "EXACT_DRIFT_GATE_FAIL");
	strict.drift_pct = v.parent_drift_pct; /* a limit that is met exactly is kept */
	v = judge(&p, &strict, TP_BETTER_LOWER, 1);
	assert_string_equal(v.label, "EXACT_RELATIVE_SLOWDOWN");
	strict.signal_pct = 18.5;
	v = judge(&p, &strict, TP_BETTER_LOWER, 1);
	assert_string_equal(v.label, "STRADDLES_18.5_PERCENT_GATE");
}

static void test_disqualified_first(void **state)
{
	struct tp_gates gates = tp_gates_default();
	struct tp_metric_def metric = {.name = (char *)"m"};
	struct tp_boot_sample boots[3] = {{100, 50, 5}, {130, 50, 5}, {150, 50, 5}};
	struct tp_disqualified all = {true, true, true, true, true};
	const char *const wanted[] = {"IDENTITY_FAIL",	  "SEMANTIC_FAIL",
				      "ENVIRONMENT_FAIL", "QUANTIZATION_FAIL",
				      "NOT_STEADY",	  "EXACT_DRIFT_GATE_FAIL"};
	bool *flags[] = {&all.identity, &all.semantic, &all.environment, &all.quantization,
			 &all.not_steady};
	struct tp_verdict v;
	struct tp_err err = {};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(wanted); i++) {
		assert_int_equal(tp_classify(&metric, &gates, boots, &all, &v, &err), 0);
		assert_string_equal(v.label, wanted[i]);
		if (i < TP_ARRAY_SIZE(flags))
			*flags[i] = false;
	}
}

static void test_bad_numbers_refused(void **state)
{
	const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
	struct tp_gates gates = tp_gates_default();
	struct tp_metric_def metric = {.name = (char *)"speed"};
	struct tp_disqualified none = {};
	struct tp_verdict v;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++) {
		for (int boot = 0; boot < 3; boot++) {
			struct tp_boot_sample boots[3] = {{1, 1, 5}, {1, 1, 5}, {1, 1, 5}};
			struct tp_err err = {};

			boots[boot].location = bad[i];
			assert_true(tp_classify(&metric, &gates, boots, &none, &v, &err) < 0);
			assert_non_null(strstr(err.text, "speed"));
		}
	}
}

/* A slower child never gets a better label. */
static void test_monotonic_in_child(void **state)
{
	static const int rank[_TP_RULE_MAX] = {
	    [TP_RULE_FASTER] = 0,     [TP_RULE_NO_MATERIAL_SIGNAL] = 1,
	    [TP_RULE_BELOW_GATE] = 2, [TP_RULE_STRADDLES_GATE] = 3,
	    [TP_RULE_SLOWER] = 4,
	};
	struct tp_gates gates = tp_gates_default();
	int last = 0;

	(void)state;
	for (double child = 80; child < 130; child += 0.01) {
		struct published p = {
		    .metric = "m", .a = 100, .b = 101.5, .child = child, .cv = NO_CV};
		int now = rank[judge(&p, &gates, TP_BETTER_LOWER, 1).rule];

		assert_true(now >= last);
		last = now;
	}
	assert_int_equal(last, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_labels),
	    cmocka_unit_test(test_drift),
	    cmocka_unit_test(test_units_do_not_matter),
	    cmocka_unit_test(test_direction_mirrors),
	    cmocka_unit_test(test_gates_decide),
	    cmocka_unit_test(test_disqualified_first),
	    cmocka_unit_test(test_bad_numbers_refused),
	    cmocka_unit_test(test_monotonic_in_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
