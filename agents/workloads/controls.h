/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Negative controls, on the first worker of a team: work close to the workload's that goes
 * around the code under suspicion. They must not move when the primary metrics do.
 */
#pragma once

#include "workloads/fixture.h"
#include "workloads/team.h"
#include "workloads/workload.h"

/* Adds the sample `path_lookup_ns_per_call`: @calls times stat() over @paths in turn. */
void tp_lookup_round(struct tp_team *team, tp_path *paths, size_t n_paths, long long calls,
		     struct tp_round *round);

/*
 * Adds the sample `mask_update_ns_per_call`: @calls times inotify_add_watch() on @path, which
 * the instance @fd watches already, with another mask each time.
 */
void tp_mask_round(struct tp_team *team, int fd, const char *path, long long calls,
		   struct tp_round *round);
