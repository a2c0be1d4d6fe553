/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path-lookup control: stat() over existing files, on the first worker of a team.
 *
 * It walks the same names as the workload but none of the code under suspicion.
 */
#pragma once

#include "workloads/fixture.h"
#include "workloads/team.h"
#include "workloads/workload.h"

/* Adds the sample `path_lookup_ns_per_call` of @calls lookups to @round. */
void tp_lookup_round(struct tp_team *team, tp_path *paths, size_t n_paths, long long calls,
		     struct tp_round *round);
