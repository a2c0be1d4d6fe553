/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside vcs/: one hostile patch file, applied or refused with its file, its hunk and the reason.
 */
#pragma once

#include <stdbool.h>

#include "util/err.h"
#include "vcs/git_program.h"

/*
 * Apply the mailbox or diff @patch with `git apply`: wholly or not at all, never outside the
 * tree and never through a symbolic link. @to_index leaves the files alone and changes the
 * index only. Returns 0, TP_WORKTREE_E_PATCH with @reterr, or -errno.
 */
TP_MUST_CHECK int tp_patch_apply(const struct tp_git *git, const char *patch, bool to_index,
				 struct tp_err *reterr);

/*
 * Which hunk of @file's in the patch @text begins at old line @line? Counted from 1; 0 when
 * there is none.
 */
int tp_patch_find_hunk(const char *text, const char *file, long line);
