/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inotify-watch: W pinned workers add one watch per instance/inode pair and remove it again.
 *
 * distinct: N inodes. shared: N names that are hard links to one inode, whose connector a
 * keeper watch holds. Every arm gets fresh instances, so that watch descriptors start at 1
 * and no round pays for the history of the rounds before it.
 */
#include "workloads/inotify_arm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "workloads/controls.h"

#define INSTANCES_PATH	  "/proc/sys/fs/inotify/max_user_instances"
#define WATCHES_PATH	  "/proc/sys/fs/inotify/max_user_watches"
#define EVENTS_PATH	  "/proc/sys/fs/inotify/max_queued_events"
#define INSTANCES_SLACK	  64 /* for what else this user runs */
#define DESCRIPTORS_SLACK 128

enum {
	OPT_WORKERS,
	OPT_ITEMS,
	OPT_CPUS,
	OPT_LABEL,
	OPT_DIR,
	OPT_ALLOW_ANY_FS,
	OPT_CONTROLS,
	OPT_CALLS,
	OPT_REPEAT,
	OPT_REST_MS,
	_OPT_MAX,
};

static const struct tp_option options[] = {
    [OPT_WORKERS] = {.name = "workers",
		     .kind = TP_OPTION_NUMBER,
		     .fallback = "1",
		     .min = 1,
		     .max = TP_TEAM_MAX,
		     .help = "pinned workers; each has its share of the pairs"},
    [OPT_ITEMS] = {.name = "items",
		   .kind = TP_OPTION_NUMBER,
		   .fallback = "96",
		   .min = 1,
		   .max = 65536,
		   .help = "inotify instances, and files"},
    [OPT_CPUS] = {.name = "cpus",
		  .kind = TP_OPTION_TEXT,
		  .help = "CPUs of the workers in order, used again when there are fewer; "
			  "default: the first allowed ones"},
    [OPT_LABEL] = {.name = "label",
		   .kind = TP_OPTION_TEXT,
		   .help = "prefix of the metrics; default: p and the number of workers"},
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
		      .help = "measure mask update and path lookup too"},
    [OPT_CALLS] = {.name = "calls",
		   .kind = TP_OPTION_NUMBER,
		   .fallback = "1000",
		   .min = 1,
		   .max = 10000000,
		   .help = "calls per control and round"},
    [OPT_REPEAT] = {.name = "repeat",
		    .kind = TP_OPTION_NUMBER,
		    .fallback = "1",
		    .min = 1,
		    .max = 8192,
		    .help = "add and remove passes inside one timed region"},
    [OPT_REST_MS] = {.name = "rest-ms",
		     .kind = TP_OPTION_NUMBER,
		     .fallback = "0",
		     .min = 0,
		     .max = 10000,
		     .help = "rest before each timed region: the kernel frees marks later, in the "
			     "background, and one region must not pay for the one before it"},
};
static_assert(TP_ARRAY_SIZE(options) == _OPT_MAX, "each option in its place");

static const struct tp_metric metrics[] = {
    {.name = "<label>_distinct_ns_per_watch", .unit = "ns/watch"},
    {.name = "<label>_shared_ns_per_watch", .unit = "ns/watch"},
    {.name = "mask_update_ns_per_call", .unit = "ns/call", .control = true},
    {.name = "path_lookup_ns_per_call", .unit = "ns/call", .control = true},
};

struct inotify_bench {
	struct tp_bench base;
	char label[32];
	bool controls;
	long long calls, rest_ms;
	struct tp_team *team;
	struct tp_fixture fixture;
	struct tp_sysctl instances, watches;
	struct tp_inotify_arm arm;
	tp_path *distinct, *shared, *mask_file;
	int keeper;  /* holds the connector of the shared inode */
	int mask_fd; /* instance of the mask-update control */
};

static void rest(const struct inotify_bench *b)
{
	if (b->rest_ms > 0)
		tp_deadline_sleep(tp_deadline_in(b->rest_ms), b->rest_ms);
}

static int measure_arm(struct inotify_bench *b, bool shared, struct tp_round *round,
		       struct tp_err *reterr)
{
	struct tp_sample *sample =
	    tp_round_sample(round, "%s_%s_ns_per_watch", b->label, shared ? "shared" : "distinct");

	rest(b);
	return tp_inotify_arm_measure(&b->arm, b->team, shared ? b->shared : b->distinct,
				      shared ? b->keeper : -1, sample, reterr);
}

static int round_inotify(struct tp_bench *base, struct tp_round *round, struct tp_err *reterr)
{
	struct inotify_bench *b = (struct inotify_bench *)base;
	bool shared_first = round->number % 2 == 0;
	int r = measure_arm(b, shared_first, round, reterr);

	if (r == 0)
		r = measure_arm(b, !shared_first, round, reterr);
	if (r == 0 && b->controls) {
		rest(b);
		tp_mask_round(b->team, b->mask_fd, b->mask_file[0], b->calls, round);
		rest(b);
		tp_lookup_round(b->team, b->distinct, b->arm.items, b->calls, round);
	}
	return r;
}

static int set_limits(struct inotify_bench *b, long long items, long long repeat,
		      struct tp_err *reterr)
{
	long long queue = tp_sysctl_read(EVENTS_PATH, 16384);
	int r = tp_limit_files((uint64_t)items + DESCRIPTORS_SLACK, reterr);

	if (r == 0 && repeat >= queue)
		r = tp_err_set(reterr, -EINVAL, NULL,
			       "--repeat %lld would overflow the queue of %lld events "
			       "(fs.inotify.max_queued_events)",
			       repeat, queue);
	if (r == 0)
		r = tp_sysctl_raise(INSTANCES_PATH, items + INSTANCES_SLACK, &b->instances, reterr);
	if (r == 0)
		r = tp_sysctl_raise(WATCHES_PATH, items + INSTANCES_SLACK, &b->watches, reterr);
	return r;
}

static int make_files(struct inotify_bench *b, const struct tp_value *values, struct tp_err *reterr)
{
	size_t items = (size_t)values[OPT_ITEMS].number;
	int r = tp_fixture_open(&b->fixture, values[OPT_DIR].text, values[OPT_ALLOW_ANY_FS].number,
				reterr);

	if (r == 0)
		r = tp_fixture_files(&b->fixture, 'd', items, &b->distinct, reterr);
	if (r == 0)
		r = tp_fixture_links(&b->fixture, 's', items, &b->shared, reterr);
	if (r == 0)
		r = tp_fixture_files(&b->fixture, 'm', 1, &b->mask_file, reterr);
	return r;
}

static int start_team(struct inotify_bench *b, const struct tp_value *values, struct tp_err *reterr)
{
	size_t workers = (size_t)values[OPT_WORKERS].number;
	struct tp_cpulist cpus;
	int r = tp_team_cpus(values[OPT_CPUS].text, workers, &cpus, reterr);

	return r < 0 ? r : tp_team_new(&cpus, workers, &b->team, reterr);
}

static int set_label(struct inotify_bench *b, const struct tp_value *values, struct tp_err *reterr)
{
	const char *label = values[OPT_LABEL].text;

	if (!label) {
		snprintf(b->label, sizeof(b->label), "p%lld", values[OPT_WORKERS].number);
		return 0;
	}
	if (strlen(label) >= sizeof(b->label) ||
	    label[strspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
		return tp_err_set(
		    reterr, -EINVAL, NULL,
		    "--label takes up to 31 letters, digits and underscores, not '%s'", label);
	memcpy(b->label, label, strlen(label) + 1);
	return 0;
}

static int fill_bench(struct inotify_bench *b, const struct tp_value *values, struct tp_err *reterr)
{
	long long items = values[OPT_ITEMS].number;
	long long workers = values[OPT_WORKERS].number;
	long long repeat = values[OPT_REPEAT].number;
	int r = set_label(b, values, reterr);

	if (r == 0 && workers > items)
		r = tp_err_set(reterr, -EINVAL, NULL,
			       "%lld workers need at least as many --items, not %lld", workers,
			       items);
	if (r == 0)
		r = set_limits(b, items, repeat, reterr);
	if (r == 0)
		r = make_files(b, values, reterr);
	if (r == 0)
		r = tp_inotify_arm_init(&b->arm, (size_t)items, (size_t)workers, (size_t)repeat,
					reterr);
	if (r == 0)
		r = tp_inotify_open_watch(b->shared[0], &b->keeper, reterr);
	if (r == 0)
		r = tp_inotify_open_watch(b->mask_file[0], &b->mask_fd, reterr);
	return r < 0 ? r : start_team(b, values, reterr);
}

static void cleanup_inotify(struct tp_bench *base)
{
	struct inotify_bench *b = (struct inotify_bench *)base;

	if (!b)
		return;
	tp_team_free(b->team);
	tp_inotify_arm_deinit(&b->arm);
	tp_fd_closep(&b->keeper);
	tp_fd_closep(&b->mask_fd);
	tp_fixture_close(&b->fixture);
	tp_sysctl_restore(&b->instances);
	tp_sysctl_restore(&b->watches);
	free(b->distinct);
	free(b->shared);
	free(b->mask_file);
	free(b);
}

static int prepare_inotify(const struct tp_value *values, struct tp_bench **ret_bench,
			   struct tp_err *reterr)
{
	struct inotify_bench *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return tp_err_oom(reterr);
	*b = (struct inotify_bench){.base.workload = &tp_workload_inotify_watch,
				    .controls = values[OPT_CONTROLS].number,
				    .calls = values[OPT_CALLS].number,
				    .rest_ms = values[OPT_REST_MS].number,
				    .keeper = -1,
				    .mask_fd = -1};
	r = fill_bench(b, values, reterr);
	if (r < 0) {
		cleanup_inotify(&b->base);
		return r;
	}
	*ret_bench = &b->base;
	return 0;
}

const struct tp_workload tp_workload_inotify_watch = {
    .name = "inotify-watch",
    .help = "add and remove one inotify watch per instance/inode pair",
    .options = options,
    .n_options = TP_ARRAY_SIZE(options),
    .metrics = metrics,
    .n_metrics = TP_ARRAY_SIZE(metrics),
    .prepare = prepare_inotify,
    .round = round_inotify,
    .cleanup = cleanup_inotify,
};
