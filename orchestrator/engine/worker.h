/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker: one job on one target, plain sequential code, every call under a deadline.
 *
 * It keeps nothing in memory that the database lacks: killed at any instant, the next worker
 * takes the job with a new epoch and reaches the same verdict.
 */
#pragma once

#include "config/target.h"
#include "core/protocol.h"
#include "engine/paths.h"
#include "engine/progress.h"
#include "engine/request.h"
#include "store/store.h"
#include "target/machine.h"
#include "util/err.h"

struct tp_worker_options {
	int64_t
	    infra_backoff_ms; /* rest before an attempt after an infrastructure fault; doubles */
	int64_t build_timeout_ms; /* one kernel */
	int64_t min_free_bytes;	  /* least room on the state folder's disk */
};

struct tp_worker {
	struct tp_store *store;
	const struct tp_paths *paths;
	struct tp_worker_options options;
	struct tp_progress progress;

	int64_t job;
	int64_t epoch;
	struct tp_job_row row;
	struct tp_request request;
	struct tp_protocol protocol;
	struct tp_target_row target_row;
	struct tp_target_config target;
	struct tp_machine *machine; /* opened at the first act that needs it */
	bool prechecked;
	int infra_forgiven; /* faults before a person's retry: they count no more */
};

struct tp_worker_options tp_worker_options_default(void);

/*
 * Run @job to its end. Takes it over from a dead worker; refuses while a living one holds it
 * (-EBUSY). Returns 0 when the job is done (whatever the verdict); a negative errno with
 * @reterr when it failed or was left for `retry`.
 */
TP_MUST_CHECK int tp_worker_run(struct tp_store *store, const struct tp_paths *paths, int64_t job,
				const struct tp_worker_options *options,
				const struct tp_progress *progress, struct tp_err *reterr);
