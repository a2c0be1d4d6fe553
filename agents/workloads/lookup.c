/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The path-lookup control; see lookup.h. */
#include "workloads/lookup.h"

#include <sys/stat.h>

#include "workloads/timing.h"

struct lookup_job {
	struct tp_team_job base;
	tp_path *paths;
	size_t n_paths;
	long long calls;
	int64_t elapsed_ns;
	int64_t failures;
};

static void run_lookups(struct tp_team_job *base, size_t worker)
{
	struct lookup_job *job = (struct lookup_job *)base;
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

void tp_lookup_round(struct tp_team *team, tp_path *paths, size_t n_paths, long long calls,
		     struct tp_round *round)
{
	struct tp_sample *sample = tp_round_sample(round, "path_lookup_ns_per_call");
	struct lookup_job job = {
		.base = {.run = run_lookups}, .paths = paths, .n_paths = n_paths, .calls = calls};

	sample->affinity_ok = tp_team_run(team, &job.base, 1);
	sample->elapsed_ns = job.elapsed_ns;
	sample->ops = calls;
	sample->semantic_ok = job.failures == 0;
	tp_sample_field(sample, "lookup_failures", job.failures);
}
