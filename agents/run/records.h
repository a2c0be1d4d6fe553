/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a result file, as text; docs/agent-protocol.md is their reference. */
#pragma once

#include <stdbool.h>
#include "run/run.h"
#include "util/str.h"

/* @memory_locked and @clock_step_ns describe the process that measures. */
void tp_records_start(struct tp_str *out, const struct tp_run *run, bool memory_locked,
		      int64_t clock_step_ns);

/* @when is "before" or "after". */
void tp_records_env(struct tp_str *out, const char *when);

void tp_records_round(struct tp_str *out, const struct tp_round *round);
