/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patches: which file, which hunk, and no way out of the tree. */
#include "worktree_helper.h"

#include <errno.h>

#include "vcs/patch.h"

static void assert_does_not_apply(const struct tree *t, const char *const *patches,
				  const char *words)
{
	struct tp_err err = {};

	assert_int_equal(prepare(t, "toy/base", patches, &err), TP_WORKTREE_E_PATCH);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" lacks \"%s\"", err.text, words);
}

static void a_diff_and_a_mailbox(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	run(*state, "cd repo; git diff toy/base toy/neutral >../a.patch;"
		    "git format-patch -q --stdout toy/neutral..toy/new-option >../b.mbox");
	assert_prepared(&t, "toy/base", PATCHES("a.patch", "b.mbox"));
	assert_tree_is(&t, "toy/new-option");
	/* The order counts: the series itself, backwards, does not fit. */
	run(*state, "cd repo; git format-patch -q -o .. toy/neutral..toy/new-option");
	assert_prepared(&t, "toy/neutral",
			PATCHES("0001-notify-do-more-work.patch",
				"0002-notify-say-what-happened.patch",
				"0003-Kconfig-one-symbol-more.patch"));
	assert_tree_is(&t, "toy/new-option");
	assert_does_not_apply(&t, PATCHES("0002-notify-say-what-happened.patch"),
			      "0002-notify-say-what-happened.patch does not apply");
}

static void names_the_hunk(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	run(*state,
	    "cd repo; git checkout -q -b two toy/base; sed -i '1s/^/# first\\n/' Makefile;"
	    "echo '# last' >>Makefile; echo '# k' >>Kconfig; git commit -q -a -m two;"
	    "git diff toy/base two >../two.patch;"
	    "sed -i 's/^ modules_install:/ modules_insta11:/; s/^ \\(.*modules\\/build\\)/ x\\1/;"
	    "s/^ \\(\\t@ln -sfn.*\\)$/ changed\\1/' ../two.patch");
	assert_does_not_apply(&t, PATCHES("two.patch"), "hunk 2 of Makefile");
}

static void finds_hunks_in_text(void **state)
{
	static const char text[] = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n"
				   "diff --git a/fs/x b/fs/x\n--- a/fs/x\n+++ b/fs/x\n"
				   "@@ -5,2 +5,2 @@\n-a\n+b\n@@ -1,2 +1,2 @@\n@@ -77 +78 @@\n";

	(void)state;
	assert_int_equal(tp_patch_find_hunk(text, "x", 1), 1);
	assert_int_equal(tp_patch_find_hunk(text, "fs/x", 1), 2);
	assert_int_equal(tp_patch_find_hunk(text, "fs/x", 77), 3);
	assert_int_equal(tp_patch_find_hunk(text, "fs/x", 78), 0);
	assert_int_equal(tp_patch_find_hunk(text, "fs/y", 1), 0);
	assert_int_equal(tp_patch_find_hunk("", "x", 1), 0);
	assert_int_equal(tp_patch_find_hunk("+++ \n@@ -", "x", 1), 0);
}

static void missing_empty_and_encoded(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	struct tp_err err = {};

	assert_int_equal(prepare(&t, "toy/base", PATCHES("none.patch"), &err), -ENOENT);
	assert_non_null(strstr(err.text, "none.patch"));
	run(*state,
	    ": >empty.patch; echo 'just words' >words.patch;"
	    "printf 'Subject: x\\nContent-Transfer-Encoding: quoted-printable\\n\\n"
	    "--- a/Kconfig\\n+++ b/Kconfig\\n@@ -1 +1 @@\\n-SMP=20y\\n+SMP=20n\\n' >qp.mbox");
	assert_does_not_apply(&t, PATCHES("empty.patch"), "empty.patch does not apply");
	assert_does_not_apply(&t, PATCHES("words.patch"), "words.patch does not apply");
	assert_does_not_apply(&t, PATCHES("qp.mbox"), "qp.mbox does not apply");
}

/* Every one of these would write to DIR/victim if it were let. */
static void no_way_out_of_the_tree(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	run(*state,
	    "mkdir victim;"
	    "new() { printf 'diff --git a/%s b/%s\\nnew file mode 100644\\n--- /dev/null\\n"
	    "+++ b/%s\\n@@ -0,0 +1 @@\\n+owned\\n' \"$1\" \"$1\" \"$1\"; };"
	    "link() { printf 'diff --git a/%s b/%s\\nnew file mode 120000\\n--- /dev/null\\n"
	    "+++ b/%s\\n@@ -0,0 +1 @@\\n+%s\\n\\\\ No newline at end of file\\n' $1 $1 $1 $2; };"
	    "new ../../victim/up >up.patch; new \"$1/victim/abs\" >abs.patch;"
	    "new fs/../../../victim/dots >dots.patch; new .git/config >git.patch;"
	    "link esc \"$1/victim\" >link.patch; new esc/through >through.patch;"
	    "cat link.patch through.patch >both.patch;"
	    "printf -- '--- /dev/null\\n+++ b/../../victim/plain\\n@@ -0,0 +1 @@\\n+owned\\n' "
	    ">plain.patch");
	assert_does_not_apply(&t, PATCHES("up.patch"), "up.patch");
	assert_does_not_apply(&t, PATCHES("dots.patch"), "dots.patch");
	assert_does_not_apply(&t, PATCHES("git.patch"), "git.patch");
	assert_does_not_apply(&t, PATCHES("plain.patch"), "plain.patch");
	assert_does_not_apply(&t, PATCHES("both.patch"), "both.patch");
	assert_does_not_apply(&t, PATCHES("link.patch", "through.patch"), "through.patch");
	/* Harmless below the tree or refused: never at the absolute place. */
	if (prepare(&t, "toy/base", PATCHES("abs.patch"), NULL) < 0)
		fail_msg("an absolute name is the patch's fault, not ours");
	run(*state, "test -z \"$(ls -A victim)\"");
	assert_prepared(&t, "toy/base", NO_PATCHES);
	assert_tree_is(&t, "toy/base");
}

static void a_failed_patch_leaves_nothing_behind(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	run(*state, "cd repo; git diff toy/base toy/neutral >../good.patch;"
		    "git diff toy/slower toy/comment >../bad.patch");
	assert_does_not_apply(&t, PATCHES("good.patch", "bad.patch"), "bad.patch");
	assert_prepared(&t, "toy/base", NO_PATCHES);
	assert_tree_is(&t, "toy/base");
}

static void a_check_touches_no_tree(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	_cleanup_(tp_freep) char *id = sh(*state, "git -C repo rev-parse toy/base^{commit}");
	_cleanup_(tp_freep) char *good = tp_strf("%s/good.patch", (char *)*state);
	_cleanup_(tp_freep) char *bad = tp_strf("%s/bad.patch", (char *)*state);
	struct tp_err err = {};

	run(*state, "cd repo; git diff toy/base toy/slower >../good.patch;"
		    "git diff toy/slower toy/comment >../bad.patch; mkdir ../tmp");
	setenv("TMPDIR", *state, 1);
	/* The second patch fits only on top of the first. */
	assert_int_equal(
	    tp_worktree_check_patches(t.git_dir, t.path, id, PATCHES(good, bad), soon(), &err), 0);
	assert_int_equal(
	    tp_worktree_check_patches(t.git_dir, t.path, id, PATCHES(bad), soon(), &err),
	    TP_WORKTREE_E_PATCH);
	unsetenv("TMPDIR");
	assert_non_null(strstr(err.text, "bad.patch does not apply: hunk 1 of fs/notify.c"));
	assert_false(tp_path_exists(t.path));
	run(*state, "test -z \"$(ls -d triptych-patches-* 2>/dev/null)\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    toy_test(a_diff_and_a_mailbox),	   toy_test(names_the_hunk),
	    cmocka_unit_test(finds_hunks_in_text), toy_test(missing_empty_and_encoded),
	    toy_test(no_way_out_of_the_tree),	   toy_test(a_failed_patch_leaves_nothing_behind),
	    toy_test(a_check_touches_no_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
