/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run: environment, warm-up rounds, quiet time, measured rounds, environment, end.
 *
 * Records are made and written between rounds, never inside a timed region, and memory does
 * not grow with the number of rounds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "run/connection.h"
#include "run/result.h"
#include "util/err.h"
#include "util/macro.h"
#include "workloads/workload.h"

struct tp_run {
	const struct tp_workload *workload;
	const struct tp_value *values; /* parallel to the workload's options */
	const char *run_id;
	const char *out;
	int64_t warmup, rounds;
	int64_t quiet_ms; /* between the last warm-up round and the first measured one */
	const struct tp_connection *connection; /* to be gone before that time; NULL for none */
	int64_t deadline_ms;			/* for all of it; 0: none */
	int64_t dma_latency_us; /* held through /dev/cpu_dma_latency; -1: left alone */

	/* Called once when the warm-up rounds are over; NULL for nobody. */
	void (*warmed)(struct tp_run *run);
	int notify_fd; /* where warmed() reports; -1 when unused */
};

/*
 * Carry @run out into @result, which is left with its end record: committed, or failed. Blocks
 * for the whole run. Returns 0, or -errno with the same sentence in @reterr as on the record.
 */
TP_MUST_CHECK int tp_run_execute(struct tp_run *run, struct tp_result *result,
				 struct tp_err *reterr);
