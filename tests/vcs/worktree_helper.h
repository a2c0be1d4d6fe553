/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preparing DIR/work/src from DIR/repo, and comparing it with what git itself would write. */
#pragma once

#include "git_helper.h"

#include "vcs/worktree.h"

struct tree {
	const char *dir;
	char *git_dir, *path;
};

static inline struct tree tree_of(const char *dir)
{
	return (struct tree){.dir = dir,
			     .git_dir = tp_strf("%s/repo/.git", dir),
			     .path = tp_strf("%s/work/src", dir)};
}

static inline void tree_deinit(struct tree *t)
{
	free(t->git_dir);
	free(t->path);
}

/* @patches: names in DIR, NULL-ended, or NULL. */
static inline int prepare(const struct tree *t, const char *rev, const char *const *patches,
			  struct tp_err *err)
{
	_cleanup_(tp_freep) char *script = tp_strf("git -C repo rev-parse '%s^{commit}'", rev);
	_cleanup_(tp_freep) char *id = sh(t->dir, script);
	char *paths[9] = {};
	int r;

	for (int i = 0; patches && patches[i]; i++)
		paths[i] = tp_strf("%s/%s", t->dir, patches[i]);
	r = tp_worktree_prepare(t->git_dir, t->path, id, (const char *const *)paths, soon(), err);
	for (int i = 0; paths[i]; i++)
		free(paths[i]);
	return r;
}

static inline void assert_prepared(const struct tree *t, const char *rev,
				   const char *const *patches)
{
	struct tp_err err = {};

	if (prepare(t, rev, patches, &err) != 0)
		fail_msg("%s", err.text);
}

/* Exactly the files, bytes, modes and links of @rev, nothing beside them. */
static inline void assert_tree_is(const struct tree *t, const char *rev)
{
	_cleanup_(tp_freep) char *script =
	    tp_strf("rm -rf wanted; mkdir wanted; git -C repo archive '%s' | tar -x -C wanted;"
		    "list() { (cd \"$1\"; find . -type f -perm -u+x -printf 'x %%p\\n' -o "
		    "-printf '- %%p %%l\\n' | sort); };"
		    "diff <(list wanted) <(list work/src) >&2; diff -r wanted work/src >&2",
		    rev);

	run(t->dir, script);
}

#define NO_PATCHES   ((const char *const *)NULL)
#define PATCHES(...) ((const char *const[]){__VA_ARGS__, NULL})
