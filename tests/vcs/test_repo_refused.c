/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Repositories that cannot be read whole are refused by the name of what is in the way. */
#include "git_helper.h"

#include <errno.h>

#include "vcs/repo.h"

static void assert_refused(const char *dir, const char *name, const char *words)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, name);
	struct tp_repo *repo = NULL;
	struct tp_err err = {};
	int r = tp_repo_open(path, &repo, &err);

	assert_true(r < 0);
	assert_null(repo);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" lacks \"%s\"", err.text, words);
}

static void assert_opens(const char *dir, const char *name)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, name);
	_cleanup_(tp_repo_closep) struct tp_repo *repo = NULL;
	struct tp_err err = {};
	struct tp_commit c;

	if (tp_repo_open(path, &repo, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(tp_repo_resolve(repo, "HEAD", &c, NULL), 0);
}

static void not_a_repository(void **state)
{
	assert_refused(*state, "nothing", "there is no repository");
	assert_refused(*state, ".", "is not a git repository");
	assert_refused(*state, "repo/Makefile", "is not a git repository");
	/* A folder inside one is not it: the wrong repository would answer. */
	assert_refused(*state, "repo/fs", "is not a git repository");
}

static void partial_clone(void **state)
{
	run(*state, "git -C repo config uploadpack.allowFilter true;"
		    "git clone -q --filter=blob:none --no-checkout \"file://$1/repo\" partial");
	assert_refused(*state, "partial", "partial clone");
	assert_refused(*state, "partial", "--mirror");
	/* Older clones are marked at the remote alone. */
	run(*state, "git -C repo config remote.origin.promisor true");
	assert_refused(*state, "repo", "remote.origin.promisor");
}

static void sha256_objects(void **state)
{
	run(*state, "git init -q --object-format=sha256 sha256");
	assert_refused(*state, "sha256", "extensions.objectformat");
}

static void extensions_by_name(void **state)
{
	static const struct {
		const char *set, *said;
	} cases[] = {
	    {"refStorage reftable", "extensions.refstorage"},
	    {"worktreeConfig true", "extensions.worktreeconfig"},
	    {"relativeWorktrees true", "extensions.relativeworktrees"},
	    {"neverHeardOf 1", "extensions.neverheardof"},
	};

	run(*state, "cp -a repo pristine");
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		_cleanup_(tp_freep) char *script =
		    tp_strf("rm -rf repo; cp -a pristine repo; git config -f repo/.git/config "
			    "core.repositoryFormatVersion 1;"
			    "git config -f repo/.git/config extensions.%s",
			    cases[i].set);

		run(*state, script);
		assert_refused(*state, "repo", cases[i].said);
	}
}

static void harmless_extensions_open(void **state)
{
	run(*state, "cd repo; git config core.repositoryFormatVersion 1;"
		    "git config extensions.noop x; git config extensions.preciousObjects true;"
		    "git config extensions.objectFormat sha1");
	assert_opens(*state, "repo");
}

static void broken_configuration(void **state)
{
	run(*state, "echo '[core' >repo/.git/config");
	assert_refused(*state, "repo", "config");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    toy_test(not_a_repository),		toy_test(partial_clone),
	    toy_test(sha256_objects),		toy_test(extensions_by_name),
	    toy_test(harmless_extensions_open), toy_test(broken_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
