/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside build/: the artefact cache. CACHE/KEY/ is whole or is not there; CACHE/failed/KEY/
 * keeps the log of what did not build. Everything appears by a rename of a synced folder.
 */
#pragma once

#include "build/state.h"

/* Load a whole and undamaged entry; -ENOENT or -EBADMSG otherwise. */
TP_MUST_CHECK int tp_artifact_load(const char *cache_dir, const char *key,
				   struct tp_kernel_result *ret, struct tp_err *reterr);

/* Move what @b built into the cache, replacing a damaged entry. */
TP_MUST_CHECK int tp_artifact_publish(struct tp_build *b, struct tp_err *reterr);

/*
 * Keep the log of a build that came to nothing, with @why in failure.json, and hand out the
 * log's path (malloc()ed).
 */
TP_MUST_CHECK int tp_artifact_keep_failure(struct tp_build *b, const char *why, char **ret_log,
					   struct tp_err *reterr);

/* Remove half-written folders of processes that are gone. */
void tp_artifact_sweep(const char *cache_dir);
