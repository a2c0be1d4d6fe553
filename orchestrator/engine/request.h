/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person asked for, frozen: stored with the job as JSON, so that a retry needs nothing
 * but the job's number. Revisions are stored resolved: a moving branch changes no job.
 */
#pragma once

#include "util/err.h"
#include "util/hash.h"

struct tp_request_kernel {
	char *spec;  /* <full commit id>[+PATCH...], patches by absolute path */
	char *asked; /* as the person wrote it, for tables */
	char key[TP_SHA256_HEX];
};

struct tp_request {
	char *repo;			   /* absolute path */
	char *seed;			   /* absolute path of the config seed */
	char **fragments;		   /* absolute paths, NULL-ended */
	int jobs;			   /* make -j */
	char target_sha256[TP_SHA256_HEX]; /* of the target's description */
	char protocol_sha256[TP_SHA256_HEX];
	struct tp_request_kernel parent, child;
};

void tp_request_deinit(struct tp_request *request);

/* JSON text (malloc()ed), NULL when out of memory. */
char *tp_request_to_json(const struct tp_request *request);
TP_MUST_CHECK int tp_request_from_json(const char *text, struct tp_request *ret,
				       struct tp_err *reterr);

/* The same command finds the same job: hash of kernels' keys, target, protocol. */
void tp_request_key(const struct tp_request *request, const char *kind, const char *target,
		    char ret[static TP_SHA256_HEX]);
