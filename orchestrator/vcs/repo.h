/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A git repository, read only: revisions, parents, trees. libgit2 is known in vcs/ alone.
 *
 * Graphs and objects go through libgit2; worktrees go through the git program, in a folder of
 * ours, so that the user's checkout and index are never touched.
 */
#pragma once

#include "util/clock.h"
#include "util/err.h"

#define TP_OID_HEX 41

struct tp_repo;

struct tp_commit {
	char id[TP_OID_HEX];
	char tree[TP_OID_HEX];
	int n_parents;
	char parent[TP_OID_HEX]; /* first parent, "" for a root */
	int64_t time_s;
	char subject[256]; /* first line, sanitised */
};

/*
 * Open @path (bare or not). A partial clone or an unsupported extension (reftable, sha256,
 * worktreeConfig, relativeWorktrees) is refused by name with the way out (a plain bare mirror).
 */
TP_MUST_CHECK int tp_repo_open(const char *path, struct tp_repo **ret, struct tp_err *reterr);
struct tp_repo *tp_repo_close(struct tp_repo *repo);
TP_DEFINE_CLEANUP(struct tp_repo, tp_repo_close)

/* The git folder, absolute; owned by @repo. */
const char *tp_repo_git_dir(const struct tp_repo *repo);

/* Resolve a revision to a commit; unknown, ambiguous and non-commit revisions say so. */
TP_MUST_CHECK int tp_repo_resolve(struct tp_repo *repo, const char *rev, struct tp_commit *ret,
				  struct tp_err *reterr);
