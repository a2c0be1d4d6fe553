/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source tree: exact, with time stamps kept, and nothing of the user's touched. */
#include "worktree_helper.h"

#include <errno.h>

static void exactly_the_commit(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	run(*state, "cd repo; git checkout -q -b odd; ln -s fs/notify.c link; mkdir deep;"
		    "printf '\\r\\n' >deep/crlf; chmod +x scripts/olddefconfig; git add -A;"
		    "git commit -q -m odd; git checkout -q master");
	assert_prepared(&t, "toy/slower", NO_PATCHES);
	assert_tree_is(&t, "toy/slower");
	assert_prepared(&t, "odd", NO_PATCHES);
	assert_tree_is(&t, "odd");
	assert_prepared(&t, "toy/base", NO_PATCHES);
	assert_tree_is(&t, "toy/base");
}

static void the_users_checkout_stays(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	_cleanup_(tp_freep) char *before = NULL, *after = NULL;

	run(*state, "cd repo; echo dirty >>Makefile; echo staged >>Kconfig; git add Kconfig;"
		    "echo new >untracked; touch .git/index.lock; chmod -R a-w .git/objects;"
		    "git diff toy/base toy/slower >../p.patch");
	before = fingerprint(*state);
	assert_prepared(&t, "toy/base", NO_PATCHES);
	assert_prepared(&t, "toy/base", PATCHES("p.patch"));
	assert_prepared(&t, "toy/broken-build", NO_PATCHES);
	after = fingerprint(*state);
	assert_string_equal(before, after);
}

static void equal_files_keep_their_time(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	_cleanup_(tp_freep) char *touched = NULL;

	assert_prepared(&t, "toy/neutral", NO_PATCHES);
	run(*state, "find work/src -type f -exec touch -d 2001-01-01 {} +");
	assert_prepared(&t, "toy/slower", NO_PATCHES);
	touched = sh(*state, "find work/src -type f -newermt 2002-01-01 -printf '%P\\n'");
	assert_string_equal(touched, "fs/notify.c");
}

static void only_patched_files_are_restored(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	_cleanup_(tp_freep) char *touched = NULL;

	run(*state, "cd repo; git diff toy/neutral toy/slower >../p.patch");
	assert_prepared(&t, "toy/neutral", PATCHES("p.patch"));
	assert_tree_is(&t, "toy/slower");
	run(*state, "find work/src -type f ! -path '*/fs/*' -exec touch -d 2001-01-01 {} +");
	assert_prepared(&t, "toy/neutral", NO_PATCHES);
	assert_tree_is(&t, "toy/neutral");
	touched = sh(*state, "find work/src -type f -newermt 2002-01-01 -printf '%P\\n'");
	assert_string_equal(touched, "fs/notify.c");
}

static void attributes_and_configuration_change_no_byte(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	run(*state,
	    "cd repo; git checkout -q -b attr;"
	    "printf '* text eol=crlf\\n*.id ident\\n*.f filter=f\\n' >.gitattributes;"
	    "printf 'x $Id$\\n' >a.id; printf 'a\\n' >a.f; git add -A; git commit -q -m attr;"
	    "git config core.autocrlf true; git config filter.f.smudge 'touch pwned; cat';"
	    "mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch \"%s/pwned\"\\n' \"$1\" "
	    ">.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout");
	assert_prepared(&t, "attr", NO_PATCHES);
	run(*state, "for f in Makefile a.id a.f; do git -C repo cat-file blob attr:$f |"
		    "cmp - work/src/$f; done; test ! -e pwned; test ! -e work/src/pwned");
}

static void another_repository_may_follow(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	assert_prepared(&t, "toy/base", NO_PATCHES);
	run(*state, "rm -rf repo; git init -q repo; cd repo; echo 1 >one; git add .;"
		    "git commit -q -m other; git tag other");
	assert_prepared(&t, "other", NO_PATCHES);
	assert_tree_is(&t, "other");
}

static void refuses_names_that_are_not_whole(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	struct tp_err err = {};

	assert_int_equal(tp_worktree_prepare(t.git_dir, t.path, "HEAD", NULL, soon(), &err),
			 -EINVAL);
	assert_int_equal(tp_worktree_prepare(t.git_dir, "src",
					     "0123456789012345678901234567890123456789", NULL,
					     soon(), &err),
			 -EINVAL);
	assert_int_equal(tp_worktree_prepare(t.git_dir, t.path,
					     "0123456789012345678901234567890123456789", NULL,
					     soon(), &err),
			 -EIO);
	assert_non_null(strstr(err.text, "cannot check out commit 012345678901"));
}

static void a_passed_deadline(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	_cleanup_(tp_freep) char *id = sh(*state, "git -C repo rev-parse toy/base^{commit}");
	struct tp_err err = {};

	assert_int_equal(tp_worktree_prepare(t.git_dir, t.path, id, NULL, tp_deadline_in(0), &err),
			 -ETIMEDOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    toy_test(exactly_the_commit),
	    toy_test(the_users_checkout_stays),
	    toy_test(equal_files_keep_their_time),
	    toy_test(only_patched_files_are_restored),
	    toy_test(attributes_and_configuration_change_no_byte),
	    toy_test(another_repository_may_follow),
	    toy_test(refuses_names_that_are_not_whole),
	    toy_test(a_passed_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
