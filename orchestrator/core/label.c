/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a verdict: the label and the sentence beside it; see classify.h. */
#include "core/classify.h"

#include <math.h>
#include <stdio.h>

static const char *const rule_words[] = {
    [TP_RULE_IDENTITY_FAIL] = "IDENTITY_FAIL",
    [TP_RULE_SEMANTIC_FAIL] = "SEMANTIC_FAIL",
    [TP_RULE_ENVIRONMENT_FAIL] = "ENVIRONMENT_FAIL",
    [TP_RULE_QUANTIZATION_FAIL] = "QUANTIZATION_FAIL",
    [TP_RULE_NOT_STEADY] = "NOT_STEADY",
    [TP_RULE_DRIFT_GATE_FAIL] = "DRIFT_GATE_FAIL",
    [TP_RULE_CV_GATE_FAIL] = "CV_GATE_FAIL",
    [TP_RULE_SLOWER] = "CHILD_SLOWER",
    [TP_RULE_FASTER] = "CHILD_FASTER",
    [TP_RULE_BELOW_GATE] = "BELOW",
    [TP_RULE_STRADDLES_GATE] = "STRADDLES",
    [TP_RULE_NO_MATERIAL_SIGNAL] = "NO_MATERIAL_SIGNAL",
};
static_assert(TP_ARRAY_SIZE(rule_words) == _TP_RULE_MAX, "a word for every rule");

/* A ratio has no time of its own: it is not slower, it went up. Auxiliary ones keep CHILD_. */
static const char *signal_word(enum tp_rule rule, const struct tp_metric_def *metric)
{
	if (!metric->paired_num || metric->role == TP_METRIC_AUXILIARY)
		return rule_words[rule];
	return rule == TP_RULE_SLOWER ? "RELATIVE_SLOWDOWN" : "RELATIVE_SPEEDUP";
}

void tp_label_format(enum tp_rule rule, const struct tp_metric_def *metric, double signal_pct,
		     char *ret, size_t size)
{
	const char *prefix = metric->role == TP_METRIC_AUXILIARY ? "AUXILIARY_" : "EXACT_";

	switch (rule) {
	case TP_RULE_IDENTITY_FAIL:
	case TP_RULE_SEMANTIC_FAIL:
	case TP_RULE_ENVIRONMENT_FAIL:
	case TP_RULE_QUANTIZATION_FAIL:
	case TP_RULE_NOT_STEADY:
	case TP_RULE_NO_MATERIAL_SIGNAL:
		snprintf(ret, size, "%s", rule_words[rule]);
		return;
	case TP_RULE_DRIFT_GATE_FAIL:
	case TP_RULE_CV_GATE_FAIL:
		snprintf(ret, size, "%s%s", prefix, rule_words[rule]);
		return;
	case TP_RULE_SLOWER:
	case TP_RULE_FASTER:
		snprintf(ret, size, "%s%s", prefix, signal_word(rule, metric));
		return;
	case TP_RULE_BELOW_GATE:
	case TP_RULE_STRADDLES_GATE:
		snprintf(ret, size, "%s_%g_PERCENT_GATE", rule_words[rule], signal_pct);
		return;
	case _TP_RULE_MAX:
		break;
	}
	snprintf(ret, size, "?");
}

/* The boot whose CV is largest; NANs (not judged) are never that. */
static int noisiest(const struct tp_verdict *v)
{
	int worst = 0;

	for (int i = 1; i < 3; i++) {
		if (isnan(v->cv_pct[worst]) || v->cv_pct[i] > v->cv_pct[worst])
			worst = i;
	}
	return worst;
}

#define BOTH_DELTAS "%+.6f %% and %+.6f %% against the two parents: "

/* Rules 4 to 7: both deltas, then what they were held against. */
static void explain_signal(const struct tp_gates *g, const struct tp_verdict *v, char *ret,
			   size_t size)
{
	double a = v->child_vs_parent_a_pct;
	double b = v->child_vs_parent_b_pct;

	if (v->rule == TP_RULE_SLOWER)
		snprintf(ret, size, BOTH_DELTAS "a loss of at least %g %% against both", a, b,
			 g->signal_pct);
	else if (v->rule == TP_RULE_FASTER)
		snprintf(ret, size, BOTH_DELTAS "a gain of at least %g %% against both", a, b,
			 g->signal_pct);
	else if (v->rule == TP_RULE_BELOW_GATE)
		snprintf(ret, size,
			 BOTH_DELTAS "a loss of at least %g %% against both, of %g %% against "
				     "neither",
			 a, b, g->floor_pct, g->signal_pct);
	else if (v->rule == TP_RULE_STRADDLES_GATE)
		snprintf(ret, size,
			 BOTH_DELTAS "a loss of at least %g %% against both, of %g %% against one",
			 a, b, g->floor_pct, g->signal_pct);
	else
		snprintf(ret, size,
			 BOTH_DELTAS "no loss of at least %g %% against both and no gain of at "
				     "least %g %% against both",
			 a, b, g->floor_pct, g->signal_pct);
}

static void explain_cv(const struct tp_gates *g, const struct tp_verdict *v, char *ret, size_t size)
{
	static const char *const boots[3] = {"parent A", "the child", "parent B"};
	int worst = noisiest(v);

	snprintf(ret, size,
		 "the rounds of %s scatter: their coefficient of variation is %.6f %%, above the "
		 "CV gate of %g %%",
		 boots[worst], v->cv_pct[worst], g->cv_pct);
}

void tp_label_explain(const struct tp_gates *g, const struct tp_verdict *v, char *ret, size_t size)
{
	switch (v->rule) {
	case TP_RULE_IDENTITY_FAIL:
		snprintf(ret, size, "a boot did not prove that it ran the kernel it was meant to");
		return;
	case TP_RULE_SEMANTIC_FAIL:
		snprintf(ret, size, "rounds are missing, or did not do the work that they claim");
		return;
	case TP_RULE_ENVIRONMENT_FAIL:
		snprintf(ret, size, "the machine was not in the same state in all three boots");
		return;
	case TP_RULE_QUANTIZATION_FAIL:
		snprintf(ret, size, "the values were counted in steps above %g %% of their size",
			 g->quantum_pct);
		return;
	case TP_RULE_NOT_STEADY:
		snprintf(ret, size,
			 "the measured rounds of a boot rise or fall by more than %g %% from "
			 "their first third to their last",
			 g->steady_pct);
		return;
	case TP_RULE_DRIFT_GATE_FAIL:
		snprintf(ret, size,
			 "the two parents differ by %.6f %%, above the drift gate of %g %%",
			 v->parent_drift_pct, g->drift_pct);
		return;
	case TP_RULE_CV_GATE_FAIL:
		explain_cv(g, v, ret, size);
		return;
	case TP_RULE_SLOWER:
	case TP_RULE_FASTER:
	case TP_RULE_BELOW_GATE:
	case TP_RULE_STRADDLES_GATE:
	case TP_RULE_NO_MATERIAL_SIGNAL:
		explain_signal(g, v, ret, size);
		return;
	case _TP_RULE_MAX:
		break;
	}
	snprintf(ret, size, "?");
}
