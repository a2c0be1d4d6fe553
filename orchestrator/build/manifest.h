/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside build/: manifest.json, the record of everything that was pinned and what came out.
 *
 * Its fields are listed in docs/kernels.md. It is written last: an entry of the cache without a
 * good one does not exist.
 */
#pragma once

#include "build/state.h"

#define TP_MANIFEST_FORMAT 1

/* The record of @b, whose artefacts lie in @dir (hashed here). @ret is malloc()ed. */
TP_MUST_CHECK int tp_manifest_make(const struct tp_build *b, const char *dir, char **ret,
				   struct tp_err *reterr);

/*
 * Read @text into the scalar fields of @ret, after checking that it belongs to @key and that
 * the files in @dir are the recorded ones: all sizes, and the bytes of those that get booted or
 * compared. -EBADMSG when anything is amiss. @ret is left with nothing to free on failure.
 */
TP_MUST_CHECK int tp_manifest_load(const char *text, const char *dir, const char *key,
				   struct tp_kernel_result *ret, struct tp_err *reterr);
