/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One arm of inotify-watch: fresh instances, the timed add and remove passes, the checks.
 *
 * The pairs are divided among the workers in contiguous blocks; each worker times its own add
 * loop and its own remove loop.
 */
#pragma once

#include <sys/inotify.h>
#include "workloads/fixture.h"
#include "workloads/team.h"
#include "workloads/workload.h"

#define TP_INOTIFY_MASK IN_MODIFY

struct tp_inotify_lane; /* what one worker counts */

struct tp_inotify_arm {
	size_t items, workers, repeat;
	int *fds; /* one instance per pair, open during an arm only; -1 otherwise */
	int *wds; /* repeat * items watch descriptors, in the order of the passes */
	struct tp_inotify_lane *lanes;
};

/* Allocates and prefaults. Returns 0 or -ENOMEM. */
TP_MUST_CHECK int tp_inotify_arm_init(struct tp_inotify_arm *arm, size_t items, size_t workers,
				      size_t repeat, struct tp_err *reterr);
void tp_inotify_arm_deinit(struct tp_inotify_arm *arm);

/*
 * Fill @sample with one pass of the arm over @paths. elapsed_ns is the sum over all workers of
 * their add and remove time, ops is items * repeat. @keeper is an instance that must stay
 * silent, or -1. Returns 0, or -errno when the instances could not be made.
 */
TP_MUST_CHECK int tp_inotify_arm_measure(struct tp_inotify_arm *arm, struct tp_team *team,
					 tp_path *paths, int keeper, struct tp_sample *sample,
					 struct tp_err *reterr);

/* A new non-blocking instance; a sentence says which limit stands in the way. */
TP_MUST_CHECK int tp_inotify_open(int *ret_fd, struct tp_err *reterr);

/* The same, with one watch on @path. */
TP_MUST_CHECK int tp_inotify_open_watch(const char *path, int *ret_fd, struct tp_err *reterr);
