/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fanotify-merge: N files, touched again and again under a group that nobody reads, so that
 * every event searches the queued ones for one to merge with.
 *
 * Two arms in alternating order, an unlimited and a limited queue. Every arm gets a fresh
 * group; files, marks and the reading of the queue stay outside the timed region.
 */
#include "workloads/fanotify_arm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/controls.h"

#define DESCRIPTORS_SLACK 256

enum {
	OPT_ITEMS,
	OPT_PASSES,
	OPT_TOUCH,
	OPT_CPUS,
	OPT_DIR,
	OPT_ALLOW_ANY_FS,
	OPT_CONTROLS,
	OPT_CALLS,
	_OPT_MAX,
};

static const struct tp_option options[] = {
    [OPT_ITEMS] = {.name = "items",
		   .kind = TP_OPTION_NUMBER,
		   .fallback = "512",
		   .min = 1,
		   .max = 65536,
		   .help = "files"},
    [OPT_PASSES] = {.name = "passes",
		    .kind = TP_OPTION_NUMBER,
		    .fallback = "2",
		    .min = 1,
		    .max = 10000,
		    .help = "times that each file is touched inside one timed region"},
    [OPT_TOUCH] = {.name = "touch",
		   .kind = TP_OPTION_TEXT,
		   .fallback = "open",
		   .help = "open (open and close) or read (one byte from an open file)"},
    [OPT_CPUS] = {.name = "cpus",
		  .kind = TP_OPTION_TEXT,
		  .help = "the first one is used; default: the first allowed CPU"},
    [OPT_DIR] = {.name = "dir",
		 .kind = TP_OPTION_TEXT,
		 .help = "tmpfs for the files; default: /dev/shm or /tmp"},
    [OPT_ALLOW_ANY_FS] = {.name = "allow-any-fs",
			  .kind = TP_OPTION_YESNO,
			  .fallback = "no",
			  .help = "accept another file system than tmpfs"},
    [OPT_CONTROLS] = {.name = "controls",
		      .kind = TP_OPTION_YESNO,
		      .fallback = "yes",
		      .help = "measure path lookup too"},
    [OPT_CALLS] = {.name = "calls",
		   .kind = TP_OPTION_NUMBER,
		   .fallback = "1000",
		   .min = 1,
		   .max = 10000000,
		   .help = "calls per control and round"},
};
static_assert(TP_ARRAY_SIZE(options) == _OPT_MAX, "each option in its place");

static const struct tp_metric metrics[] = {
    {.name = "merge_unlimited_ns_per_event", .unit = "ns/event"},
    {.name = "merge_limited_ns_per_event", .unit = "ns/event"},
    {.name = "path_lookup_ns_per_call", .unit = "ns/call", .control = true},
};

static const char *const touch_names[] = {
    [TP_FANOTIFY_OPEN] = "open",
    [TP_FANOTIFY_READ] = "read",
};
static_assert(TP_ARRAY_SIZE(touch_names) == _TP_FANOTIFY_TOUCH_MAX, "a name for each touch");

struct fanotify_bench {
	struct tp_bench base;
	bool controls;
	long long calls;
	struct tp_team *team;
	struct tp_fixture fixture;
	struct tp_fanotify_arm arm;
	tp_path *paths;
};

static int measure_arm(struct fanotify_bench *b, bool unlimited, struct tp_round *round,
		       struct tp_err *reterr)
{
	struct tp_sample *sample =
	    tp_round_sample(round, "merge_%s_ns_per_event", unlimited ? "unlimited" : "limited");

	return tp_fanotify_arm_measure(&b->arm, b->team, unlimited, sample, reterr);
}

static int round_fanotify(struct tp_bench *base, struct tp_round *round, struct tp_err *reterr)
{
	struct fanotify_bench *b = (struct fanotify_bench *)base;
	bool unlimited_first = round->number % 2 == 1;
	int r = measure_arm(b, unlimited_first, round, reterr);

	if (r == 0)
		r = measure_arm(b, !unlimited_first, round, reterr);
	if (r == 0 && b->controls)
		tp_lookup_round(b->team, b->paths, b->arm.items, b->calls, round);
	return r;
}

static int parse_touch(const char *text, enum tp_fanotify_touch *ret, struct tp_err *reterr)
{
	for (int i = 0; i < _TP_FANOTIFY_TOUCH_MAX; i++) {
		if (strcmp(text, touch_names[i]) == 0) {
			*ret = (enum tp_fanotify_touch)i;
			return 0;
		}
	}
	return tp_err_set(reterr, -EINVAL, NULL, "--touch takes open or read, not '%s'", text);
}

static int make_files(struct fanotify_bench *b, const struct tp_value *values,
		      struct tp_err *reterr)
{
	size_t items = (size_t)values[OPT_ITEMS].number;
	enum tp_fanotify_touch touch = TP_FANOTIFY_OPEN;
	int r = parse_touch(values[OPT_TOUCH].text, &touch, reterr);

	if (r == 0)
		r = tp_limit_files(items + DESCRIPTORS_SLACK, reterr);
	if (r == 0)
		r = tp_fixture_open(&b->fixture, values[OPT_DIR].text,
				    values[OPT_ALLOW_ANY_FS].number, reterr);
	if (r == 0)
		r = tp_fixture_files(&b->fixture, 'f', items, &b->paths, reterr);
	if (r < 0)
		return r;
	return tp_fanotify_arm_init(&b->arm, b->paths, items, (size_t)values[OPT_PASSES].number,
				    touch, reterr);
}

static int start_worker(struct fanotify_bench *b, const struct tp_value *values,
			struct tp_err *reterr)
{
	struct tp_cpulist cpus;
	int r = tp_team_cpus(values[OPT_CPUS].text, 1, &cpus, reterr);

	return r < 0 ? r : tp_team_new(&cpus, 1, &b->team, reterr);
}

static void cleanup_fanotify(struct tp_bench *base)
{
	struct fanotify_bench *b = (struct fanotify_bench *)base;

	if (!b)
		return;
	tp_team_free(b->team);
	tp_fanotify_arm_deinit(&b->arm);
	tp_fixture_close(&b->fixture);
	free(b->paths);
	free(b);
}

static int prepare_fanotify(const struct tp_value *values, struct tp_bench **ret_bench,
			    struct tp_err *reterr)
{
	struct fanotify_bench *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return tp_err_oom(reterr);
	*b = (struct fanotify_bench){.base.workload = &tp_workload_fanotify_merge,
				     .controls = values[OPT_CONTROLS].number,
				     .calls = values[OPT_CALLS].number};
	r = make_files(b, values, reterr);
	if (r == 0)
		r = start_worker(b, values, reterr);
	if (r < 0) {
		cleanup_fanotify(&b->base);
		return r;
	}
	*ret_bench = &b->base;
	return 0;
}

const struct tp_workload tp_workload_fanotify_merge = {
    .name = "fanotify-merge",
    .help = "make events that search a fanotify queue for one to merge with",
    .options = options,
    .n_options = TP_ARRAY_SIZE(options),
    .metrics = metrics,
    .n_metrics = TP_ARRAY_SIZE(metrics),
    .prepare = prepare_fanotify,
    .round = round_fanotify,
    .cleanup = cleanup_fanotify,
};
