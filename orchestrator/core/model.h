/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the field as C types: roles, states, outcomes, labels.
 *
 * Pure: no clock, no I/O, no randomness, no logging. Every enum has a name table whose
 * words are the ones in SQL, YAML, JSON and the documents; a test compares them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/macro.h"

/* What was asked. Only exact is implemented; the others are reserved words of the schema. */
enum tp_job_kind {
	TP_JOB_EXACT,
	TP_JOB_COMPARE,
	TP_JOB_PROBE,
	TP_JOB_SERIES,
	TP_JOB_BISECT,
	TP_JOB_HUNT_STEP,
	_TP_JOB_KIND_MAX,
};

/* Where a job stands; what may follow what is drawn in model.c, here and below. */
enum tp_job_state {
	TP_JOB_PLANNED,
	TP_JOB_RUNNING,
	TP_JOB_DONE,   /* it has an answer, whatever the answer is */
	TP_JOB_FAILED, /* we failed; `retry` goes on */
	TP_JOB_CANCELLED,
	_TP_JOB_STATE_MAX,
};

/* The answer of an exact job as a whole; per-metric labels come from core/classify. */
enum tp_job_verdict {
	TP_VERDICT_NONE,       /* no answer yet */
	TP_VERDICT_MEASURED,   /* see the labels */
	TP_VERDICT_NO_OP,      /* parent and child have identical images: nothing was measured */
	TP_VERDICT_BUILD_FAIL, /* a kernel of the sandwich does not build */
	TP_VERDICT_BOOT_FAIL,  /* a kernel of the sandwich builds but does not boot */
	TP_VERDICT_CONFIG_DIFFERS, /* canonical configs differ between roles: refused */
	TP_VERDICT_RUN_FAIL,	   /* the workload fails on one of the kernels, reproducibly */
	_TP_JOB_VERDICT_MAX,
};

enum tp_role {
	TP_ROLE_PARENT_A,
	TP_ROLE_CHILD,
	TP_ROLE_PARENT_B,
	TP_ROLE_CONTROL_A,
	TP_ROLE_CANDIDATE,
	TP_ROLE_CONTROL_B,
	TP_ROLE_VARIANT,
	TP_ROLE_ANCHOR,
	_TP_ROLE_MAX,
};

/*
 * One attempt at a fresh boot, in the order in which it goes. `failed` carries an outcome;
 * `discarded` is a partial boot that a restart threw away: evidence for nothing.
 */
enum tp_boot_state {
	TP_BOOT_PLANNED,
	TP_BOOT_INSTALLED,
	TP_BOOT_ARMED,
	TP_BOOT_REBOOTING,
	TP_BOOT_IDENTIFIED,
	TP_BOOT_MEASURING,
	TP_BOOT_COMPLETE,
	TP_BOOT_FAILED,
	TP_BOOT_DISCARDED,
	_TP_BOOT_STATE_MAX,
};

/* How a boot attempt ended: values of the world, not errors. */
enum tp_boot_outcome {
	TP_OUTCOME_NONE,	    /* still going on */
	TP_OUTCOME_OK,		    /* the right kernel, proved by all four marks, measured */
	TP_OUTCOME_FELL_BACK,	    /* the rescue kernel came up instead (panic, failed load) */
	TP_OUTCOME_WRONG_KERNEL,    /* something else came up: neither the kernel nor the rescue */
	TP_OUTCOME_NEVER_WENT_DOWN, /* boot_id did not change before the deadline */
	TP_OUTCOME_NEVER_CAME_UP,   /* no login before the deadline */
	TP_OUTCOME_RUN_FAILED,	    /* the agent ran and said that the workload failed */
	TP_OUTCOME_AGENT_DIED,	    /* the agent was killed or vanished in mid-run */
	TP_OUTCOME_INFRA,	    /* our side: SSH, power, disk; no evidence about the commit */
	_TP_BOOT_OUTCOME_MAX,
};

enum tp_step_kind {
	TP_STEP_BUILD,	 /* source -> kernel; rerun: content-addressed */
	TP_STEP_DEPLOY,	 /* kernel -> target's disk; probe */
	TP_STEP_ARM,	 /* one-shot entry; probe */
	TP_STEP_BOOT,	 /* reboot, down, up, identify, settle; probe */
	TP_STEP_MEASURE, /* run the agent, fetch its records; discard */
	TP_STEP_JUDGE,	 /* numbers -> labels; rerun: pure */
	TP_STEP_CLEAN,	 /* remove own kernels from the target, leave it in rescue; rerun */
	_TP_STEP_KIND_MAX,
};

/* `unknown`: it was started by an epoch that is gone; core/recover says what follows. */
enum tp_step_state {
	TP_STEP_PLANNED,
	TP_STEP_STARTED,
	TP_STEP_DONE,
	TP_STEP_FAILED,
	TP_STEP_UNKNOWN,
	_TP_STEP_STATE_MAX,
};

enum tp_phase {
	TP_PHASE_WARMUP,
	TP_PHASE_MEASURED,
	_TP_PHASE_MAX,
};

enum tp_evidence {
	TP_EVIDENCE_BARE_METAL,
	TP_EVIDENCE_VIRTUAL,
	TP_EVIDENCE_FAKE,
	_TP_EVIDENCE_MAX,
};

enum tp_target_state {
	TP_TARGET_READY,
	TP_TARGET_LEASED,
	TP_TARGET_QUARANTINED,
	_TP_TARGET_STATE_MAX,
};

enum tp_kernel_state {
	TP_KERNEL_PLANNED,
	TP_KERNEL_BUILT,
	TP_KERNEL_BUILD_FAIL, /* an outcome: the compiler refused the source */
	_TP_KERNEL_STATE_MAX,
};

/* Word of each value; "?" for a value out of range. */
const char *tp_job_kind_name(enum tp_job_kind kind);
const char *tp_job_state_name(enum tp_job_state state);
const char *tp_job_verdict_name(enum tp_job_verdict verdict);
const char *tp_role_name(enum tp_role role);
const char *tp_boot_state_name(enum tp_boot_state state);
const char *tp_boot_outcome_name(enum tp_boot_outcome outcome);
const char *tp_step_kind_name(enum tp_step_kind kind);
const char *tp_step_state_name(enum tp_step_state state);
const char *tp_phase_name(enum tp_phase phase);
const char *tp_evidence_name(enum tp_evidence evidence);
const char *tp_target_state_name(enum tp_target_state state);
const char *tp_kernel_state_name(enum tp_kernel_state state);

/* Value of a word; -1 when there is no such word, or none at all (NULL). */
int tp_job_kind_parse(const char *name);
int tp_job_state_parse(const char *name);
int tp_job_verdict_parse(const char *name);
int tp_role_parse(const char *name);
int tp_boot_state_parse(const char *name);
int tp_boot_outcome_parse(const char *name);
int tp_step_kind_parse(const char *name);
int tp_step_state_parse(const char *name);
int tp_phase_parse(const char *name);
int tp_evidence_parse(const char *name);
int tp_target_state_parse(const char *name);
int tp_kernel_state_parse(const char *name);

/* May a persisted state move like that? One table per state, in model.c; false out of range. */
bool tp_job_state_may(enum tp_job_state from, enum tp_job_state to);
bool tp_boot_state_may(enum tp_boot_state from, enum tp_boot_state to);
bool tp_step_state_may(enum tp_step_state from, enum tp_step_state to);
