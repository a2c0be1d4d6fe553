/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside vcs/: is this repository one that libgit2 can read whole? */
#pragma once

#include "util/err.h"

/*
 * Read the configuration in @common_dir and refuse, by name, what libgit2 cannot read: a
 * partial clone, sha256 objects, reftable, per-worktree configuration, unknown extensions.
 */
TP_MUST_CHECK int tp_repo_config_check(const char *common_dir, const char *path,
				       struct tp_err *reterr);

/*
 * Extensions that tp_repo_config_check() judges itself, for GIT_OPT_SET_EXTENSIONS: without
 * this libgit2 refuses even harmless values, and without a word about the way out.
 */
extern const char *const tp_repo_known_extensions[];
extern const size_t tp_repo_n_known_extensions;
