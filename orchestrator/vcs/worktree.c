/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disposable source tree; see worktree.h. */
#include "vcs/worktree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"
#include "vcs/git_program.h"
#include "vcs/patch.h"

/* Everything that points into a tree: the git folder beside it and the user's objects. */
struct place {
	char *git_dir;
	char *objects;
	struct tp_git git;
};

static void place_deinit(struct place *p)
{
	free(p->git_dir);
	free(p->objects);
}

static int check_names(const char *git_dir, const char *path, const char *commit,
		       struct tp_err *reterr)
{
	if (git_dir[0] != '/' || path[0] != '/')
		return tp_err_set(reterr, -EINVAL, path, "%s is not an absolute path",
				  path[0] != '/' ? path : git_dir);
	if (strlen(commit) != 40 || strspn(commit, "0123456789abcdef") != 40)
		return tp_err_set(reterr, -EINVAL, commit, "%s is not a full commit id", commit);
	return 0;
}

static int write_once(const char *dir, const char *name, const char *text, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, name);

	if (!path)
		return tp_err_oom(reterr);
	if (tp_path_exists(path))
		return 0;
	return tp_file_write(path, text, strlen(text), 0640, reterr);
}

/*
 * The least that git takes for a repository. Attributes of the tree must not change bytes on
 * their way to the disk: info/attributes outranks every .gitattributes.
 */
static int make_git_dir(const char *dir, struct tp_err *reterr)
{
	static const char *const folders[] = {"objects", "refs", "info"};
	int r = 0;

	for (size_t i = 0; r == 0 && i < TP_ARRAY_SIZE(folders); i++) {
		_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, folders[i]);

		r = path ? tp_dir_make(path, 0750, reterr) : tp_err_oom(reterr);
	}
	if (r == 0)
		r = write_once(dir, "HEAD", "ref: refs/heads/none\n", reterr);
	if (r == 0)
		r = write_once(dir, "info/attributes",
			       "* -text -eol -ident -filter -working-tree-encoding\n", reterr);
	if (r == 0)
		r = write_once(dir, "config",
			       "[core]\n\trepositoryformatversion = 0\n\tbare = false\n", reterr);
	return r;
}

static int place_init(struct place *p, const char *git_dir, const char *path,
		      struct tp_deadline deadline, struct tp_err *reterr)
{
	p->git_dir = tp_strf("%s.git", path);
	p->objects = tp_strf("%s/objects", git_dir);
	if (!p->git_dir || !p->objects)
		return tp_err_oom(reterr);
	if (strchr(p->objects, '\n'))
		return tp_err_set(reterr, -EINVAL, NULL,
				  "a repository's path may not contain a line break");
	p->git =
	    (struct tp_git){.git_dir = p->git_dir, .objects = p->objects, .deadline = deadline};
	return make_git_dir(p->git_dir, reterr);
}

/* Waits for a worktree run elsewhere, and for git helpers that a killed run left behind. */
static int take_lock(const char *git_dir, struct tp_deadline deadline, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/lock", git_dir);
	int fd;

	if (!path)
		return tp_err_oom(reterr);
	for (;;) {
		fd = tp_lock_file(path, false, reterr);
		if (fd != -EWOULDBLOCK)
			return fd;
		if (!tp_deadline_sleep(deadline, 50))
			return tp_err_set(reterr, -ETIMEDOUT, NULL,
					  "another process keeps the source tree beside %s busy",
					  git_dir);
	}
}

static void remove_leftover(const char *git_dir, const char *name)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", git_dir, name);

	if (path)
		unlink(path);
}

/*
 * Bring the index up to date with time stamps, so that a touched but equal file is not written
 * again. What it says about changed files, or about an index it cannot read, is the business of
 * check_out().
 */
static int refresh_index(const struct tp_git *git, struct tp_err *reterr)
{
	const char *const args[] = {"update-index", "-q", "--refresh", NULL};
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};

	return tp_git_run(git, args, &result, reterr);
}

static int check_out(const struct tp_git *git, const char *commit, struct tp_err *reterr)
{
	const char *const args[] = {"read-tree", "--reset", "-u", commit, NULL};
	struct tp_err first = {};
	int r = tp_git_check(git, args, &first);

	if (r == -EIO) {
		/* Once more from nothing: an index killed in mid-write is not worth more. */
		remove_leftover(git->git_dir, "index.lock");
		remove_leftover(git->git_dir, "index");
		first = (struct tp_err){};
		r = tp_git_check(git, args, &first);
	}
	if (r < 0)
		return tp_err_set(reterr, r, commit, "cannot check out commit %.12s: %s", commit,
				  first.text);
	return 0;
}

static int clean(const struct tp_git *git, struct tp_err *reterr)
{
	const char *const args[] = {"clean", "-ffdxq", NULL};

	return tp_git_check(git, args, reterr);
}

static int apply_all(const struct tp_git *git, const char *const *patches, bool to_index,
		     struct tp_err *reterr)
{
	for (; patches && *patches; patches++) {
		int r = tp_patch_apply(git, *patches, to_index, reterr);

		if (r != 0)
			return r;
	}
	return 0;
}

static int prepare_locked(struct place *p, const char *path, const char *commit,
			  const char *const *patches, struct tp_err *reterr)
{
	int r = tp_dir_make(path, 0755, reterr);

	if (r < 0)
		return r;
	p->git.work_tree = path;
	remove_leftover(p->git_dir, "index.lock");
	r = refresh_index(&p->git, reterr);
	if (r == 0)
		r = check_out(&p->git, commit, reterr);
	if (r == 0)
		r = clean(&p->git, reterr);
	if (r == 0)
		r = apply_all(&p->git, patches, false, reterr);
	return r;
}

int tp_worktree_prepare(const char *git_dir, const char *path, const char *commit,
			const char *const *patches, struct tp_deadline deadline,
			struct tp_err *reterr)
{
	_cleanup_(place_deinit) struct place p = {};
	_cleanup_(tp_fd_closep) int lock = -1;
	int r = check_names(git_dir, path, commit, reterr);

	if (r == 0)
		r = place_init(&p, git_dir, path, deadline, reterr);
	if (r < 0)
		return r;
	lock = take_lock(p.git_dir, deadline, reterr);
	if (lock < 0)
		return lock;
	p.git.lock_fd = lock;
	return prepare_locked(&p, path, commit, patches, reterr);
}

static int check_in_scratch(struct place *p, const char *scratch, const char *commit,
			    const char *const *patches, struct tp_err *reterr)
{
	const char *const args[] = {"read-tree", commit, NULL};
	_cleanup_(tp_freep) char *objects = tp_strf("%s/objects", scratch);
	int r = objects ? tp_dir_make(objects, 0700, reterr) : tp_err_oom(reterr);

	p->git.scratch = scratch;
	if (r == 0)
		r = tp_git_check(&p->git, args, reterr);
	if (r == 0)
		r = apply_all(&p->git, patches, true, reterr);
	return r;
}

int tp_worktree_check_patches(const char *git_dir, const char *path, const char *commit,
			      const char *const *patches, struct tp_deadline deadline,
			      struct tp_err *reterr)
{
	_cleanup_(place_deinit) struct place p = {};
	_cleanup_(tp_freep) char *scratch = NULL;
	const char *tmp = getenv("TMPDIR");
	int r = check_names(git_dir, path, commit, reterr);

	if (r == 0)
		r = place_init(&p, git_dir, path, deadline, reterr);
	if (r < 0)
		return r;
	scratch = tp_strf("%s/triptych-patches-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
	if (!scratch)
		return tp_err_oom(reterr);
	if (!mkdtemp(scratch))
		return tp_err_set(reterr, -errno, NULL, "cannot make a folder like %s: %s", scratch,
				  strerror(errno));
	r = check_in_scratch(&p, scratch, commit, patches, reterr);
	if (tp_dir_remove(scratch, NULL) < 0)
		errno = 0;
	return r;
}
