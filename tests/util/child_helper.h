/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describing a child in one line, for the two test programs about children. */
#pragma once

#include "scratch.h"

#include "util/child.h"

#define SH(script)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		"sh", "-c", script, NULL                                                           \
	}

static inline struct tp_child make(const char *const *argv, int64_t timeout_ms)
{
	return (struct tp_child){
	    .argv = argv, .log_fd = -1, .deadline = tp_deadline_in(timeout_ms)};
}
