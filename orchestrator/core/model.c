/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of the field: name tables, their parsers, and which state may follow which.
 *
 * The words here are the ones in SQL, YAML, JSON and the documents.
 */
#include "core/model.h"

#include <string.h>

/* One table and its pair of functions; the assertion ties the table to its enum. */
#define WORDS(type, stem, max, ...)                                                                \
	static const char *const stem##_words[] = {__VA_ARGS__};                                   \
	static_assert(TP_ARRAY_SIZE(stem##_words) == (max), "a word for every value");             \
	const char *tp_##stem##_name(type value)                                                   \
	{                                                                                          \
		return word_of(stem##_words, (max), (int)value);                                   \
	}                                                                                          \
	int tp_##stem##_parse(const char *name)                                                    \
	{                                                                                          \
		return value_of(stem##_words, (max), name);                                        \
	}

static const char *word_of(const char *const *words, int n, int value)
{
	return value >= 0 && value < n ? words[value] : "?";
}

static int value_of(const char *const *words, int n, const char *name)
{
	for (int i = 0; name && i < n; i++) {
		if (strcmp(words[i], name) == 0)
			return i;
	}
	return -1;
}

/* clang-format off */
WORDS(enum tp_job_kind, job_kind, _TP_JOB_KIND_MAX,
	[TP_JOB_EXACT] = "exact", [TP_JOB_COMPARE] = "compare", [TP_JOB_PROBE] = "probe",
	[TP_JOB_SERIES] = "series", [TP_JOB_BISECT] = "bisect", [TP_JOB_HUNT_STEP] = "hunt-step")
WORDS(enum tp_job_state, job_state, _TP_JOB_STATE_MAX,
	[TP_JOB_PLANNED] = "planned", [TP_JOB_RUNNING] = "running", [TP_JOB_DONE] = "done",
	[TP_JOB_FAILED] = "failed", [TP_JOB_CANCELLED] = "cancelled")
WORDS(enum tp_job_verdict, job_verdict, _TP_JOB_VERDICT_MAX,
	[TP_VERDICT_NONE] = "NONE", [TP_VERDICT_MEASURED] = "MEASURED",
	[TP_VERDICT_NO_OP] = "NO_OP", [TP_VERDICT_BUILD_FAIL] = "BUILD_FAIL",
	[TP_VERDICT_BOOT_FAIL] = "BOOT_FAIL", [TP_VERDICT_CONFIG_DIFFERS] = "CONFIG_DIFFERS",
	[TP_VERDICT_RUN_FAIL] = "RUN_FAIL")
WORDS(enum tp_role, role, _TP_ROLE_MAX,
	[TP_ROLE_PARENT_A] = "parent_a", [TP_ROLE_CHILD] = "child",
	[TP_ROLE_PARENT_B] = "parent_b", [TP_ROLE_CONTROL_A] = "control_a",
	[TP_ROLE_CANDIDATE] = "candidate", [TP_ROLE_CONTROL_B] = "control_b",
	[TP_ROLE_VARIANT] = "variant", [TP_ROLE_ANCHOR] = "anchor")
WORDS(enum tp_boot_state, boot_state, _TP_BOOT_STATE_MAX,
	[TP_BOOT_PLANNED] = "planned", [TP_BOOT_INSTALLED] = "installed",
	[TP_BOOT_ARMED] = "armed", [TP_BOOT_REBOOTING] = "rebooting",
	[TP_BOOT_IDENTIFIED] = "identified", [TP_BOOT_MEASURING] = "measuring",
	[TP_BOOT_COMPLETE] = "complete", [TP_BOOT_FAILED] = "failed",
	[TP_BOOT_DISCARDED] = "discarded")
WORDS(enum tp_boot_outcome, boot_outcome, _TP_BOOT_OUTCOME_MAX,
	[TP_OUTCOME_NONE] = "NONE", [TP_OUTCOME_OK] = "OK",
	[TP_OUTCOME_FELL_BACK] = "FELL_BACK", [TP_OUTCOME_WRONG_KERNEL] = "WRONG_KERNEL",
	[TP_OUTCOME_NEVER_WENT_DOWN] = "NEVER_WENT_DOWN",
	[TP_OUTCOME_NEVER_CAME_UP] = "NEVER_CAME_UP", [TP_OUTCOME_RUN_FAILED] = "RUN_FAILED",
	[TP_OUTCOME_AGENT_DIED] = "AGENT_DIED", [TP_OUTCOME_INFRA] = "INFRA")
WORDS(enum tp_step_kind, step_kind, _TP_STEP_KIND_MAX,
	[TP_STEP_BUILD] = "build", [TP_STEP_DEPLOY] = "deploy", [TP_STEP_ARM] = "arm",
	[TP_STEP_BOOT] = "boot", [TP_STEP_MEASURE] = "measure", [TP_STEP_JUDGE] = "judge",
	[TP_STEP_CLEAN] = "clean")
WORDS(enum tp_step_state, step_state, _TP_STEP_STATE_MAX,
	[TP_STEP_PLANNED] = "planned", [TP_STEP_STARTED] = "started", [TP_STEP_DONE] = "done",
	[TP_STEP_FAILED] = "failed", [TP_STEP_UNKNOWN] = "unknown")
WORDS(enum tp_phase, phase, _TP_PHASE_MAX,
	[TP_PHASE_WARMUP] = "warmup", [TP_PHASE_MEASURED] = "measured")
WORDS(enum tp_evidence, evidence, _TP_EVIDENCE_MAX,
	[TP_EVIDENCE_BARE_METAL] = "bare_metal", [TP_EVIDENCE_VIRTUAL] = "virtual",
	[TP_EVIDENCE_FAKE] = "fake")
WORDS(enum tp_target_state, target_state, _TP_TARGET_STATE_MAX,
	[TP_TARGET_READY] = "ready", [TP_TARGET_LEASED] = "leased",
	[TP_TARGET_QUARANTINED] = "quarantined")
WORDS(enum tp_kernel_state, kernel_state, _TP_KERNEL_STATE_MAX,
	[TP_KERNEL_PLANNED] = "planned", [TP_KERNEL_BUILT] = "built",
	[TP_KERNEL_BUILD_FAIL] = "build_fail")
/* clang-format on */

/* Allowed next states, a bit each. */
#define TO(state) (1u << (state))

static_assert(_TP_JOB_STATE_MAX <= 32 && _TP_BOOT_STATE_MAX <= 32 && _TP_STEP_STATE_MAX <= 32,
	      "a bit for every state");

static bool may(const unsigned *next, int n, int from, int to)
{
	return from >= 0 && from < n && to >= 0 && to < n && (next[from] & TO(to));
}

/*
 *   planned -> running -> done
 *      |         | '----> failed -> running (retry)
 *      |         |           |
 *      '---------'-----------'----> cancelled
 *
 * running -> running: a later epoch takes over from one that died.
 */
static const unsigned job_next[_TP_JOB_STATE_MAX] = {
    [TP_JOB_PLANNED] = TO(TP_JOB_RUNNING) | TO(TP_JOB_CANCELLED),
    [TP_JOB_RUNNING] =
	TO(TP_JOB_RUNNING) | TO(TP_JOB_DONE) | TO(TP_JOB_FAILED) | TO(TP_JOB_CANCELLED),
    [TP_JOB_DONE] = 0,
    [TP_JOB_FAILED] = TO(TP_JOB_RUNNING) | TO(TP_JOB_CANCELLED),
    [TP_JOB_CANCELLED] = 0,
};

/*
 *   planned -> installed -> armed -> rebooting -> identified -> measuring -> complete
 *      |           |          |          |             |             |
 *      '-----------'----------'----------'-------------'-------------'----> failed, discarded
 *
 * Never backwards: a boot that cannot go on is ended, and the next attempt is a row of its own.
 */
#define BOOT_ENDS (TO(TP_BOOT_FAILED) | TO(TP_BOOT_DISCARDED))

static const unsigned boot_next[_TP_BOOT_STATE_MAX] = {
    [TP_BOOT_PLANNED] = TO(TP_BOOT_INSTALLED) | BOOT_ENDS,
    [TP_BOOT_INSTALLED] = TO(TP_BOOT_ARMED) | BOOT_ENDS,
    [TP_BOOT_ARMED] = TO(TP_BOOT_REBOOTING) | BOOT_ENDS,
    [TP_BOOT_REBOOTING] = TO(TP_BOOT_IDENTIFIED) | BOOT_ENDS,
    [TP_BOOT_IDENTIFIED] = TO(TP_BOOT_MEASURING) | BOOT_ENDS,
    [TP_BOOT_MEASURING] = TO(TP_BOOT_COMPLETE) | BOOT_ENDS,
    [TP_BOOT_COMPLETE] = 0,
    [TP_BOOT_FAILED] = 0,
    [TP_BOOT_DISCARDED] = 0,
};

/*
 *   planned -> started -> done
 *                 |-----> failed
 *                 '-----> unknown   (its epoch is gone; a new attempt is a new row)
 */
static const unsigned step_next[_TP_STEP_STATE_MAX] = {
    [TP_STEP_PLANNED] = TO(TP_STEP_STARTED),
    [TP_STEP_STARTED] = TO(TP_STEP_DONE) | TO(TP_STEP_FAILED) | TO(TP_STEP_UNKNOWN),
    [TP_STEP_DONE] = 0,
    [TP_STEP_FAILED] = 0,
    [TP_STEP_UNKNOWN] = 0,
};

bool tp_job_state_may(enum tp_job_state from, enum tp_job_state to)
{
	return may(job_next, _TP_JOB_STATE_MAX, (int)from, (int)to);
}

bool tp_boot_state_may(enum tp_boot_state from, enum tp_boot_state to)
{
	return may(boot_next, _TP_BOOT_STATE_MAX, (int)from, (int)to);
}

bool tp_step_state_may(enum tp_step_state from, enum tp_step_state to)
{
	return may(step_next, _TP_STEP_STATE_MAX, (int)from, (int)to);
}
