/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules 1 to 7, first match wins; see classify.h. Comparisons are of unrounded doubles.
 */
#include "core/classify.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const boot_names[3] = {"parent A", "the child", "parent B"};

static int check_boots(const struct tp_metric_def *metric, const struct tp_boot_sample boots[3],
		       struct tp_err *reterr)
{
	for (int i = 0; i < 3; i++) {
		if (!isfinite(boots[i].location) || boots[i].location <= 0)
			return tp_err_set(
			    reterr, -EINVAL, metric->name,
			    "%s: the location of %s is %g; it must be a finite number "
			    "above 0",
			    metric->name, boot_names[i], boots[i].location);
		if (isinf(boots[i].cv_pct) || boots[i].cv_pct < 0)
			return tp_err_set(reterr, -EINVAL, metric->name,
					  "%s: the coefficient of variation of %s is not a finite "
					  "number of at least 0",
					  metric->name, boot_names[i]);
	}
	return 0;
}

static void compute(const struct tp_boot_sample boots[3], struct tp_verdict *v)
{
	v->parent_a = boots[0].location;
	v->child = boots[1].location;
	v->parent_b = boots[2].location;
	v->midpoint = (v->parent_a + v->parent_b) / 2;
	v->child_vs_parent_a_pct = 100 * (v->child / v->parent_a - 1);
	v->child_vs_parent_b_pct = 100 * (v->child / v->parent_b - 1);
	v->child_vs_midpoint_pct = 100 * (v->child / v->midpoint - 1);
	v->parent_drift_pct = 100 * fabs(v->parent_b - v->parent_a) / v->midpoint;
	v->parent_drift_signed_pct = 100 * (v->parent_b / v->parent_a - 1);
	for (int i = 0; i < 3; i++)
		v->cv_pct[i] = boots[i].cv_pct;
}

static enum tp_rule rule_disqualified(const struct tp_disqualified *d)
{
	if (d->identity)
		return TP_RULE_IDENTITY_FAIL;
	if (d->semantic)
		return TP_RULE_SEMANTIC_FAIL;
	if (d->environment)
		return TP_RULE_ENVIRONMENT_FAIL;
	if (d->quantization)
		return TP_RULE_QUANTIZATION_FAIL;
	return d->not_steady ? TP_RULE_NOT_STEADY : _TP_RULE_MAX;
}

static bool cv_over(const struct tp_verdict *v, double limit_pct)
{
	/* A NAN (only a location is known) compares false: not judged. */
	return v->cv_pct[0] > limit_pct || v->cv_pct[1] > limit_pct || v->cv_pct[2] > limit_pct;
}

/* Rules 4 to 7 on deltas whose sign means harm. */
static enum tp_rule rule_signal(double a, double b, const struct tp_gates *g)
{
	if (a >= g->signal_pct && b >= g->signal_pct)
		return TP_RULE_SLOWER;
	if (a <= -g->signal_pct && b <= -g->signal_pct)
		return TP_RULE_FASTER;
	if (a >= g->floor_pct && b >= g->floor_pct)
		return a < g->signal_pct && b < g->signal_pct ? TP_RULE_BELOW_GATE
							      : TP_RULE_STRADDLES_GATE;
	return TP_RULE_NO_MATERIAL_SIGNAL;
}

static enum tp_rule decide(const struct tp_metric_def *metric, const struct tp_gates *g,
			   const struct tp_disqualified *d, const struct tp_verdict *v)
{
	double sign = metric->better == TP_BETTER_LOWER ? 1 : -1;
	enum tp_rule rule = rule_disqualified(d);

	if (rule != _TP_RULE_MAX)
		return rule;
	if (v->parent_drift_pct > g->drift_pct)
		return TP_RULE_DRIFT_GATE_FAIL;
	if (cv_over(v, g->cv_pct))
		return TP_RULE_CV_GATE_FAIL;
	return rule_signal(sign * v->child_vs_parent_a_pct, sign * v->child_vs_parent_b_pct, g);
}

void tp_label_format(enum tp_rule rule, const struct tp_metric_def *metric, double signal_pct,
		     char *ret, size_t size)
{
	const char *prefix = metric->role == TP_METRIC_AUXILIARY ? "AUXILIARY_" : "EXACT_";
	bool relative = metric->paired_num && metric->role != TP_METRIC_AUXILIARY;

	switch (rule) {
	case TP_RULE_IDENTITY_FAIL:
		snprintf(ret, size, "IDENTITY_FAIL");
		return;
	case TP_RULE_SEMANTIC_FAIL:
		snprintf(ret, size, "SEMANTIC_FAIL");
		return;
	case TP_RULE_ENVIRONMENT_FAIL:
		snprintf(ret, size, "ENVIRONMENT_FAIL");
		return;
	case TP_RULE_QUANTIZATION_FAIL:
		snprintf(ret, size, "QUANTIZATION_FAIL");
		return;
	case TP_RULE_NOT_STEADY:
		snprintf(ret, size, "NOT_STEADY");
		return;
	case TP_RULE_DRIFT_GATE_FAIL:
		snprintf(ret, size, "%sDRIFT_GATE_FAIL", prefix);
		return;
	case TP_RULE_CV_GATE_FAIL:
		snprintf(ret, size, "%sCV_GATE_FAIL", prefix);
		return;
	case TP_RULE_SLOWER:
		snprintf(ret, size, "%s%s", prefix,
			 relative ? "RELATIVE_SLOWDOWN" : "CHILD_SLOWER");
		return;
	case TP_RULE_FASTER:
		snprintf(ret, size, "%s%s", prefix, relative ? "RELATIVE_SPEEDUP" : "CHILD_FASTER");
		return;
	case TP_RULE_BELOW_GATE:
		snprintf(ret, size, "BELOW_%g_PERCENT_GATE", signal_pct);
		return;
	case TP_RULE_STRADDLES_GATE:
		snprintf(ret, size, "STRADDLES_%g_PERCENT_GATE", signal_pct);
		return;
	case TP_RULE_NO_MATERIAL_SIGNAL:
	case _TP_RULE_MAX:
		snprintf(ret, size, "NO_MATERIAL_SIGNAL");
		return;
	}
}

static void explain(const struct tp_gates *g, struct tp_verdict *v)
{
	double a = v->child_vs_parent_a_pct;
	double b = v->child_vs_parent_b_pct;

	switch (v->rule) {
	case TP_RULE_IDENTITY_FAIL:
	case TP_RULE_SEMANTIC_FAIL:
	case TP_RULE_ENVIRONMENT_FAIL:
	case TP_RULE_QUANTIZATION_FAIL:
	case TP_RULE_NOT_STEADY:
		snprintf(v->reason, sizeof(v->reason), "the numbers may not be judged");
		return;
	case TP_RULE_DRIFT_GATE_FAIL:
		snprintf(v->reason, sizeof(v->reason),
			 "the parents differ by %.3f %%, above the drift gate of %g %%",
			 v->parent_drift_pct, g->drift_pct);
		return;
	case TP_RULE_CV_GATE_FAIL:
		snprintf(v->reason, sizeof(v->reason),
			 "coefficients of variation %.3f, %.3f, %.3f %%: one is above the gate of "
			 "%g %%",
			 v->cv_pct[0], v->cv_pct[1], v->cv_pct[2], g->cv_pct);
		return;
	case TP_RULE_SLOWER:
	case TP_RULE_FASTER:
		snprintf(v->reason, sizeof(v->reason),
			 "%+.3f %% and %+.3f %% against the parents, both past the gate of %g %%",
			 a, b, g->signal_pct);
		return;
	case TP_RULE_BELOW_GATE:
		snprintf(
		    v->reason, sizeof(v->reason),
		    "%+.3f %% and %+.3f %% against the parents, between the floor of %g %% and "
		    "the gate of %g %%",
		    a, b, g->floor_pct, g->signal_pct);
		return;
	case TP_RULE_STRADDLES_GATE:
		snprintf(
		    v->reason, sizeof(v->reason),
		    "%+.3f %% and %+.3f %% against the parents, one on each side of the gate of "
		    "%g %%",
		    a, b, g->signal_pct);
		return;
	case TP_RULE_NO_MATERIAL_SIGNAL:
	case _TP_RULE_MAX:
		snprintf(v->reason, sizeof(v->reason),
			 "%+.3f %% and %+.3f %% against the parents: no slowdown of at least %g %% "
			 "against both and no speed-up past %g %%",
			 a, b, g->floor_pct, g->signal_pct);
		return;
	}
}

int tp_classify(const struct tp_metric_def *metric, const struct tp_gates *gates,
		const struct tp_boot_sample boots[3], const struct tp_disqualified *disqualified,
		struct tp_verdict *ret, struct tp_err *reterr)
{
	struct tp_verdict v = {};
	int r = check_boots(metric, boots, reterr);

	if (r < 0)
		return r;
	compute(boots, &v);
	v.rule = decide(metric, gates, disqualified, &v);
	tp_label_format(v.rule, metric, gates->signal_pct, v.label, sizeof(v.label));
	explain(gates, &v);
	*ret = v;
	return 0;
}
