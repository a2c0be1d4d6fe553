/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do next: a total, pure function of a job's recorded state.
 *
 * The same snapshot always gives the same action. The engine acts, records, takes a new
 * snapshot and asks again; after a crash it does the same from what is recorded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "core/model.h"

#define TP_PLAN_MAX_POINTS 16

/* Limits of one job, recorded with it. */
struct tp_plan_limits {
	int max_boot_attempts;	/* tries at one point when boots fail (kernel's fault), e.g. 2 */
	int max_infra_attempts; /* tries at one point when we fail, e.g. 5 */
};

struct tp_plan_kernel {
	int64_t id;
	enum tp_kernel_state state;
	char config_sha256[65]; /* canonical, "" unless built */
	char image_sha256[65];	/* canonical image hash (release and build-id masked), "" unless
				   built */
};

/* The last attempt at a point and how many there were. */
struct tp_plan_point {
	int64_t id;
	enum tp_role role;
	int kernel; /* index into kernels */
	int n_attempts;
	int n_kernel_failures; /* attempts that failed by the kernel's fault */
	int n_infra_failures;  /* attempts that failed by ours */
	bool has_boot;
	int64_t boot_id; /* row of the last attempt */
	enum tp_boot_state boot_state;
	enum tp_boot_outcome boot_outcome;
};

struct tp_snapshot {
	enum tp_job_state job_state;
	struct tp_plan_limits limits;
	struct tp_plan_kernel kernels[TP_PLAN_MAX_POINTS];
	int n_kernels;
	struct tp_plan_point points[TP_PLAN_MAX_POINTS];
	int n_points;
	bool config_differs_allowed; /* every differing symbol is on the allow-list */
	bool verdicts_stored;
	bool cleaned;
};

enum tp_action_kind {
	TP_ACTION_BUILD,    /* kernels[kernel] */
	TP_ACTION_NEW_BOOT, /* a new attempt row for points[point] */
	TP_ACTION_DEPLOY,   /* points[point].boot: planned -> installed */
	TP_ACTION_ARM,	    /* installed -> armed */
	TP_ACTION_REBOOT,   /* armed -> rebooting -> identified or failed */
	TP_ACTION_MEASURE,  /* identified -> measuring -> complete or failed */
	TP_ACTION_JUDGE,
	TP_ACTION_CLEAN,   /* put the target back into rescue, remove own files */
	TP_ACTION_FINISH,  /* job done with @verdict */
	TP_ACTION_GIVE_UP, /* job failed: our attempts are used up, or records are senseless */
	TP_ACTION_NOTHING, /* the job is not running: planned, done, failed or cancelled */
	_TP_ACTION_MAX,
};

struct tp_action {
	enum tp_action_kind kind;
	int point;		     /* index, -1 when none */
	int kernel;		     /* index, -1 when none */
	enum tp_job_verdict verdict; /* of FINISH, and of the CLEAN before it; else NONE */
	char reason[160];	     /* one sentence for the log */
};

/*
 * The next action. Order: all kernels are built first (a kernel that does not build ends the
 * job before any boot), configs compared, no-op detected, then points strictly in order.
 *
 * A boot still found in rebooting is identified, never rebooted twice: core/recover has proved
 * that it came up with this attempt's token. One found measuring is never continued.
 *
 * After a failed attempt there is another one until the limit of those at fault is reached, the
 * kernel's or ours, by the outcome of the last attempt; discarded attempts count as neither. A
 * limit below 1 means 1. A job that ends after any boot is cleaned first: CLEAN then carries the
 * verdict that FINISH will have.
 *
 * Records that contradict one another (a point without kernel, a boot out of order) end in
 * GIVE_UP, at once and without CLEAN.
 */
struct tp_action tp_plan_next(const struct tp_snapshot *snapshot);

/* "build", "new-boot" ...; "?" for a value out of range. */
const char *tp_action_name(enum tp_action_kind kind);

/*
 * True for outcomes that are the kernel's fault: FELL_BACK, NEVER_CAME_UP, RUN_FAILED. The other
 * ways to fail (WRONG_KERNEL, NEVER_WENT_DOWN, AGENT_DIED, INFRA) say nothing about the commit.
 */
bool tp_outcome_is_kernels_fault(enum tp_boot_outcome outcome);
