/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One arm of fanotify-merge; see fanotify_arm.h. */
#include "workloads/fanotify_arm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "workloads/fanotify_events.h"
#include "workloads/timing.h"

struct touch_job {
	struct tp_team_job base;
	const struct tp_fanotify_arm *arm;
	int64_t elapsed_ns;
	int64_t failures;
};

static int compare_inodes(const void *a, const void *b)
{
	ino_t x = *(const ino_t *)a;
	ino_t y = *(const ino_t *)b;

	return (x > y) - (x < y);
}

static int open_one(struct tp_fanotify_arm *arm, size_t i)
{
	_cleanup_(tp_fd_closep) int fd = open(arm->paths[i], O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	arm->inodes[i] = st.st_ino;
	if (arm->fds) {
		arm->fds[i] = fd;
		fd = -1;
	}
	return 0;
}

int tp_fanotify_arm_init(struct tp_fanotify_arm *arm, tp_path *paths, size_t items, size_t passes,
			 enum tp_fanotify_touch touch, struct tp_err *reterr)
{
	*arm = (struct tp_fanotify_arm){
	    .items = items, .passes = passes, .touch = touch, .paths = paths};
	arm->inodes = calloc(items, sizeof(*arm->inodes));
	arm->seen = calloc(items, sizeof(*arm->seen));
	if (touch == TP_FANOTIFY_READ)
		arm->fds = malloc(items * sizeof(*arm->fds));
	if (!arm->inodes || !arm->seen || (touch == TP_FANOTIFY_READ && !arm->fds))
		return tp_err_oom(reterr);
	if (arm->fds)
		memset(arm->fds, 0xff, items * sizeof(*arm->fds));
	for (size_t i = 0; i < items; i++) {
		int r = open_one(arm, i);

		if (r < 0)
			return tp_err_set(reterr, r, NULL, "cannot open %s: %s", paths[i],
					  strerror(-r));
	}
	qsort(arm->inodes, items, sizeof(*arm->inodes), compare_inodes);
	return 0;
}

void tp_fanotify_arm_deinit(struct tp_fanotify_arm *arm)
{
	for (size_t i = 0; arm->fds && i < arm->items; i++)
		tp_fd_closep(&arm->fds[i]);
	free(arm->fds);
	free(arm->inodes);
	free(arm->seen);
	*arm = (struct tp_fanotify_arm){};
}

static int64_t touch_open(const struct tp_fanotify_arm *arm)
{
	int64_t failures = 0;

	for (size_t i = 0; i < arm->items; i++) {
		int fd = open(arm->paths[i], O_RDONLY | O_CLOEXEC);

		failures += fd < 0 || close(fd) < 0;
	}
	return failures;
}

static int64_t touch_read(const struct tp_fanotify_arm *arm)
{
	int64_t failures = 0;
	char byte;

	for (size_t i = 0; i < arm->items; i++)
		failures += pread(arm->fds[i], &byte, 1, 0) != 1;
	return failures;
}

static void run_touches(struct tp_team_job *base, size_t worker)
{
	struct touch_job *job = (struct touch_job *)base;
	bool reads = job->arm->touch == TP_FANOTIFY_READ;
	int64_t failures = 0;
	int64_t start = tp_timing_ns();

	(void)worker;
	for (size_t pass = 0; pass < job->arm->passes; pass++)
		failures += reads ? touch_read(job->arm) : touch_open(job->arm);
	job->elapsed_ns = tp_timing_ns() - start;
	job->failures = failures;
}

static int init_failed(struct tp_err *reterr)
{
	if (errno == ENOSYS)
		return tp_err_set(reterr, -ENOSYS, NULL,
				  "this kernel has no fanotify (CONFIG_FANOTIFY)");
	if (errno == EPERM)
		return tp_err_set(reterr, -EPERM, NULL,
				  "fanotify needs CAP_SYS_ADMIN: run the agent as root");
	if (errno == EMFILE)
		return tp_err_set(reterr, -EMFILE, NULL,
				  "no more fanotify groups: raise fs.fanotify.max_user_groups");
	return tp_err_set(reterr, -errno, NULL, "cannot make a fanotify group: %s",
			  strerror(errno));
}

static int open_group(const struct tp_fanotify_arm *arm, bool unlimited, int *ret_group,
		      struct tp_err *reterr)
{
	unsigned int flags = FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_MARKS |
			     (unlimited ? FAN_UNLIMITED_QUEUE : 0);
	_cleanup_(tp_fd_closep) int group = fanotify_init(flags, O_RDONLY | O_CLOEXEC);

	if (group < 0)
		return init_failed(reterr);
	for (size_t i = 0; i < arm->items; i++) {
		if (fanotify_mark(group, FAN_MARK_ADD, tp_fanotify_mask(arm->touch), AT_FDCWD,
				  arm->paths[i]) < 0)
			return tp_err_set(reterr, -errno, NULL, "cannot mark %s: %s", arm->paths[i],
					  strerror(errno));
	}
	*ret_group = group;
	group = -1;
	return 0;
}

int tp_fanotify_arm_measure(struct tp_fanotify_arm *arm, struct tp_team *team, bool unlimited,
			    struct tp_sample *sample, struct tp_err *reterr)
{
	struct touch_job job = {.base = {.run = run_touches}, .arm = arm};
	_cleanup_(tp_fd_closep) int group = -1;
	int r = open_group(arm, unlimited, &group, reterr);

	if (r < 0)
		return r;
	sample->affinity_ok = tp_team_run(team, &job.base, 1);
	sample->elapsed_ns = job.elapsed_ns;
	sample->ops = (int64_t)(arm->items * arm->passes);
	tp_sample_field(sample, "touch_failures", job.failures);
	tp_sample_field(sample, "preemptions", tp_team_preemptions(team, 1));
	tp_fanotify_check(arm, group, unlimited, sample);
	sample->semantic_ok = sample->semantic_ok && job.failures == 0;
	return 0;
}
