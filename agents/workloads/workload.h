/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload is: a const table of calls, its options and its metrics.
 *
 * A workload reports raw integers and whether its checks held. It never judges, never
 * divides, never writes to the result file, and keeps fixture work out of timed regions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/args.h"
#include "util/err.h"
#include "util/macro.h"

#define TP_SAMPLE_FIELDS 12
#define TP_ROUND_SAMPLES 4
#define TP_METRIC_NAME	 64

struct tp_field {
	const char *name;
	int64_t value;
};

/* One metric of one round; its value is elapsed_ns / ops. */
struct tp_sample {
	char metric[TP_METRIC_NAME];
	int64_t elapsed_ns;
	int64_t ops;
	int order; /* place of this arm inside the round, from 1 */
	bool semantic_ok;
	bool affinity_ok;
	struct tp_field fields[TP_SAMPLE_FIELDS];
	size_t n_fields;
};

struct tp_round {
	bool warmup;
	int64_t number; /* from 1, inside its phase */
	struct tp_sample samples[TP_ROUND_SAMPLES];
	size_t count;
};

struct tp_metric {
	const char *name; /* may begin with "<label>" */
	const char *unit;
	bool control; /* a negative control: it must not move */
};

struct tp_workload;

/* The state of a prepared workload; each one embeds it as its first member. */
struct tp_bench {
	const struct tp_workload *workload;
};

struct tp_workload {
	const char *name;
	const char *help;
	const struct tp_option *options;
	size_t n_options;
	const struct tp_metric *metrics;
	size_t n_metrics;

	/* Make the fixtures; @values runs parallel to @options. Returns 0 or -errno. */
	int (*prepare)(const struct tp_value *values, struct tp_bench **ret_bench,
		       struct tp_err *reterr);

	/*
	 * Measure one round into @round, whose phase and number are set and whose count is 0.
	 * A check that does not hold is a value in the sample; -errno only when measuring
	 * itself was impossible.
	 */
	int (*round)(struct tp_bench *bench, struct tp_round *round, struct tp_err *reterr);

	/* Undo a prepare() that succeeded; takes NULL. */
	void (*cleanup)(struct tp_bench *bench);
};

extern const struct tp_workload tp_workload_inotify_watch;
extern const struct tp_workload tp_workload_fanotify_merge;

/* All workloads, @ret_count of them. */
const struct tp_workload *const *tp_workloads(size_t *ret_count);

/* The workload called @name, or NULL. */
const struct tp_workload *tp_workload_find(const char *name);

/* A fresh sample at the end of @round; its order is its place. */
struct tp_sample *tp_round_sample(struct tp_round *round, const char *fmt, ...) TP_PRINTF(2, 3);

void tp_sample_field(struct tp_sample *sample, const char *name, int64_t value);
