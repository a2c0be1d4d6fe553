/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Negative controls; see controls.h. */
#include "workloads/controls.h"

#include <sys/inotify.h>
#include <sys/stat.h>

#include "workloads/timing.h"

struct control_job {
	struct tp_team_job base;
	tp_path *paths; /* lookups */
	size_t n_paths;
	int fd; /* mask updates */
	const char *path;
	long long calls;
	int64_t elapsed_ns;
	int64_t failures;
};

static void run_lookups(struct tp_team_job *base, size_t worker)
{
	struct control_job *job = (struct control_job *)base;
	int64_t failures = 0;
	int64_t start = tp_timing_ns();
	struct stat st;

	(void)worker;
	for (long long call = 0, i = 0; call < job->calls; call++) {
		failures += stat(job->paths[i], &st) < 0;
		if (++i == (long long)job->n_paths)
			i = 0;
	}
	job->elapsed_ns = tp_timing_ns() - start;
	job->failures = failures;
}

static void run_mask_updates(struct tp_team_job *base, size_t worker)
{
	static const uint32_t masks[] = {IN_ATTRIB, IN_MODIFY};
	struct control_job *job = (struct control_job *)base;
	int64_t failures = 0;
	int64_t start = tp_timing_ns();

	(void)worker;
	for (long long call = 0; call < job->calls; call++)
		failures += inotify_add_watch(job->fd, job->path, masks[call & 1]) < 0;
	job->elapsed_ns = tp_timing_ns() - start;
	job->failures = failures;
}

static void measure(struct tp_team *team, struct control_job *job, const char *metric,
		    struct tp_round *round)
{
	struct tp_sample *sample = tp_round_sample(round, "%s", metric);

	sample->affinity_ok = tp_team_run(team, &job->base, 1);
	sample->elapsed_ns = job->elapsed_ns;
	sample->ops = job->calls;
	sample->semantic_ok = job->failures == 0;
	tp_sample_field(sample, "failures", job->failures);
	tp_sample_field(sample, "preemptions", tp_team_preemptions(team, 1));
}

void tp_lookup_round(struct tp_team *team, tp_path *paths, size_t n_paths, long long calls,
		     struct tp_round *round)
{
	struct control_job job = {
	    .base = {.run = run_lookups}, .paths = paths, .n_paths = n_paths, .calls = calls};

	measure(team, &job, "path_lookup_ns_per_call", round);
}

void tp_mask_round(struct tp_team *team, int fd, const char *path, long long calls,
		   struct tp_round *round)
{
	struct control_job job = {
	    .base = {.run = run_mask_updates}, .fd = fd, .path = path, .calls = calls};

	measure(team, &job, "mask_update_ns_per_call", round);
}
