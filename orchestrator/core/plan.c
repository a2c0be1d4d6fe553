/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to do next; see plan.h. One small rule after the other, the first that applies wins. */
#include "core/plan.h"

#include <stdio.h>
#include <string.h>

static const char *const action_words[] = {
    [TP_ACTION_BUILD] = "build",     [TP_ACTION_NEW_BOOT] = "new-boot",
    [TP_ACTION_DEPLOY] = "deploy",   [TP_ACTION_ARM] = "arm",
    [TP_ACTION_REBOOT] = "reboot",   [TP_ACTION_MEASURE] = "measure",
    [TP_ACTION_JUDGE] = "judge",     [TP_ACTION_CLEAN] = "clean",
    [TP_ACTION_FINISH] = "finish",   [TP_ACTION_GIVE_UP] = "give-up",
    [TP_ACTION_NOTHING] = "nothing",
};
static_assert(TP_ARRAY_SIZE(action_words) == _TP_ACTION_MAX);

const char *tp_action_name(enum tp_action_kind kind)
{
	return (int)kind >= 0 && kind < _TP_ACTION_MAX ? action_words[kind] : "?";
}

bool tp_outcome_is_kernels_fault(enum tp_boot_outcome outcome)
{
	return outcome == TP_OUTCOME_FELL_BACK || outcome == TP_OUTCOME_NEVER_CAME_UP ||
	       outcome == TP_OUTCOME_RUN_FAILED;
}

static struct tp_action action(enum tp_action_kind kind, int point, int kernel, const char *reason)
{
	struct tp_action a = {.kind = kind, .point = point, .kernel = kernel};

	snprintf(a.reason, sizeof(a.reason), "%s", reason);
	return a;
}

static bool is_complete(const struct tp_plan_point *p)
{
	return p->has_boot && p->boot_state == TP_BOOT_COMPLETE;
}

static const char *contradiction_of_point(const struct tp_snapshot *s, int i)
{
	const struct tp_plan_point *p = &s->points[i];

	if (p->kernel < 0 || p->kernel >= s->n_kernels)
		return "the job's records contradict one another: a point has no kernel of the job";
	if (p->has_boot && ((int)p->boot_state < 0 || p->boot_state >= _TP_BOOT_STATE_MAX))
		return "the job's records contradict one another: a boot has no known state";
	if (i > 0 && p->has_boot && !is_complete(&s->points[i - 1]))
		return "the job's records contradict one another: a point was booted before the "
		       "one that precedes it was complete";
	return NULL;
}

/* What no worker can have recorded; acting on it could only make it worse. NULL when sound. */
static const char *contradiction(const struct tp_snapshot *s)
{
	if (s->n_kernels < 1 || s->n_kernels > TP_PLAN_MAX_POINTS || s->n_points < 1 ||
	    s->n_points > TP_PLAN_MAX_POINTS)
		return "the job's records contradict one another: it has no kernels, no points, or "
		       "too many";
	for (int i = 0; i < s->n_kernels; i++) {
		if ((int)s->kernels[i].state < 0 || s->kernels[i].state >= _TP_KERNEL_STATE_MAX)
			return "the job's records contradict one another: a kernel has no known "
			       "state";
	}
	for (int i = 0; i < s->n_points; i++) {
		const char *why = contradiction_of_point(s, i);

		if (why)
			return why;
	}
	return NULL;
}

static bool any_boot(const struct tp_snapshot *s)
{
	for (int i = 0; i < s->n_points; i++) {
		if (s->points[i].has_boot)
			return true;
	}
	return false;
}

/* End the job with @kind; the target goes back to its rescue kernel first. */
static struct tp_action end(const struct tp_snapshot *s, enum tp_action_kind kind,
			    enum tp_job_verdict verdict, const char *reason)
{
	struct tp_action a = action(kind, -1, -1, reason);

	if (any_boot(s) && !s->cleaned)
		a.kind = TP_ACTION_CLEAN;
	a.verdict = verdict;
	return a;
}

static const struct tp_plan_kernel *kernel_of(const struct tp_snapshot *s, int point)
{
	return &s->kernels[s->points[point].kernel];
}

/* Every kernel is built before anything is booted. Returns false when that is settled. */
static bool plan_builds(const struct tp_snapshot *s, struct tp_action *ret)
{
	for (int i = 0; i < s->n_kernels; i++) {
		if (s->kernels[i].state == TP_KERNEL_BUILD_FAIL) {
			*ret = end(s, TP_ACTION_FINISH, TP_VERDICT_BUILD_FAIL,
				   "a kernel of the sequence does not build");
			ret->kernel = i;
			return true;
		}
	}
	for (int i = 0; i < s->n_kernels; i++) {
		if (s->kernels[i].state == TP_KERNEL_PLANNED) {
			*ret = action(TP_ACTION_BUILD, -1, i, "this kernel is not built yet");
			return true;
		}
	}
	return false;
}

static bool configs_differ(const struct tp_snapshot *s)
{
	for (int i = 1; i < s->n_kernels; i++) {
		if (strcmp(s->kernels[i].config_sha256, s->kernels[0].config_sha256) != 0)
			return true;
	}
	return false;
}

/* A sequence whose kernels all have one image compares nothing. An unknown hash equals none. */
static bool images_equal(const struct tp_snapshot *s)
{
	if (s->n_points < 2 || !kernel_of(s, 0)->image_sha256[0])
		return false;
	for (int i = 1; i < s->n_points; i++) {
		if (strcmp(kernel_of(s, i)->image_sha256, kernel_of(s, 0)->image_sha256) != 0)
			return false;
	}
	return true;
}

/* The kernel had its attempts: that it does not boot, or not run the workload, is the answer. */
static struct tp_action kernel_failed(const struct tp_snapshot *s, const struct tp_plan_point *p)
{
	bool ran = p->boot_outcome == TP_OUTCOME_RUN_FAILED;
	struct tp_action a =
	    end(s, TP_ACTION_FINISH, ran ? TP_VERDICT_RUN_FAIL : TP_VERDICT_BOOT_FAIL, "");

	snprintf(a.reason, sizeof(a.reason), "%s: %d attempts failed through it, %d are allowed",
		 ran ? "this kernel boots, but the workload fails on it"
		     : "this kernel does not boot",
		 p->n_kernel_failures, s->limits.max_boot_attempts);
	return a;
}

static struct tp_action infra_failed(const struct tp_snapshot *s, const struct tp_plan_point *p)
{
	struct tp_action a = end(s, TP_ACTION_GIVE_UP, TP_VERDICT_NONE, "");

	snprintf(a.reason, sizeof(a.reason),
		 "faults that are not the kernel's ended %d attempts at one boot, %d are allowed",
		 p->n_infra_failures, s->limits.max_infra_attempts);
	return a;
}

/* The last attempt failed: through whom decides which limit counts. */
static struct tp_action plan_failed(const struct tp_snapshot *s, int i)
{
	const struct tp_plan_point *p = &s->points[i];
	bool kernels_fault = tp_outcome_is_kernels_fault(p->boot_outcome);
	struct tp_action a;

	if (kernels_fault && p->n_kernel_failures >= s->limits.max_boot_attempts)
		a = kernel_failed(s, p);
	else if (!kernels_fault && p->n_infra_failures >= s->limits.max_infra_attempts)
		a = infra_failed(s, p);
	else
		return action(TP_ACTION_NEW_BOOT, i, p->kernel,
			      "the last attempt failed and another is allowed");
	a.point = i;
	a.kernel = p->kernel;
	return a;
}

/* The next action for one point that is not complete. */
static struct tp_action plan_point(const struct tp_snapshot *s, int i)
{
	const struct tp_plan_point *p = &s->points[i];

	if (!p->has_boot)
		return action(TP_ACTION_NEW_BOOT, i, p->kernel, "no boot of this point yet");
	switch (p->boot_state) {
	case TP_BOOT_PLANNED:
		return action(TP_ACTION_DEPLOY, i, p->kernel, "the kernel is not on the target");
	case TP_BOOT_INSTALLED:
		return action(TP_ACTION_ARM, i, p->kernel, "the one-shot entry is not set");
	case TP_BOOT_ARMED:
		return action(TP_ACTION_REBOOT, i, p->kernel, "armed");
	case TP_BOOT_REBOOTING:
		return action(TP_ACTION_REBOOT, i, p->kernel, "it came up but was not identified");
	case TP_BOOT_IDENTIFIED:
		return action(TP_ACTION_MEASURE, i, p->kernel, "the right kernel is running");
	case TP_BOOT_FAILED:
		return plan_failed(s, i);
	case TP_BOOT_DISCARDED:
	case TP_BOOT_MEASURING:
		return action(TP_ACTION_NEW_BOOT, i, p->kernel, "the last attempt was cut off");
	case TP_BOOT_COMPLETE:
	case _TP_BOOT_STATE_MAX:
		break;
	}
	return action(TP_ACTION_NOTHING, -1, -1, "the point is complete");
}

static struct tp_action plan_running(const struct tp_snapshot *s)
{
	struct tp_action a;

	if (plan_builds(s, &a))
		return a;
	if (configs_differ(s) && !s->config_differs_allowed)
		return end(s, TP_ACTION_FINISH, TP_VERDICT_CONFIG_DIFFERS,
			   "the kernels' canonical configurations differ");
	if (images_equal(s))
		return end(s, TP_ACTION_FINISH, TP_VERDICT_NO_OP,
			   "parent and child have identical images: the commit changes nothing "
			   "that is built");
	for (int i = 0; i < s->n_points; i++) {
		if (!is_complete(&s->points[i]))
			return plan_point(s, i);
	}
	if (!s->verdicts_stored)
		return action(TP_ACTION_JUDGE, -1, -1, "every point is measured");
	return end(s, TP_ACTION_FINISH, TP_VERDICT_MEASURED, "measured and judged");
}

struct tp_action tp_plan_next(const struct tp_snapshot *s)
{
	const char *why;

	if (s->job_state != TP_JOB_RUNNING)
		return action(TP_ACTION_NOTHING, -1, -1, "the job is not running");
	why = contradiction(s);
	return why ? action(TP_ACTION_GIVE_UP, -1, -1, why) : plan_running(s);
}
