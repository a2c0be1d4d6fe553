/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disposable source tree of ours at a fixed path: checked out, cleaned, patched.
 *
 * Beside the tree PATH lies PATH.git, which holds the index and the lock; the objects are read
 * from the user's repository, in which nothing is ever written.
 */
#pragma once

#include "util/clock.h"
#include "util/err.h"

enum {
	TP_WORKTREE_E_PATCH = 1, /* a patch does not apply: an answer for the user, see @reterr */
};

/*
 * Make @path hold exactly @commit of the repository @git_dir, with @patches (files, NULL-ended,
 * may be NULL) applied in order. Files that do not differ keep their time stamps, so an
 * incremental build stays small. Leftovers of a killed run (index.lock, half a checkout, applied
 * patches, untracked files) are mended. Another process at work on @path is waited for. Blocks
 * until @deadline. Returns 0, TP_WORKTREE_E_PATCH, or -errno; @path and @commit are absolute and
 * a full id.
 */
TP_MUST_CHECK int tp_worktree_prepare(const char *git_dir, const char *path, const char *commit,
				      const char *const *patches, struct tp_deadline deadline,
				      struct tp_err *reterr);

/*
 * Would @patches apply to @commit in this order? Looks at an index of its own: the tree at @path
 * need not exist and is not touched, nor is a build that runs in it disturbed. Returns as above.
 */
TP_MUST_CHECK int tp_worktree_check_patches(const char *git_dir, const char *path,
					    const char *commit, const char *const *patches,
					    struct tp_deadline deadline, struct tp_err *reterr);
