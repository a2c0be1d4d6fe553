/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker's acts, one per kind of action of core/plan. Each records its intent, acts, and
 * records what became of it; `unknown` is what a crash in between leaves behind.
 *
 * All return 0, or a negative errno with @reterr when this worker cannot go on. A fault of the
 * infrastructure is recorded as the attempt's outcome and is not an error here.
 */
#pragma once

#include "engine/worker.h"

TP_MUST_CHECK int tp_act_build(struct tp_worker *w, const struct tp_plan_kernel *kernel,
			       struct tp_err *reterr);
TP_MUST_CHECK int tp_act_new_boot(struct tp_worker *w, const struct tp_plan_point *point,
				  struct tp_err *reterr);
TP_MUST_CHECK int tp_act_deploy(struct tp_worker *w, const struct tp_plan_point *point,
				struct tp_err *reterr);
TP_MUST_CHECK int tp_act_arm(struct tp_worker *w, const struct tp_plan_point *point,
			     struct tp_err *reterr);
TP_MUST_CHECK int tp_act_reboot(struct tp_worker *w, const struct tp_plan_point *point,
				struct tp_err *reterr);
TP_MUST_CHECK int tp_act_measure(struct tp_worker *w, const struct tp_plan_point *point,
				 struct tp_err *reterr);
TP_MUST_CHECK int tp_act_judge(struct tp_worker *w, const struct tp_snapshot *snapshot,
			       struct tp_err *reterr);
TP_MUST_CHECK int tp_act_clean(struct tp_worker *w, struct tp_err *reterr);

/* Bring every unfinished boot of an older epoch to a state from which the plan goes on. */
TP_MUST_CHECK int tp_recovery_run(struct tp_worker *w, struct tp_err *reterr);

/* The kernels differ in their canonical configs beyond the allow-list? @ret: "" or the lines. */
TP_MUST_CHECK int tp_act_config_diff(struct tp_worker *w, const struct tp_snapshot *snapshot,
				     char **ret, struct tp_err *reterr);

/* Open the machine once per worker and check it. */
TP_MUST_CHECK int tp_act_machine(struct tp_worker *w, struct tp_err *reterr);

/*
 * The only bridge from an error code to an outcome: an infrastructure fault fails the attempt
 * with INFRA (it never counts for or against a commit) and the worker goes on; a refusal or a
 * full disk, which only a person can mend, stays an error.
 */
TP_MUST_CHECK int tp_act_infra(struct tp_worker *w, int code, int64_t boot, enum tp_boot_state from,
			       int64_t step, struct tp_err *reterr);

/*
 * One transaction: @boot moved on with what @fill holds, @step over as @state with @detail
 * (NULL: none). Nothing is written when either is refused.
 */
TP_MUST_CHECK int tp_act_record(struct tp_worker *w, int64_t boot, enum tp_boot_state from,
				enum tp_boot_state to, const struct tp_boot_row *fill, int64_t step,
				enum tp_step_state state, const char *detail,
				struct tp_err *reterr);

/* One line of history, in the database and on stderr. */
void tp_act_say(struct tp_worker *w, const char *fmt, ...) TP_PRINTF(2, 3);

/* The kernel's row as a boot request for the attempt @boot. Both rows stay owned by the caller. */
struct tp_boot_request tp_act_boot_request(const struct tp_kernel_row *kernel,
					   const struct tp_boot_row *boot);
