/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU lists; see cpulist.h. */
#include "base/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#define CPU_NUMBER_MAX 65535

static int parse_number(const char **p, long *ret)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)**p))
		return -EINVAL;
	errno = 0;
	value = strtol(*p, &end, 10);
	if (errno == ERANGE || value > CPU_NUMBER_MAX)
		return -ERANGE;
	*p = end;
	*ret = value;
	return 0;
}

static int add_range(struct tp_cpulist *list, long first, long last)
{
	if (last < first || (size_t)(last - first) >= TP_CPULIST_MAX - list->count)
		return -ERANGE;
	for (long cpu = first; cpu <= last; cpu++)
		list->cpus[list->count++] = (int)cpu;
	return 0;
}

static int parse_range(const char **p, struct tp_cpulist *list)
{
	long first, last;
	int r = parse_number(p, &first);

	last = first;
	if (r == 0 && **p == '-') {
		(*p)++;
		r = parse_number(p, &last);
	}
	return r < 0 ? r : add_range(list, first, last);
}

int tp_cpulist_parse(const char *text, struct tp_cpulist *ret)
{
	struct tp_cpulist list = {};
	const char *p = text;

	for (;;) {
		int r = parse_range(&p, &list);

		if (r < 0)
			return r;
		if (*p == '\0')
			break;
		if (*p++ != ',')
			return -EINVAL;
	}
	*ret = list;
	return 0;
}

int tp_cpulist_allowed(struct tp_cpulist *ret)
{
	size_t size = CPU_ALLOC_SIZE(CPU_NUMBER_MAX + 1);
	cpu_set_t *set = CPU_ALLOC(CPU_NUMBER_MAX + 1);
	int r = 0;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	if (sched_getaffinity(0, size, set) < 0)
		r = -errno;
	ret->count = 0;
	for (int cpu = 0; r == 0 && cpu <= CPU_NUMBER_MAX; cpu++) {
		if (CPU_ISSET_S(cpu, size, set) && ret->count < TP_CPULIST_MAX)
			ret->cpus[ret->count++] = cpu;
	}
	CPU_FREE(set);
	return r;
}

static bool contains(const struct tp_cpulist *list, int cpu)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->cpus[i] == cpu)
			return true;
	}
	return false;
}

int tp_cpulist_stranger(const struct tp_cpulist *list, const struct tp_cpulist *allowed)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!contains(allowed, list->cpus[i]))
			return list->cpus[i];
	}
	return -1;
}
