/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU lists as the kernel and taskset write them: "0-3,8,10-11". Pure, order is kept,
 * and a CPU named twice stays twice: workers may share one.
 */
#pragma once

#include <stddef.h>
#include "util/macro.h"

#define TP_CPULIST_MAX 1024

struct tp_cpulist {
	int cpus[TP_CPULIST_MAX];
	size_t count;
};

/*
 * Parse @text. Returns 0, -EINVAL for anything but the grammar above (an empty list included),
 * -ERANGE when a number is above 65535, a range runs backwards, or there are too many.
 */
TP_MUST_CHECK int tp_cpulist_parse(const char *text, struct tp_cpulist *ret);

/* The CPUs that this process may run on. Returns 0 or -errno. */
TP_MUST_CHECK int tp_cpulist_allowed(struct tp_cpulist *ret);

/* The first CPU of @list that is not in @allowed, or -1. */
int tp_cpulist_stranger(const struct tp_cpulist *list, const struct tp_cpulist *allowed);
