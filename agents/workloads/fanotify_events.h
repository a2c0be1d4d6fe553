/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be in a fanotify queue after an arm: read it, count it, check it. Never timed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "workloads/fanotify_arm.h"
#include "workloads/workload.h"

/*
 * A merge search looks at no more than this many queued events (FANOTIFY_MAX_MERGE_EVENTS),
 * so that up to as many files merge completely whatever the shape of the kernel's hash.
 */
#define TP_FANOTIFY_MERGE_SURE 128

/* The event that a touch makes. */
uint64_t tp_fanotify_mask(enum tp_fanotify_touch touch);

struct tp_fanotify_tally {
	long long events;     /* queued events of marked files */
	long long unexpected; /* another mask, another file, an error */
	long long overflow;
	long long missing; /* files without an event */
};

/*
 * Whether @tally is what a correct kernel leaves for @items files touched @passes times in a
 * queue of @queue events (0: unlimited). Pure. Without overflow: every file is there, exactly
 * once when @items <= TP_FANOTIFY_MERGE_SURE, else at most once per pass. An overflow is right
 * only in a limited queue that is too small for the events, and required when it is too small
 * for the files.
 */
bool tp_fanotify_tally_ok(const struct tp_fanotify_tally *tally, long long items, long long passes,
			  long long queue);

/* Drain @group, add the counts as fields, and set @sample's semantic_ok. */
void tp_fanotify_check(struct tp_fanotify_arm *arm, int group, bool unlimited,
		       struct tp_sample *sample);
