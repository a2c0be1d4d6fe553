/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One arm of inotify-watch; see inotify_arm.h. */
#include "workloads/inotify_arm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "workloads/timing.h"

/* A cache line each: workers must not share one while they count. */
struct tp_inotify_lane {
	int64_t add_ns, remove_ns;
	int64_t add_failures, remove_failures;
} __attribute__((aligned(128)));

struct arm_job {
	struct tp_team_job base;
	struct tp_inotify_arm *arm;
	tp_path *paths;
};

struct event_tally {
	int64_t ignored, unexpected, overflow;
};

int tp_inotify_open(int *ret_fd, struct tp_err *reterr)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (errno == ENOSYS)
		return tp_err_set(reterr, -ENOSYS, NULL,
				  "this kernel has no inotify (CONFIG_INOTIFY_USER)");
	if (errno == EMFILE)
		return tp_err_set(reterr, -EMFILE, NULL,
				  "no more inotify instances: raise fs.inotify.max_user_instances "
				  "and `ulimit -n`, or lower --items");
	return tp_err_set(reterr, -errno, NULL, "cannot make an inotify instance: %s",
			  strerror(errno));
}

int tp_inotify_open_watch(const char *path, int *ret_fd, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = -1;
	int r = tp_inotify_open(&fd, reterr);

	if (r < 0)
		return r;
	if (inotify_add_watch(fd, path, TP_INOTIFY_MASK) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot watch %s: %s%s", path,
				  strerror(errno),
				  errno == ENOSPC ? " (fs.inotify.max_user_watches)" : "");
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int tp_inotify_arm_init(struct tp_inotify_arm *arm, size_t items, size_t workers, size_t repeat,
			struct tp_err *reterr)
{
	*arm = (struct tp_inotify_arm){.items = items, .workers = workers, .repeat = repeat};
	arm->fds = malloc(items * sizeof(*arm->fds));
	arm->wds = malloc(repeat * items * sizeof(*arm->wds));
	arm->lanes = aligned_alloc(128, workers * sizeof(*arm->lanes));
	if (!arm->fds || !arm->wds || !arm->lanes)
		return tp_err_oom(reterr);
	memset(arm->fds, 0xff, items * sizeof(*arm->fds));
	memset(arm->wds, 0xff, repeat * items * sizeof(*arm->wds));
	memset(arm->lanes, 0, workers * sizeof(*arm->lanes));
	return 0;
}

static void close_instances(struct tp_inotify_arm *arm)
{
	for (size_t i = 0; i < arm->items; i++)
		tp_fd_closep(&arm->fds[i]);
}

void tp_inotify_arm_deinit(struct tp_inotify_arm *arm)
{
	if (arm->fds)
		close_instances(arm);
	free(arm->fds);
	free(arm->wds);
	free(arm->lanes);
	*arm = (struct tp_inotify_arm){};
}

static int open_instances(struct tp_inotify_arm *arm, struct tp_err *reterr)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < arm->items; i++)
		r = tp_inotify_open(&arm->fds[i], reterr);
	return r;
}

static void add_watches(const struct arm_job *job, int *wds, size_t first, size_t end,
			struct tp_inotify_lane *lane)
{
	int64_t start = tp_timing_ns();

	for (size_t i = first; i < end; i++) {
		wds[i] = inotify_add_watch(job->arm->fds[i], job->paths[i], TP_INOTIFY_MASK);
		lane->add_failures += wds[i] < 0;
	}
	lane->add_ns += tp_timing_ns() - start;
}

static void remove_watches(const struct arm_job *job, const int *wds, size_t first, size_t end,
			   struct tp_inotify_lane *lane)
{
	int64_t start = tp_timing_ns();

	for (size_t i = first; i < end; i++)
		lane->remove_failures += inotify_rm_watch(job->arm->fds[i], wds[i]) < 0;
	lane->remove_ns += tp_timing_ns() - start;
}

static void run_passes(struct tp_team_job *base, size_t worker)
{
	struct arm_job *job = (struct arm_job *)base;
	struct tp_inotify_arm *arm = job->arm;
	size_t first = arm->items * worker / arm->workers;
	size_t end = arm->items * (worker + 1) / arm->workers;
	struct tp_inotify_lane lane = {};

	for (size_t pass = 0; pass < arm->repeat; pass++) {
		int *wds = arm->wds + pass * arm->items;

		add_watches(job, wds, first, end, &lane);
		remove_watches(job, wds, first, end, &lane);
	}
	arm->lanes[worker] = lane;
}

static void tally_event(const struct tp_inotify_arm *arm, size_t item,
			const struct inotify_event *event, size_t *pass, struct event_tally *tally)
{
	bool expected = *pass < arm->repeat && event->wd == arm->wds[*pass * arm->items + item];

	if (event->mask & IN_Q_OVERFLOW) {
		tally->overflow++;
	} else if ((event->mask & IN_IGNORED) && expected) {
		tally->ignored++;
		(*pass)++;
	} else {
		tally->unexpected++;
	}
}

/* Read every event of one instance: nothing but one IN_IGNORED per pass, in order, may be there. */
static void drain_instance(const struct tp_inotify_arm *arm, size_t item, struct event_tally *tally)
{
	_Alignas(struct inotify_event) char block[16384];
	size_t pass = 0;
	ssize_t n;

	while ((n = read(arm->fds[item], block, sizeof(block))) > 0) {
		for (char *p = block; p < block + n;) {
			const struct inotify_event *event = (const struct inotify_event *)p;

			tally_event(arm, item, event, &pass, tally);
			p += sizeof(*event) + event->len;
		}
	}
}

static int64_t count_silence_broken(int keeper)
{
	char block[4096];

	return keeper >= 0 && read(keeper, block, sizeof(block)) > 0;
}

static void fill_sample(const struct tp_inotify_arm *arm, int keeper, struct tp_sample *sample)
{
	struct event_tally tally = {.unexpected = count_silence_broken(keeper)};
	struct tp_inotify_lane sum = {};
	int64_t ops = (int64_t)(arm->items * arm->repeat);

	for (size_t i = 0; i < arm->items; i++)
		drain_instance(arm, i, &tally);
	for (size_t w = 0; w < arm->workers; w++) {
		sum.add_ns += arm->lanes[w].add_ns;
		sum.remove_ns += arm->lanes[w].remove_ns;
		sum.add_failures += arm->lanes[w].add_failures;
		sum.remove_failures += arm->lanes[w].remove_failures;
	}
	sample->elapsed_ns = sum.add_ns + sum.remove_ns;
	sample->ops = ops;
	sample->semantic_ok = sum.add_failures == 0 && sum.remove_failures == 0 &&
			      tally.ignored == ops && tally.unexpected == 0 && tally.overflow == 0;
	tp_sample_field(sample, "add_ns", sum.add_ns);
	tp_sample_field(sample, "remove_ns", sum.remove_ns);
	tp_sample_field(sample, "add_failures", sum.add_failures);
	tp_sample_field(sample, "remove_failures", sum.remove_failures);
	tp_sample_field(sample, "ignored_events", tally.ignored);
	tp_sample_field(sample, "unexpected_events", tally.unexpected);
	tp_sample_field(sample, "overflow", tally.overflow);
}

int tp_inotify_arm_measure(struct tp_inotify_arm *arm, struct tp_team *team, tp_path *paths,
			   int keeper, struct tp_sample *sample, struct tp_err *reterr)
{
	struct arm_job job = {.base = {.run = run_passes}, .arm = arm, .paths = paths};
	int r = open_instances(arm, reterr);

	if (r == 0) {
		sample->affinity_ok = tp_team_run(team, &job.base, arm->workers);
		fill_sample(arm, keeper, sample);
		tp_sample_field(sample, "preemptions", tp_team_preemptions(team, arm->workers));
	}
	close_instances(arm);
	return r;
}
