/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A team of pinned threads that lives as long as its workload, so that no round pays for
 * making a thread. The workers of a job leave a common start line together: spinning when
 * each has a CPU of its own, yielding when some share one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/cpulist.h"
#include "util/err.h"
#include "util/macro.h"

#define TP_TEAM_MAX 1024

struct tp_team;

/* Embedded in the caller's own job. @run is called once per worker, at the same time. */
struct tp_team_job {
	void (*run)(struct tp_team_job *job, size_t worker);
};

/*
 * Start @count workers, worker i pinned to CPU i of @cpus (modulo its length). Returns 0 or
 * -errno with @reterr, such as for a CPU that is not there.
 */
TP_MUST_CHECK int tp_team_new(const struct tp_cpulist *cpus, size_t count,
			      struct tp_team **ret_team, struct tp_err *reterr);

/* Ends the threads. Takes NULL, returns NULL. */
struct tp_team *tp_team_free(struct tp_team *team);

/*
 * Run @job on the first @count workers and wait for them. Returns whether each of them was on
 * its own CPU, with an affinity mask of exactly that CPU, before and after.
 */
TP_MUST_CHECK bool tp_team_run(struct tp_team *team, struct tp_team_job *job, size_t count);

/*
 * How often the first @count workers lost their CPU to something else in the last job: an
 * involuntary switch inside the timed region, or on the few instructions around it.
 */
int64_t tp_team_preemptions(const struct tp_team *team, size_t count);

/*
 * The CPUs for @workers from the text of a --cpus flag, or the first allowed ones when @text
 * is NULL. Returns 0, or -errno with @reterr for a list that this machine cannot serve.
 */
TP_MUST_CHECK int tp_team_cpus(const char *text, size_t workers, struct tp_cpulist *ret_cpus,
			       struct tp_err *reterr);
