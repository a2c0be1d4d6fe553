/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a schema cannot say about a protocol; see protocol_check.h. */
#include "config/protocol_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define METRIC LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "_.-"

static const int default_looks[] = {3, 5, 7, 9};

/* A limit that the file leaves out has its default. */
struct limit {
	const char *path;
	size_t offset;
};

static const struct limit limits[] = {
    {"gates.signal_pct", offsetof(struct tp_protocol, gates.signal_pct)},
    {"gates.drift_pct", offsetof(struct tp_protocol, gates.drift_pct)},
    {"gates.cv_pct", offsetof(struct tp_protocol, gates.cv_pct)},
    {"gates.floor_pct", offsetof(struct tp_protocol, gates.floor_pct)},
    {"gates.quantum_pct", offsetof(struct tp_protocol, gates.quantum_pct)},
    {"gates.steady_pct", offsetof(struct tp_protocol, gates.steady_pct)},
    {"boots.alpha", offsetof(struct tp_protocol, alpha)},
};

static double *limit_at(struct tp_protocol *p, const struct limit *limit)
{
	return (double *)((char *)p + limit->offset);
}

static int fill_defaults(struct tp_doc *doc, struct tp_protocol *p, struct tp_err *reterr)
{
	struct tp_protocol defaults = {.gates = tp_gates_default(), .alpha = 0.05};

	for (size_t i = 0; i < TP_ARRAY_SIZE(limits); i++) {
		if (!tp_doc_find(doc, limits[i].path))
			*limit_at(p, &limits[i]) = *limit_at(&defaults, &limits[i]);
	}
	if (p->looks)
		return 0;
	p->looks = malloc(sizeof(default_looks));
	if (!p->looks)
		return tp_err_oom(reterr);
	memcpy(p->looks, default_looks, sizeof(default_looks));
	p->n_looks = TP_ARRAY_SIZE(default_looks);
	return 0;
}

static bool is_metric_name(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= 128 && strspn(name, METRIC) == n;
}

static int check_pair(struct tp_doc *doc, const struct tp_metric_def *m, const yaml_node_t *node,
		      struct tp_err *reterr)
{
	if (!m->paired_num || (is_metric_name(m->paired_num) && is_metric_name(m->paired_den)))
		return 0;
	return tp_doc_error(doc, node, reterr,
			    "paired of %.80s must be two names of measured values", m->name);
}

static int check_metric(struct tp_doc *doc, const struct tp_protocol *p, int i,
			struct tp_err *reterr)
{
	const struct tp_metric_def *m = &p->metrics[i];
	const yaml_node_t *node;
	char path[48];

	snprintf(path, sizeof(path), "metrics.%d.name", i);
	node = tp_doc_near(doc, path);
	if (!is_metric_name(m->name))
		return tp_doc_error(doc, node, reterr,
				    "\"%.80s\" cannot name a metric: letters, digits and _ . - "
				    "only, at most 128",
				    m->name);
	for (int k = 0; k < i; k++) {
		if (strcmp(p->metrics[k].name, m->name) == 0)
			return tp_doc_error(doc, node, reterr,
					    "the metric %.80s is here a second time; keep one",
					    m->name);
	}
	snprintf(path, sizeof(path), "metrics.%d.paired", i);
	return check_pair(doc, m, tp_doc_near(doc, path), reterr);
}

static int check_name(struct tp_doc *doc, const char *name, struct tp_err *reterr)
{
	size_t n = strlen(name);

	if (n <= 64 && strchr(LOWER DIGITS, name[0]) && strspn(name, LOWER DIGITS "-_.") == n)
		return 0;
	return tp_doc_error(doc, tp_doc_near(doc, "name"), reterr,
			    "name is \"%.80s\"; it must be 1 to 64 lower-case letters, digits and "
			    "- _ .",
			    name);
}

/* core says which key it refuses; here is where that key stands. */
static int check_plan(struct tp_doc *doc, const struct tp_protocol *p, struct tp_err *reterr)
{
	struct tp_err refused = {};

	if (tp_protocol_validate(p, &refused) == 0)
		return 0;
	return tp_doc_error(doc, tp_doc_near(doc, refused.origin), reterr, "%s", refused.text);
}

int tp_protocol_check(struct tp_doc *doc, struct tp_protocol *p, struct tp_err *reterr)
{
	int r = fill_defaults(doc, p, reterr);

	if (r == 0)
		r = check_name(doc, p->name, reterr);
	for (int i = 0; r == 0 && i < p->n_metrics; i++)
		r = check_metric(doc, p, i, reterr);
	return r < 0 ? r : check_plan(doc, p, reterr);
}
