/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Revisions: what resolves, and what each thing that does not is told. */
#include "git_helper.h"

#include <errno.h>

#include "vcs/repo.h"

static struct tp_repo *open_repo(const char *dir, const char *name)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, name);
	struct tp_repo *repo = NULL;
	struct tp_err err = {};

	if (tp_repo_open(path, &repo, &err) < 0)
		fail_msg("%s", err.text);
	return repo;
}

/* The sentence with which @rev is refused. */
static void assert_refused(struct tp_repo *repo, const char *rev, int code, const char *words)
{
	struct tp_commit commit = {.subject = "untouched"};
	struct tp_err err = {};

	assert_int_equal(tp_repo_resolve(repo, rev, &commit, &err), code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" lacks \"%s\"", err.text, words);
	assert_string_equal(commit.subject, "untouched");
}

static void resolves_what_git_resolves(void **state)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = open_repo(*state, "repo");
	static const char *const revs[] = {
	    "toy/slower",	  "HEAD",	    "master~2", "toy/comment^",
	    "refs/tags/toy/base", ":/do more work", "annotated"};

	run(*state, "git -C repo tag -a -m x annotated toy/neutral");
	for (size_t i = 0; i < TP_ARRAY_SIZE(revs); i++) {
		_cleanup_(tp_freep) char *script =
		    tp_strf("git -C repo log -1 --format='%%H %%T %%P %%ct %%s' '%s'", revs[i]);
		_cleanup_(tp_freep) char *wanted = sh(*state, script);
		_cleanup_(tp_freep) char *got = NULL;
		struct tp_commit c;

		assert_int_equal(tp_repo_resolve(repo, revs[i], &c, NULL), 0);
		got = tp_strf("%s %s %s %lld %s", c.id, c.tree, c.parent, (long long)c.time_s,
			      c.subject);
		assert_string_equal(got, wanted);
		assert_int_equal(c.n_parents, c.parent[0] ? 1 : 0);
	}
}

static void a_root_and_a_merge(void **state)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = open_repo(*state, "repo");
	struct tp_commit c;

	run(*state, "cd repo; git checkout -q -b side toy/base; echo x >x; git add x;"
		    "git commit -q -m side; git merge -q -m both toy/neutral");
	assert_int_equal(tp_repo_resolve(repo, "toy/base", &c, NULL), 0);
	assert_int_equal(c.n_parents, 0);
	assert_string_equal(c.parent, "");
	assert_int_equal(tp_repo_resolve(repo, "side", &c, NULL), 0);
	assert_int_equal(c.n_parents, 2);
}

static void says_what_a_revision_is_not(void **state)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = open_repo(*state, "repo");

	assert_refused(repo, "v9.99", -ENOENT, "there is no revision v9.99");
	assert_refused(repo, "0123456789012345678901234567890123456789", -ENOENT,
		       "there is no revision");
	assert_refused(repo, "toy/base^{tree}", -EINVAL, "is a tree, not a commit");
	assert_refused(repo, "toy/base:Makefile", -EINVAL, "is a blob, not a commit");
	assert_refused(repo, "toy/base..toy/slower", -EINVAL, "one revision");
	assert_refused(repo, "toy/base^", -ENOENT, "there is no revision");
	assert_refused(repo, "", -EINVAL, "empty revision");
}

static void an_ambiguous_prefix(void **state)
{
	/* 600 objects and 65536 prefixes of four digits: two are alike, on every run the same. */
	_cleanup_(tp_freep) char *prefix =
	    sh(*state,
	       "cd repo; for i in {1..600}; do echo $i >b$i; done;"
	       "ls b* | git hash-object -w --stdin-paths | cut -c1-4 | sort | uniq -d | head -1");
	_cleanup_(tp_repo_closep) struct tp_repo *repo = open_repo(*state, "repo");

	assert_int_equal(strlen(prefix), 4);
	assert_refused(repo, prefix, -EINVAL, "ambiguous");
}

static void bare_and_linked_worktree(void **state)
{
	_cleanup_(tp_freep) char *wanted = NULL;
	_cleanup_(tp_repo_closep) struct tp_repo *bare = NULL, *linked = NULL;
	struct tp_commit c;

	run(*state,
	    "git clone -q --bare repo bare.git; git -C repo worktree add -q ../linked toy/base");
	bare = open_repo(*state, "bare.git");
	assert_int_equal(tp_repo_resolve(bare, "toy/base", &c, NULL), 0);
	linked = open_repo(*state, "linked");
	assert_int_equal(tp_repo_resolve(linked, "HEAD", &c, NULL), 0);
	assert_string_equal(c.parent, "");
	/* Objects are where the main repository is. */
	wanted = sh(*state, "realpath repo/.git");
	assert_string_equal(tp_repo_git_dir(linked), wanted);
}

static void a_shallow_clone_says_so(void **state)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = NULL;
	struct tp_commit c;

	run(*state, "git clone -q --depth 2 \"file://$1/repo\" shallow");
	repo = open_repo(*state, "shallow");
	assert_int_equal(tp_repo_resolve(repo, "HEAD^", &c, NULL), 0);
	assert_int_equal(c.n_parents, 1);
	assert_refused(repo, "HEAD^^", -ENOENT, "shallow clone");
	assert_refused(repo, c.parent, -ENOENT, "shallow clone");
}

static void a_hostile_subject_is_sanitised(void **state)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = open_repo(*state, "repo");
	struct tp_commit c;

	run(*state, "cd repo; git commit -q --allow-empty -m $'red \\e[31m alert\\n\\nbody'");
	assert_int_equal(tp_repo_resolve(repo, "HEAD", &c, NULL), 0);
	assert_string_equal(c.subject, "red ?[31m alert");
	run(*state, "cd repo; git commit -q --allow-empty -m \"$(printf 'x%.0s' {1..900})\"");
	assert_int_equal(tp_repo_resolve(repo, "HEAD", &c, NULL), 0);
	assert_int_equal(strlen(c.subject), sizeof(c.subject) - 1);
}

static void a_missing_tree_is_named(void **state)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = NULL;

	run(*state,
	    "cd repo; t=$(git rev-parse toy/neutral^{tree}); rm -f .git/objects/${t:0:2}/${t:2}");
	repo = open_repo(*state, "repo");
	assert_refused(repo, "toy/neutral", -EIO, "incomplete");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    toy_test(resolves_what_git_resolves),     toy_test(a_root_and_a_merge),
	    toy_test(says_what_a_revision_is_not),    toy_test(an_ambiguous_prefix),
	    toy_test(bare_and_linked_worktree),	      toy_test(a_shallow_clone_says_so),
	    toy_test(a_hostile_subject_is_sanitised), toy_test(a_missing_tree_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
