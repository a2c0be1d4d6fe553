/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job is doing right now; see progress.h. */
#include "engine/progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/clock.h"

static void tell(struct tp_progress *p)
{
	if (p->update)
		p->update(&p->state, p->data);
}

void tp_progress_activity(struct tp_progress *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->state.activity, sizeof(p->state.activity), fmt, ap);
	va_end(ap);
	p->state.done = 0;
	p->state.total = 0;
	p->state.estimated = false;
	p->state.started_ms = tp_clock_mono_ms();
	tell(p);
}

void tp_progress_count(struct tp_progress *p, int done, int total, bool estimated)
{
	p->state.done = done;
	p->state.total = total;
	p->state.estimated = estimated;
	tell(p);
}

int64_t tp_progress_remaining_ms(const struct tp_snapshot *snapshot,
				 const struct tp_progress_means *means)
{
	int64_t left_ms = 0;

	if (means->boot_ms == 0 || means->measure_ms == 0)
		return 0;
	for (int i = 0; i < snapshot->n_kernels; i++) {
		if (snapshot->kernels[i].state == TP_KERNEL_PLANNED)
			left_ms += means->build_ms;
	}
	for (int i = 0; i < snapshot->n_points; i++) {
		const struct tp_plan_point *point = &snapshot->points[i];
		enum tp_boot_state state = point->has_boot ? point->boot_state : TP_BOOT_PLANNED;

		if (state == TP_BOOT_COMPLETE)
			continue;
		if (state < TP_BOOT_INSTALLED || state > TP_BOOT_MEASURING)
			left_ms += means->deploy_ms;
		if (state < TP_BOOT_ARMED || state > TP_BOOT_MEASURING)
			left_ms += means->arm_ms;
		if (state < TP_BOOT_IDENTIFIED || state > TP_BOOT_MEASURING)
			left_ms += means->boot_ms;
		left_ms += means->measure_ms;
	}
	return left_ms;
}
