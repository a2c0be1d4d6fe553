/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From three boots' locations to a label: rules 1 to 7 of docs/measurement.md, first match wins.
 *
 * Pure. The gates come from a frozen protocol; nothing here can relax them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/protocol.h"
#include "util/err.h"

/* In the order in which they are tried, but for SLOWER to NO_MATERIAL_SIGNAL, which exclude one
 * another. The first five are rule 1, BELOW and STRADDLES together are rule 6. */
enum tp_rule {
	TP_RULE_IDENTITY_FAIL,
	TP_RULE_SEMANTIC_FAIL,
	TP_RULE_ENVIRONMENT_FAIL,
	TP_RULE_QUANTIZATION_FAIL,
	TP_RULE_NOT_STEADY,
	TP_RULE_DRIFT_GATE_FAIL,
	TP_RULE_CV_GATE_FAIL,
	TP_RULE_SLOWER,
	TP_RULE_FASTER,
	TP_RULE_BELOW_GATE,
	TP_RULE_STRADDLES_GATE,
	TP_RULE_NO_MATERIAL_SIGNAL,
	_TP_RULE_MAX,
};

/* One metric of one boot as the classifier sees it: its measured rounds, summarised. */
struct tp_boot_sample {
	double location;
	double cv_pct; /* NAN when only a location is known: the CV gate is then not judged */
	size_t n;
};

/*
 * Summarise the measured rounds of one boot, in their order; with @drop_first, those without
 * round 1. Returns 0; -EINVAL when a round is not a finite number above 0 or no round is left
 * (@reterr names neither boot nor metric: prefix it); -ENOMEM.
 */
TP_MUST_CHECK int tp_boot_sample_from(const double *rounds, size_t n, enum tp_location location,
				      bool drop_first, struct tp_boot_sample *ret,
				      struct tp_err *reterr);

/* Facts that decide rule 1; all false when nothing is wrong. */
struct tp_disqualified {
	bool identity;
	bool semantic;
	bool environment;
	bool quantization;
	bool not_steady;
};

struct tp_verdict {
	double parent_a, child, parent_b; /* locations */
	double midpoint;		  /* (A + B) / 2 */
	double child_vs_parent_a_pct;	  /* 100 (C/A - 1) */
	double child_vs_parent_b_pct;
	double child_vs_midpoint_pct;
	double parent_drift_pct;	/* 100 |B - A| / M: the gate */
	double parent_drift_signed_pct; /* 100 (B/A - 1) */
	double cv_pct[3];		/* in boot order */
	enum tp_rule rule;
	char label[64];	  /* e.g. EXACT_CHILD_SLOWER, BELOW_5_PERCENT_GATE */
	char reason[256]; /* one sentence: which numbers met which limit */
};

/*
 * Judge one metric of an A-child-B sandwich; @boots are in boot order.
 *
 * Signs: deltas are always of the raw value; harm follows @metric->better. Returns 0, or
 * -EINVAL when the gates are not valid, a location is not finite or not positive, a CV is
 * infinite or negative, or the three are so far apart that their ratio is no number (@reterr
 * names metric and role). Rule 1 does not excuse such numbers.
 */
TP_MUST_CHECK int tp_classify(const struct tp_metric_def *metric, const struct tp_gates *gates,
			      const struct tp_boot_sample boots[3],
			      const struct tp_disqualified *disqualified, struct tp_verdict *ret,
			      struct tp_err *reterr);

/*
 * The label's text for @rule, metric role and pairing; @signal_pct prints as %g. Primary and
 * control metrics have the prefix EXACT_, auxiliary ones AUXILIARY_; only rules 2 to 5 have one.
 */
void tp_label_format(enum tp_rule rule, const struct tp_metric_def *metric, double signal_pct,
		     char *ret, size_t size);

/* One sentence: which numbers of @verdict met which limit, so that its rule applied. */
void tp_label_explain(const struct tp_gates *gates, const struct tp_verdict *verdict, char *ret,
		      size_t size);
