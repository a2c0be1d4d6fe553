/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One arm of fanotify-merge: a fresh group, the timed touching of its files, the checks.
 *
 * The first pass queues one event per file; every later pass makes an event that the kernel
 * searches for among the queued ones and merges. Nothing reads the queue meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "workloads/fixture.h"
#include "workloads/team.h"
#include "workloads/workload.h"

enum tp_fanotify_touch {
	TP_FANOTIFY_OPEN, /* open() and close(); the group asks for FAN_OPEN */
	TP_FANOTIFY_READ, /* pread() of one byte from an open file; FAN_ACCESS */
	_TP_FANOTIFY_TOUCH_MAX,
};

struct tp_fanotify_arm {
	size_t items, passes;
	enum tp_fanotify_touch touch;
	tp_path *paths;	 /* not owned */
	int *fds;	 /* open files of TP_FANOTIFY_READ; NULL otherwise */
	ino_t *inodes;	 /* sorted */
	long long *seen; /* events per inode of @inodes */
};

/* Opens and stats the files of @paths. Returns 0 or -errno. */
TP_MUST_CHECK int tp_fanotify_arm_init(struct tp_fanotify_arm *arm, tp_path *paths, size_t items,
				       size_t passes, enum tp_fanotify_touch touch,
				       struct tp_err *reterr);
void tp_fanotify_arm_deinit(struct tp_fanotify_arm *arm);

/*
 * Fill @sample with one arm; ops is items * passes, the events made. -errno when the group
 * could not be made: no CAP_SYS_ADMIN, or no fanotify in this kernel.
 */
TP_MUST_CHECK int tp_fanotify_arm_measure(struct tp_fanotify_arm *arm, struct tp_team *team,
					  bool unlimited, struct tp_sample *sample,
					  struct tp_err *reterr);
