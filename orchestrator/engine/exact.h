/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job `exact`: did this commit change this metric? parent A -> child -> parent B. */
#pragma once

#include "engine/paths.h"
#include "store/store.h"
#include "util/err.h"

struct tp_exact {
	const char *repo;     /* path of the git repository */
	const char *spec;     /* REV: against its first parent; REV+PATCH: against REV */
	const char *target;   /* name */
	const char *protocol; /* name or path */
	bool again;	      /* measure anew although a finished job has the answer */
};

/*
 * Find the job that the same command made before, or make it: revisions resolved, kernels'
 * recipes hashed, protocol stored whole, three points. @ret_done: it is finished already.
 * Bad input is one sentence; nothing is stored then.
 */
TP_MUST_CHECK int tp_exact_prepare(struct tp_store *store, const struct tp_paths *paths,
				   const struct tp_exact *exact, int64_t *ret_job, bool *ret_done,
				   struct tp_err *reterr);
