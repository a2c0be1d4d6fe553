/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making a machine known: host key pinned, checked, facts read, description stored. */
#pragma once

#include "engine/paths.h"
#include "store/store.h"
#include "util/err.h"

/*
 * Ask a person whether @fingerprint is the machine's; true to trust it. Called only when the
 * description pins no host key.
 */
typedef bool (*tp_enroll_trust_fn)(const char *key, const char *fingerprint, void *data);

/*
 * Add or replace the target described by the file @yaml_path. Trust on first use happens here
 * and nowhere else. Refused when the machine fails its check. @ret_name is malloc()ed.
 */
TP_MUST_CHECK int tp_enroll_add(struct tp_store *store, const struct tp_paths *paths,
				const char *yaml_path, tp_enroll_trust_fn trust, void *data,
				char **ret_name, struct tp_err *reterr);

/* The stored target @name, or -ENOENT with a sentence that says how to see and add targets. */
TP_MUST_CHECK int tp_enroll_find(struct tp_store *store, const char *name,
				 struct tp_target_row *ret, struct tp_err *reterr);

/* Check a stored target as a job would: reachable, precheck, facts (stored; also returned). */
TP_MUST_CHECK int tp_enroll_check(struct tp_store *store, const struct tp_paths *paths,
				  const char *name, char **ret_facts_json, struct tp_err *reterr);
