/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A repository through libgit2, read only; see repo.h. */
#include "vcs/repo.h"

#include <errno.h>
#include <git2.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/fd.h"
#include "util/str.h"
#include "vcs/repo_config.h"

struct tp_repo {
	git_repository *git;
	char *path;    /* as given, for sentences */
	char *git_dir; /* the common git folder, without a slash at its end */
};

#ifdef __SANITIZE_ADDRESS__
/* libgit2 1.5 forgets its match data whenever a regular expression does not match. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2-8\n";
}
#endif

static const char *git_words(void)
{
	const git_error *e = git_error_last();

	return e && e->message ? e->message : "no reason given";
}

/*
 * The person's own git configuration must not decide what a revision means, and a mirror that
 * belongs to another user may be read: nothing in it is run.
 */
static int start_libgit2(struct tp_err *reterr)
{
	static const int levels[] = {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM,
				     GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL};

	if (git_libgit2_init() < 0)
		return tp_err_set(reterr, -EIO, NULL, "libgit2 does not start: %s", git_words());
	for (size_t i = 0; i < TP_ARRAY_SIZE(levels); i++)
		git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, levels[i], "");
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, tp_repo_known_extensions,
			 tp_repo_n_known_extensions);
	return 0;
}

static int not_a_repository(const char *path, struct tp_err *reterr)
{
	return tp_err_set(
	    reterr, -ENOENT, path,
	    "%s is not a git repository (%s); give its top folder or a bare repository", path,
	    git_words());
}

/* Where the objects and the configuration are: for a linked worktree not where HEAD is. */
static int find_common_dir(const char *path, char **ret, struct tp_err *reterr)
{
	git_buf found = {};
	_cleanup_(tp_freep) char *git_dir = NULL, *link = NULL, *text = NULL, *dir = NULL;
	char real[PATH_MAX];

	if (!realpath(path, real))
		return tp_err_set(reterr, -errno, path, "there is no repository at %s: %s", path,
				  strerror(errno));
	if (git_repository_discover(&found, real, 1, real) < 0)
		return not_a_repository(path, reterr);
	git_dir = strdup(found.ptr);
	git_buf_dispose(&found);
	link = git_dir ? tp_strf("%s/commondir", git_dir) : NULL;
	if (!link)
		return tp_err_oom(reterr);
	if (!tp_path_exists(link)) {
		dir = TP_TAKE(git_dir);
	} else {
		int r = tp_file_read(link, PATH_MAX, &text, NULL, reterr);

		if (r < 0)
			return r;
		tp_str_chomp(text);
		dir = text[0] == '/' ? strdup(text) : tp_strf("%s/%s", git_dir, text);
	}
	if (!dir)
		return tp_err_oom(reterr);
	if (!realpath(dir, real))
		return tp_err_set(reterr, -errno, path, "cannot enter %s: %s", dir,
				  strerror(errno));
	*ret = strdup(real);
	return *ret ? 0 : tp_err_oom(reterr);
}

static int open_started(const char *path, struct tp_repo *repo, struct tp_err *reterr)
{
	int r = find_common_dir(path, &repo->git_dir, reterr);

	if (r < 0)
		return r;
	r = tp_repo_config_check(repo->git_dir, path, reterr);
	if (r < 0)
		return r;
	r = git_repository_open_ext(&repo->git, path, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL);
	if (r == GIT_ENOTFOUND)
		return not_a_repository(path, reterr);
	if (r < 0)
		return tp_err_set(reterr, -EIO, path, "cannot open the repository %s: %s", path,
				  git_words());
	return 0;
}

int tp_repo_open(const char *path, struct tp_repo **ret, struct tp_err *reterr)
{
	struct tp_repo *repo;
	int r = start_libgit2(reterr);

	if (r < 0)
		return r;
	repo = calloc(1, sizeof(*repo));
	if (!repo) {
		git_libgit2_shutdown();
		return tp_err_oom(reterr);
	}
	repo->path = strdup(path);
	r = repo->path ? open_started(path, repo, reterr) : tp_err_oom(reterr);
	if (r < 0) {
		tp_repo_close(repo);
		return r;
	}
	*ret = repo;
	return 0;
}

struct tp_repo *tp_repo_close(struct tp_repo *repo)
{
	if (!repo)
		return NULL;
	git_repository_free(repo->git);
	free(repo->path);
	free(repo->git_dir);
	free(repo);
	git_libgit2_shutdown();
	return NULL;
}

const char *tp_repo_git_dir(const struct tp_repo *repo)
{
	return repo->git_dir;
}

static int explain_unresolved(struct tp_repo *repo, const char *rev, int code,
			      struct tp_err *reterr)
{
	if (code == GIT_EAMBIGUOUS)
		return tp_err_set(reterr, -EINVAL, rev,
				  "the revision %s is ambiguous in %s: several objects begin so; "
				  "give more digits of the commit id",
				  rev, repo->path);
	if (code == GIT_EINVALIDSPEC)
		return tp_err_set(
		    reterr, -EINVAL, rev,
		    "%s does not name one revision; give a commit id, a tag, a branch "
		    "or an expression such as v6.12~3",
		    rev);
	if (git_repository_is_shallow(repo->git) == 1)
		return tp_err_set(
		    reterr, -ENOENT, rev,
		    "the revision %s is not in %s, which is a shallow clone: its history "
		    "is cut off and parents are missing; run `git fetch --unshallow` in "
		    "it or use a full clone",
		    rev, repo->path);
	if (code == GIT_ENOTFOUND)
		return tp_err_set(reterr, -ENOENT, rev,
				  "there is no revision %s in %s; fetch it or check the spelling",
				  rev, repo->path);
	return tp_err_set(reterr, -EIO, rev, "cannot resolve %s in %s: %s", rev, repo->path,
			  git_words());
}

/* A tag is followed; a tree or a file is named as what it is. */
static int peel_to_commit(struct tp_repo *repo, const char *rev, git_object *object,
			  git_commit **ret, struct tp_err *reterr)
{
	git_object *peeled = NULL;
	int r = git_object_peel(&peeled, object, GIT_OBJECT_COMMIT);

	if (r == GIT_ENOTFOUND)
		return explain_unresolved(repo, rev, r, reterr);
	if (r < 0)
		return tp_err_set(reterr, -EINVAL, rev, "%s is a %s, not a commit, in %s", rev,
				  git_object_type2string(git_object_type(object)), repo->path);
	*ret = (git_commit *)peeled;
	return 0;
}

static void fill_subject(const git_commit *commit, struct tp_commit *ret)
{
	const char *message = git_commit_message(commit);
	size_t len = message ? strcspn(message, "\n") : 0;

	if (len >= sizeof(ret->subject))
		len = sizeof(ret->subject) - 1;
	memcpy(ret->subject, message ? message : "", len);
	ret->subject[len] = '\0';
	tp_str_sanitize(ret->subject);
}

static int fill_commit(struct tp_repo *repo, const char *rev, const git_commit *commit,
		       struct tp_commit *ret, struct tp_err *reterr)
{
	struct tp_commit c = {.n_parents = (int)git_commit_parentcount(commit),
			      .time_s = git_commit_time(commit)};
	git_odb *odb = NULL;
	bool has_tree;

	if (git_repository_odb(&odb, repo->git) < 0)
		return tp_err_set(reterr, -EIO, rev, "cannot read the objects of %s: %s",
				  repo->path, git_words());
	has_tree = git_odb_exists(odb, git_commit_tree_id(commit)) == 1;
	git_odb_free(odb);
	git_oid_tostr(c.id, sizeof(c.id), git_commit_id(commit));
	git_oid_tostr(c.tree, sizeof(c.tree), git_commit_tree_id(commit));
	if (!has_tree)
		return tp_err_set(
		    reterr, -EIO, rev,
		    "commit %.12s is in %s but its tree %.12s is not: the repository is "
		    "incomplete; run `git fsck` in it or clone it again",
		    c.id, repo->path, c.tree);
	if (c.n_parents > 0)
		git_oid_tostr(c.parent, sizeof(c.parent), git_commit_parent_id(commit, 0));
	fill_subject(commit, &c);
	*ret = c;
	return 0;
}

int tp_repo_resolve(struct tp_repo *repo, const char *rev, struct tp_commit *ret,
		    struct tp_err *reterr)
{
	git_object *object = NULL;
	git_commit *commit = NULL;
	int r;

	if (!rev[0])
		return tp_err_set(reterr, -EINVAL, NULL, "an empty revision names no commit");
	r = git_revparse_single(&object, repo->git, rev);
	if (r < 0)
		return explain_unresolved(repo, rev, r, reterr);
	r = peel_to_commit(repo, rev, object, &commit, reterr);
	if (r == 0)
		r = fill_commit(repo, rev, commit, ret, reterr);
	git_commit_free(commit);
	git_object_free(object);
	return r;
}
