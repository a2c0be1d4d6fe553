/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job is doing right now, for whoever draws it. The worker fills it in; the command
 * line paints it. Nothing here decides anything.
 */
#pragma once

#include <stdint.h>
#include "core/model.h"
#include "core/plan.h"

struct tp_progress_state {
	int64_t job;
	int point; /* index of the panel, -1 while building or judging */
	int n_points;
	enum tp_role role;
	char activity[96];  /* "building 1a2b3c4d5e6f", "rebooting", "measuring" */
	int done, total;    /* files, rounds; total 0 when unknown */
	bool estimated;	    /* @done is an estimate: nobody asks the target while it measures */
	int64_t started_ms; /* monotonic start of this activity */
	int64_t eta_ms;	    /* monotonic time at which the whole job should end; 0 unknown */
};

struct tp_progress {
	void (*update)(const struct tp_progress_state *state, void *data); /* NULL: nobody looks */
	void *data;
	struct tp_progress_state state;
};

void tp_progress_activity(struct tp_progress *p, const char *fmt, ...) TP_PRINTF(2, 3);
void tp_progress_count(struct tp_progress *p, int done, int total, bool estimated);

/* Mean durations of past steps on this target, milliseconds; 0 when there were none. */
struct tp_progress_means {
	int64_t build_ms, deploy_ms, arm_ms, boot_ms, measure_ms;
};

/* When will the job end? From what the snapshot still lacks and the means. 0: unknown. */
int64_t tp_progress_remaining_ms(const struct tp_snapshot *snapshot,
				 const struct tp_progress_means *means);
