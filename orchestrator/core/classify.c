/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules 1 to 7, first match wins; see classify.h. Comparisons are of unrounded doubles.
 */
#include "core/classify.h"

#include <errno.h>
#include <math.h>

#include "core/stats.h"

static const char *const boot_names[3] = {"parent A", "the child", "parent B"};

int tp_boot_sample_from(const double *rounds, size_t n, enum tp_location location, bool drop_first,
			struct tp_boot_sample *ret, struct tp_err *reterr)
{
	size_t skip = drop_first ? 1 : 0;
	struct tp_boot_sample sample;

	if (n <= skip)
		return tp_err_set(reterr, -EINVAL, NULL,
				  "no measured round is left to judge; measure at least %zu",
				  skip + 1);
	if (!tp_stats_usable(rounds, n))
		return tp_err_set(reterr, -EINVAL, NULL,
				  "a measured round is not a finite number above 0; measure again");
	sample.n = n - skip;
	sample.location = tp_stats_location(rounds + skip, sample.n, location);
	sample.cv_pct = tp_stats_cv_pct(rounds + skip, sample.n);
	if (isnan(sample.location))
		return tp_err_oom(reterr);
	*ret = sample;
	return 0;
}

static int check_boots(const struct tp_metric_def *metric, const struct tp_boot_sample boots[3],
		       struct tp_err *reterr)
{
	for (int i = 0; i < 3; i++) {
		if (!isfinite(boots[i].location) || boots[i].location <= 0)
			return tp_err_set(reterr, -EINVAL, metric->name,
					  "%s: the location of %s is %g; it must be a finite "
					  "number above 0",
					  metric->name, boot_names[i], boots[i].location);
		if (isinf(boots[i].cv_pct) || boots[i].cv_pct < 0)
			return tp_err_set(reterr, -EINVAL, metric->name,
					  "%s: the coefficient of variation of %s is %g %%; it "
					  "must be a finite number of at least 0",
					  metric->name, boot_names[i], boots[i].cv_pct);
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

/* Two numbers at the far ends of a double have no ratio; an infinite one must not be compared. */
static int check_figures(const struct tp_metric_def *metric, const struct tp_verdict *v,
			 struct tp_err *reterr)
{
	if (isfinite(v->child_vs_parent_a_pct) && isfinite(v->child_vs_parent_b_pct) &&
	    isfinite(v->child_vs_midpoint_pct) && isfinite(v->parent_drift_pct) &&
	    isfinite(v->parent_drift_signed_pct) && isfinite(v->midpoint))
		return 0;
	return tp_err_set(reterr, -EINVAL, metric->name,
			  "%s: parent A, the child and parent B (%g, %g, %g) are too far apart to "
			  "be compared",
			  metric->name, v->parent_a, v->child, v->parent_b);
}

/* Rule 1, or _TP_RULE_MAX when nothing is wrong. */
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

/* NAN (only a location is known) compares false: not judged. */
static bool any_cv_above(const struct tp_verdict *v, double limit_pct)
{
	return v->cv_pct[0] > limit_pct || v->cv_pct[1] > limit_pct || v->cv_pct[2] > limit_pct;
}

/* Rules 4 to 7 on deltas whose sign means harm. */
static enum tp_rule rule_signal(double harm_a, double harm_b, const struct tp_gates *g)
{
	double least = fmin(harm_a, harm_b);
	double most = fmax(harm_a, harm_b);

	if (least >= g->signal_pct)
		return TP_RULE_SLOWER;
	if (most <= -g->signal_pct)
		return TP_RULE_FASTER;
	if (least < g->floor_pct)
		return TP_RULE_NO_MATERIAL_SIGNAL;
	return most < g->signal_pct ? TP_RULE_BELOW_GATE : TP_RULE_STRADDLES_GATE;
}

static enum tp_rule decide(const struct tp_metric_def *metric, const struct tp_gates *g,
			   const struct tp_disqualified *d, const struct tp_verdict *v)
{
	double sign = metric->better == TP_BETTER_HIGHER ? -1 : 1;
	enum tp_rule rule = rule_disqualified(d);

	if (rule != _TP_RULE_MAX)
		return rule;
	if (v->parent_drift_pct > g->drift_pct)
		return TP_RULE_DRIFT_GATE_FAIL;
	if (any_cv_above(v, g->cv_pct))
		return TP_RULE_CV_GATE_FAIL;
	return rule_signal(sign * v->child_vs_parent_a_pct, sign * v->child_vs_parent_b_pct, g);
}

int tp_classify(const struct tp_metric_def *metric, const struct tp_gates *gates,
		const struct tp_boot_sample boots[3], const struct tp_disqualified *disqualified,
		struct tp_verdict *ret, struct tp_err *reterr)
{
	struct tp_verdict v = {};
	int r = tp_gates_validate(gates, reterr);

	if (r == 0)
		r = check_boots(metric, boots, reterr);
	if (r < 0)
		return r;
	compute(boots, &v);
	r = check_figures(metric, &v, reterr);
	if (r < 0)
		return r;
	v.rule = decide(metric, gates, disqualified, &v);
	tp_label_format(v.rule, metric, gates->signal_pct, v.label, sizeof(v.label));
	tp_label_explain(gates, &v, v.reason, sizeof(v.reason));
	*ret = v;
	return 0;
}
