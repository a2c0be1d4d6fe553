/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frozen measurement plan; see protocol.h. */
#include "core/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 1000000

static const char *const location_words[] = {
    [TP_LOCATION_MEDIAN] = "median",
    [TP_LOCATION_MEAN] = "mean",
};
static_assert(TP_ARRAY_SIZE(location_words) == _TP_LOCATION_MAX);

static const char *const drop_first_words[] = {
    [TP_DROP_FIRST_SENSITIVITY] = "sensitivity",
    [TP_DROP_FIRST_PRIMARY] = "primary",
    [TP_DROP_FIRST_OFF] = "off",
};
static_assert(TP_ARRAY_SIZE(drop_first_words) == _TP_DROP_FIRST_MAX);

static const char *const better_words[] = {
    [TP_BETTER_LOWER] = "lower",
    [TP_BETTER_HIGHER] = "higher",
};
static_assert(TP_ARRAY_SIZE(better_words) == _TP_BETTER_MAX);

static const char *const metric_role_words[] = {
    [TP_METRIC_PRIMARY] = "primary",
    [TP_METRIC_AUXILIARY] = "auxiliary",
    [TP_METRIC_CONTROL] = "control",
};
static_assert(TP_ARRAY_SIZE(metric_role_words) == _TP_METRIC_ROLE_MAX);

static const char *word_of(const char *const *words, int n, int value)
{
	return value >= 0 && value < n ? words[value] : "?";
}

const char *tp_location_name(enum tp_location location)
{
	return word_of(location_words, _TP_LOCATION_MAX, (int)location);
}

const char *tp_drop_first_name(enum tp_drop_first drop)
{
	return word_of(drop_first_words, _TP_DROP_FIRST_MAX, (int)drop);
}

const char *tp_better_name(enum tp_better better)
{
	return word_of(better_words, _TP_BETTER_MAX, (int)better);
}

const char *tp_metric_role_name(enum tp_metric_role role)
{
	return word_of(metric_role_words, _TP_METRIC_ROLE_MAX, (int)role);
}

void tp_protocol_deinit(struct tp_protocol *p)
{
	free(p->name);
	free(p->workload.agent);
	for (int i = 0; i < p->workload.n_params; i++)
		free(p->workload.params[i]);
	free(p->workload.params);
	free(p->looks);
	for (int i = 0; i < p->n_metrics; i++) {
		free(p->metrics[i].name);
		free(p->metrics[i].paired_num);
		free(p->metrics[i].paired_den);
	}
	free(p->metrics);
	*p = (struct tp_protocol){};
}

struct tp_gates tp_gates_default(void)
{
	return (struct tp_gates){
	    .signal_pct = 5,
	    .drift_pct = 5,
	    .cv_pct = 15,
	    .floor_pct = 2,
	    .quantum_pct = 0.1,
	};
}

static int refuse(struct tp_err *reterr, const char *key, const char *what)
{
	return tp_err_set(reterr, -EINVAL, key, "%s: %s", key, what);
}

static bool is_limit(double value)
{
	return isfinite(value) && value > 0;
}

int tp_gates_validate(const struct tp_gates *g, struct tp_err *reterr)
{
	const struct {
		const char *key;
		double value;
	} limits[] = {
	    {"signal_pct", g->signal_pct},
	    {"drift_pct", g->drift_pct},
	    {"cv_pct", g->cv_pct},
	    {"quantum_pct", g->quantum_pct},
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(limits); i++) {
		if (!is_limit(limits[i].value))
			return tp_err_set(reterr, -EINVAL, "gates",
					  "gates: %s is %g; it must be a finite number above 0",
					  limits[i].key, limits[i].value);
	}
	if (!isfinite(g->steady_pct) || g->steady_pct < 0)
		return refuse(reterr, "gates.steady_pct",
			      "it must be a finite number of at least 0");
	if (!isfinite(g->floor_pct) || g->floor_pct < 0)
		return refuse(reterr, "gates.floor_pct",
			      "it must be a finite number of at least 0");
	if (g->floor_pct > g->signal_pct)
		return refuse(reterr, "gates.floor_pct", "it must not be above signal_pct");
	return 0;
}

static int check_looks(const struct tp_protocol *p, struct tp_err *reterr)
{
	if (!(p->alpha > 0 && p->alpha < 1))
		return refuse(reterr, "boots.alpha", "it must lie between 0 and 1");
	for (int i = 0; i < p->n_looks; i++) {
		if (p->looks[i] < 3 || p->looks[i] > 99 || p->looks[i] % 2 == 0)
			return refuse(reterr, "boots.looks", "each look is an odd number from 3");
		if (i > 0 && p->looks[i] <= p->looks[i - 1])
			return refuse(reterr, "boots.looks", "the looks must rise");
	}
	return 0;
}

static int check_metric(const struct tp_protocol *p, int index, struct tp_err *reterr)
{
	const struct tp_metric_def *m = &p->metrics[index];

	if (!m->name || !m->name[0])
		return refuse(reterr, "metrics", "a metric has no name");
	for (int i = 0; i < index; i++) {
		if (strcmp(p->metrics[i].name, m->name) == 0)
			return tp_err_set(reterr, -EINVAL, "metrics", "metrics: %s is named twice",
					  m->name);
	}
	if (!m->paired_num != !m->paired_den)
		return tp_err_set(reterr, -EINVAL, "metrics",
				  "metrics: %s: `paired` takes two names", m->name);
	if (m->paired_num && strcmp(m->paired_num, m->paired_den) == 0)
		return tp_err_set(reterr, -EINVAL, "metrics",
				  "metrics: %s: `paired` takes two different names", m->name);
	return 0;
}

int tp_protocol_validate(const struct tp_protocol *p, struct tp_err *reterr)
{
	bool judged = false;
	int r;

	if (!p->name || !p->name[0])
		return refuse(reterr, "name", "a protocol needs a name");
	if (!p->workload.agent || !p->workload.agent[0])
		return refuse(reterr, "workload.agent", "name the agent's workload");
	if (p->warmup < 0 || p->warmup > ROUNDS_MAX)
		return refuse(reterr, "warmup", "it must lie between 0 and 1000000");
	if (p->rounds < 1 || p->rounds > ROUNDS_MAX)
		return refuse(reterr, "rounds", "it must lie between 1 and 1000000");
	if (p->drop_first == TP_DROP_FIRST_PRIMARY && p->rounds < 2)
		return refuse(reterr, "drop_first", "dropping the first of one round leaves none");
	r = tp_gates_validate(&p->gates, reterr);
	if (r == 0)
		r = check_looks(p, reterr);
	for (int i = 0; r == 0 && i < p->n_metrics; i++) {
		r = check_metric(p, i, reterr);
		judged = judged || p->metrics[i].role != TP_METRIC_CONTROL;
	}
	if (r == 0 && !judged)
		return refuse(reterr, "metrics", "at least one metric must not be a control");
	return r;
}
