/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every label in every spelling, and the sentence beside it. */
#include "core_helper.h"

static void assert_word(enum tp_rule rule, struct tp_metric_def metric, const char *label)
{
	char text[64];

	tp_label_format(rule, &metric, 5, text, sizeof(text));
	assert_string_equal(text, label);
}

static void spellings_of_a_signal(void **state)
{
	(void)state;
	assert_word(TP_RULE_SLOWER, plain, "EXACT_CHILD_SLOWER");
	assert_word(TP_RULE_FASTER, plain, "EXACT_CHILD_FASTER");
	assert_word(TP_RULE_SLOWER, paired, "EXACT_RELATIVE_SLOWDOWN");
	assert_word(TP_RULE_FASTER, paired, "EXACT_RELATIVE_SPEEDUP");
	assert_word(TP_RULE_SLOWER, as(plain, TP_METRIC_AUXILIARY), "AUXILIARY_CHILD_SLOWER");
	assert_word(TP_RULE_FASTER, as(plain, TP_METRIC_AUXILIARY), "AUXILIARY_CHILD_FASTER");
	assert_word(TP_RULE_SLOWER, as(paired, TP_METRIC_AUXILIARY), "AUXILIARY_CHILD_SLOWER");
	assert_word(TP_RULE_FASTER, as(paired, TP_METRIC_AUXILIARY), "AUXILIARY_CHILD_FASTER");
	assert_word(TP_RULE_SLOWER, as(plain, TP_METRIC_CONTROL), "EXACT_CHILD_SLOWER");
	assert_word(TP_RULE_SLOWER, higher(plain), "EXACT_CHILD_SLOWER");
}

static void spellings_of_a_gate(void **state)
{
	(void)state;
	assert_word(TP_RULE_DRIFT_GATE_FAIL, plain, "EXACT_DRIFT_GATE_FAIL");
	assert_word(TP_RULE_CV_GATE_FAIL, paired, "EXACT_CV_GATE_FAIL");
	assert_word(TP_RULE_DRIFT_GATE_FAIL, as(plain, TP_METRIC_AUXILIARY),
		    "AUXILIARY_DRIFT_GATE_FAIL");
	assert_word(TP_RULE_CV_GATE_FAIL, as(paired, TP_METRIC_AUXILIARY),
		    "AUXILIARY_CV_GATE_FAIL");
}

/* Rules 1, 6 and 7 are no claims about the child: they have no prefix, whatever the metric. */
static void the_other_rules_have_no_prefix(void **state)
{
	static const char *const words[_TP_RULE_MAX] = {
	    [TP_RULE_IDENTITY_FAIL] = "IDENTITY_FAIL",
	    [TP_RULE_SEMANTIC_FAIL] = "SEMANTIC_FAIL",
	    [TP_RULE_ENVIRONMENT_FAIL] = "ENVIRONMENT_FAIL",
	    [TP_RULE_QUANTIZATION_FAIL] = "QUANTIZATION_FAIL",
	    [TP_RULE_NOT_STEADY] = "NOT_STEADY",
	    [TP_RULE_BELOW_GATE] = "BELOW_5_PERCENT_GATE",
	    [TP_RULE_STRADDLES_GATE] = "STRADDLES_5_PERCENT_GATE",
	    [TP_RULE_NO_MATERIAL_SIGNAL] = "NO_MATERIAL_SIGNAL",
	};

	(void)state;
	for (int rule = 0; rule < _TP_RULE_MAX; rule++) {
		for (int role = 0; words[rule] && role < _TP_METRIC_ROLE_MAX; role++) {
			assert_word((enum tp_rule)rule, as(plain, (enum tp_metric_role)role),
				    words[rule]);
			assert_word((enum tp_rule)rule, as(paired, (enum tp_metric_role)role),
				    words[rule]);
		}
	}
	assert_word(_TP_RULE_MAX, plain, "?");
}

static void the_gate_is_named_as_it_was_set(void **state)
{
	char text[64];

	(void)state;
	tp_label_format(TP_RULE_BELOW_GATE, &plain, 2.5, text, sizeof(text));
	assert_string_equal(text, "BELOW_2.5_PERCENT_GATE");
	tp_label_format(TP_RULE_STRADDLES_GATE, &plain, 10, text, sizeof(text));
	assert_string_equal(text, "STRADDLES_10_PERCENT_GATE");
	tp_label_format(TP_RULE_STRADDLES_GATE, &plain, 0.30000000000000004, text, sizeof(text));
	assert_string_equal(text, "STRADDLES_0.3_PERCENT_GATE");
}

static void assert_reason(struct sandwich s, const char *reason)
{
	assert_string_equal(judge(plain, s).reason, reason);
}

static void the_reason_says_which_number_met_which_limit(void **state)
{
	(void)state;
	assert_reason(locations(64, 80, 64),
		      "+25.000000 % and +25.000000 % against the two parents: a loss of at least "
		      "5 % against both");
	assert_reason(locations(64, 48, 64),
		      "-25.000000 % and -25.000000 % against the two parents: a gain of at least "
		      "5 % against both");
	assert_reason(locations(64, 66, 64),
		      "+3.125000 % and +3.125000 % against the two parents: a loss of at least 2 % "
		      "against both, of 5 % against neither");
	assert_reason(locations(100, 106, 102),
		      "+6.000000 % and +3.921569 % against the two parents: a loss of at least 2 % "
		      "against both, of 5 % against one");
	assert_reason(locations(64, 65, 64),
		      "+1.562500 % and +1.562500 % against the two parents: no loss of at least "
		      "2 % against both and no gain of at least 5 % against both");
	assert_reason(locations(60, 80, 68),
		      "the two parents differ by 12.500000 %, above the drift gate of 5 %");
	assert_reason(with_cvs(locations(64, 80, 64), 16, 3, 17.25),
		      "the rounds of parent B scatter: their coefficient of variation is "
		      "17.250000 %, above the CV gate of 15 %");
	assert_reason(with_cvs(locations(64, 80, 64), NAN, 16, NAN),
		      "the rounds of the child scatter: their coefficient of variation is "
		      "16.000000 %, above the CV gate of 15 %");
}

static void every_rule_has_a_sentence_of_its_own(void **state)
{
	struct tp_gates gates = tp_gates_default();
	char reasons[_TP_RULE_MAX][256];

	(void)state;
	for (int rule = 0; rule < _TP_RULE_MAX; rule++) {
		struct tp_verdict v = {.rule = (enum tp_rule)rule};

		tp_label_explain(&gates, &v, reasons[rule], sizeof(reasons[rule]));
		assert_true(strlen(reasons[rule]) > 20);
		for (int other = 0; other < rule; other++)
			assert_string_not_equal(reasons[rule], reasons[other]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spellings_of_a_signal),
	    cmocka_unit_test(spellings_of_a_gate),
	    cmocka_unit_test(the_other_rules_have_no_prefix),
	    cmocka_unit_test(the_gate_is_named_as_it_was_set),
	    cmocka_unit_test(the_reason_says_which_number_met_which_limit),
	    cmocka_unit_test(every_rule_has_a_sentence_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
