/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots of an exact job: parent, child, parent; two kernels. */
#pragma once

#include "core_helper.h"

#include "core/plan.h"

#define PARENT 0
#define CHILD  1

/* Running, both kernels built and different, nothing booted, limits 2 and 3. */
static inline struct tp_snapshot fresh(void)
{
	return (struct tp_snapshot){
	    .job_state = TP_JOB_RUNNING,
	    .limits = {.max_boot_attempts = 2, .max_infra_attempts = 3},
	    .kernels = {{.id = 10,
			 .state = TP_KERNEL_BUILT,
			 .config_sha256 = "c",
			 .image_sha256 = "parent's"},
			{.id = 11,
			 .state = TP_KERNEL_BUILT,
			 .config_sha256 = "c",
			 .image_sha256 = "child's"}},
	    .n_kernels = 2,
	    .points = {{.id = 20, .role = TP_ROLE_PARENT_A, .kernel = PARENT},
		       {.id = 21, .role = TP_ROLE_CHILD, .kernel = CHILD},
		       {.id = 22, .role = TP_ROLE_PARENT_B, .kernel = PARENT}},
	    .n_points = 3,
	};
}

static inline void set_boot(struct tp_snapshot *s, int point, enum tp_boot_state state,
			    enum tp_boot_outcome outcome)
{
	struct tp_plan_point *p = &s->points[point];

	p->has_boot = true;
	p->n_attempts++;
	p->boot_state = state;
	p->boot_outcome = outcome;
	if (state != TP_BOOT_FAILED)
		return;
	if (tp_outcome_is_kernels_fault(outcome))
		p->n_kernel_failures++;
	else
		p->n_infra_failures++;
}

static inline void complete(struct tp_snapshot *s, int n_points)
{
	for (int i = 0; i < n_points; i++)
		set_boot(s, i, TP_BOOT_COMPLETE, TP_OUTCOME_OK);
}
