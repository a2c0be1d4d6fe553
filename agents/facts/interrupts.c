/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts: interrupts so far, in all and per CPU, and where they may go. */
#include "facts/source.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 1024

struct totals {
	size_t count;
	int64_t per_cpu[CPUS_MAX];
};

/* The heading names one column per online CPU: "CPU0 CPU1 ...". */
static size_t count_columns(const char *heading)
{
	size_t columns = 0;
	const char *end = heading + strcspn(heading, "\n");

	for (const char *p = heading; (p = strstr(p, "CPU")) && p < end; p += 3)
		columns++;
	return columns < CPUS_MAX ? columns : CPUS_MAX;
}

/* ERR and MIS have one column for the whole machine; they are no interrupts of a CPU. */
static void add_line(struct totals *totals, const char *line)
{
	const char *p = line + strcspn(line, ":\n");
	int64_t values[CPUS_MAX];
	size_t n = 0;

	if (*p != ':')
		return;
	for (p++; n < totals->count; n++) {
		char *end;

		p += strspn(p, " \t");
		if (!isdigit((unsigned char)*p))
			break;
		values[n] = strtoll(p, &end, 10);
		p = end;
	}
	if (n < totals->count || (totals->count > 1 && n == 1))
		return;
	for (size_t i = 0; i < n; i++)
		totals->per_cpu[i] += values[i];
}

static void add_counts(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *text = tp_fact_text(f, "/proc/interrupts");
	struct totals totals = {.count = text ? count_columns(text) : 0};
	int64_t sum = 0;

	if (totals.count == 0) {
		tp_jsonw_null(w, "total");
		tp_jsonw_null(w, "per_cpu");
		return;
	}
	for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
		add_line(&totals, line + 1);
	for (size_t i = 0; i < totals.count; i++)
		sum += totals.per_cpu[i];
	tp_jsonw_int(w, "total", sum);
	tp_jsonw_array(w, "per_cpu");
	for (size_t i = 0; i < totals.count; i++)
		tp_jsonw_int(w, NULL, totals.per_cpu[i]);
	tp_jsonw_array_end(w);
}

void tp_facts_interrupts(const struct tp_facts *f, struct tp_jsonw *w)
{
	tp_jsonw_object(w, "interrupts");
	add_counts(f, w);
	tp_fact_put_line(f, w, "default_affinity", "/proc/irq/default_smp_affinity");
	tp_fact_put_line(f, w, "workqueue_cpumask", "/sys/devices/virtual/workqueue/cpumask");
	tp_jsonw_object_end(w);
}
