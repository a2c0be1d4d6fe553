/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of workloads, and filling a round; see workload.h. */
#include "workloads/workload.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct tp_workload *const workloads[] = {
    &tp_workload_inotify_watch,
    &tp_workload_fanotify_merge,
};

const struct tp_workload *const *tp_workloads(size_t *ret_count)
{
	*ret_count = TP_ARRAY_SIZE(workloads);
	return workloads;
}

const struct tp_workload *tp_workload_find(const char *name)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(workloads); i++) {
		if (strcmp(workloads[i]->name, name) == 0)
			return workloads[i];
	}
	return NULL;
}

struct tp_sample *tp_round_sample(struct tp_round *round, const char *fmt, ...)
{
	struct tp_sample *sample = &round->samples[round->count];
	va_list ap;

	assert(round->count < TP_ROUND_SAMPLES);
	*sample = (struct tp_sample){.order = (int)++round->count};
	va_start(ap, fmt);
	vsnprintf(sample->metric, sizeof(sample->metric), fmt, ap);
	va_end(ap);
	return sample;
}

void tp_sample_field(struct tp_sample *sample, const char *name, int64_t value)
{
	assert(sample->n_fields < TP_SAMPLE_FIELDS);
	sample->fields[sample->n_fields++] = (struct tp_field){.name = name, .value = value};
}
