/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frozen measurement plan: workload, rounds, gates, metrics.
 *
 * A plain value; config/protocol.c reads it from YAML, store/ keeps its text and hash.
 * Pure: no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "util/err.h"

enum tp_location {
	TP_LOCATION_MEDIAN,
	TP_LOCATION_MEAN,
	_TP_LOCATION_MAX,
};

enum tp_drop_first {
	TP_DROP_FIRST_SENSITIVITY, /* judge with all rounds, report the label without round 1 too */
	TP_DROP_FIRST_PRIMARY,	   /* judge without measured round 1 */
	TP_DROP_FIRST_OFF,
	_TP_DROP_FIRST_MAX,
};

enum tp_better {
	TP_BETTER_LOWER,
	TP_BETTER_HIGHER,
	_TP_BETTER_MAX,
};

enum tp_metric_role {
	TP_METRIC_PRIMARY,
	TP_METRIC_AUXILIARY,
	TP_METRIC_CONTROL, /* negative control: must land in rule 7 */
	_TP_METRIC_ROLE_MAX,
};

/* Word of each value, as in YAML, SQL and JSON; "?" for a value out of range. */
const char *tp_location_name(enum tp_location location);
const char *tp_drop_first_name(enum tp_drop_first drop);
const char *tp_better_name(enum tp_better better);
const char *tp_metric_role_name(enum tp_metric_role role);

/* Limits fixed before the first boot; percentages. Defaults 5, 5, 15, 2, 0.1, 0. */
struct tp_gates {
	double signal_pct;
	double drift_pct;
	double cv_pct;
	double floor_pct;
	double quantum_pct;
	double steady_pct; /* 0: not tested */
};

struct tp_metric_def {
	char *name;
	enum tp_better better;
	enum tp_metric_role role;
	char *paired_num; /* both NULL for a plain metric; else value = num / den in one round */
	char *paired_den;
};

struct tp_workload {
	char *agent;   /* name of the agent's workload */
	char **params; /* "--key" "value" pairs for the agent, NULL-terminated, validated */
	int n_params;  /* texts, twice the pairs */
};

struct tp_protocol {
	char *name;
	struct tp_workload workload;
	int warmup; /* rounds, >= 0 */
	int rounds; /* measured rounds, >= 1 */
	enum tp_location location;
	enum tp_drop_first drop_first;
	struct tp_gates gates;
	int *looks; /* boots at which more may be asked for: 3, 5, 7, 9 */
	int n_looks;
	double alpha;
	struct tp_metric_def *metrics;
	int n_metrics;
};

/* Frees all of it and leaves an empty value; does nothing to an empty one. */
void tp_protocol_deinit(struct tp_protocol *protocol);

/* Gates with the default limits. */
struct tp_gates tp_gates_default(void);

/* Limits finite and above 0, 0 <= floor <= signal, steady at least 0. Returns 0, or -EINVAL naming
 * the key. */
TP_MUST_CHECK int tp_gates_validate(const struct tp_gates *gates, struct tp_err *reterr);

/*
 * Is the plan consistent? Names there and unique, pairs complete, gates valid, warmup in
 * 0..1000000, rounds in 1..1000000, looks odd and rising, at least one metric that is not a
 * control. Returns 0, or -EINVAL with a sentence that names the key; its origin is that key too.
 */
TP_MUST_CHECK int tp_protocol_validate(const struct tp_protocol *protocol, struct tp_err *reterr);
