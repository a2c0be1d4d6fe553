/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What killed runs and hostile trees leave behind is mended by the next preparation. */
#include "worktree_helper.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_left_lock(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	assert_prepared(&t, "toy/base", NO_PATCHES);
	run(*state, "touch work/src.git/index.lock; find work/src -exec touch -d 2001-01-01 {} +");
	assert_prepared(&t, "toy/slower", NO_PATCHES);
	assert_tree_is(&t, "toy/slower");
	/* And without writing everything anew. */
	run(*state, "test -n \"$(find work/src -name Makefile ! -newermt 2002-01-01)\"");
}

static void half_a_checkout(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	assert_prepared(&t, "toy/base", NO_PATCHES);
	run(*state, "cd work/src; rm -r fs; echo half >Makefile; : >Kconfig; mkdir -p obj/deep;"
		    "echo x >obj/deep/x.o; git init -q nested; echo y >nested/y;"
		    "rm init/main.c; mkdir init/main.c; touch init/main.c/inside");
	assert_prepared(&t, "toy/base", NO_PATCHES);
	assert_tree_is(&t, "toy/base");
}

static void a_broken_index(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	static const char *const damage[] = {
	    "truncate -s 100 work/src.git/index",
	    "truncate -s 0 work/src.git/index",
	    "printf x | dd of=work/src.git/index bs=1 seek=40 conv=notrunc status=none",
	    "rm work/src.git/index",
	    "rm -r work/src.git/objects work/src.git/HEAD",
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(damage); i++) {
		assert_prepared(&t, "toy/base", NO_PATCHES);
		run(*state, damage[i]);
		assert_prepared(&t, "toy/slower", NO_PATCHES);
		assert_tree_is(&t, "toy/slower");
	}
}

/* Wherever the kill falls, the next run gets the exact tree. */
static void killed_at_any_moment(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	_cleanup_(tp_freep) char *id = NULL;

	run(*state,
	    "cd repo; git checkout -q -b many; mkdir m; for i in {1..3000}; do echo $i >m/$i;"
	    "done; git add m; git commit -q -m many; git checkout -q master");
	id = sh(*state, "git -C repo rev-parse many");
	for (useconds_t delay = 2000; delay <= 102000; delay += 10000) {
		pid_t pid = fork();

		if (pid == 0) {
			int r = tp_worktree_prepare(t.git_dir, t.path, id, NULL, soon(), NULL);

			_exit(r == 0 ? 0 : 1);
		}
		usleep(delay);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (delay % 20000 == 2000) {
			assert_prepared(&t, "toy/slower", NO_PATCHES);
			assert_tree_is(&t, "toy/slower");
		}
	}
	assert_prepared(&t, "many", NO_PATCHES);
	assert_tree_is(&t, "many");
}

/* A folder that a patch turned into a link leads nowhere: neither cleaned nor written through. */
static void a_folder_that_became_a_link(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);

	run(*state, "mkdir victim; echo mine >victim/notify.c; cd repo; git checkout -q -b evil;"
		    "git rm -q -r fs; ln -s \"$1/victim\" fs; git add -A; git commit -q -m evil;"
		    "git diff master evil >../evil.patch; git checkout -q master");
	assert_prepared(&t, "master", PATCHES("evil.patch"));
	assert_prepared(&t, "master", NO_PATCHES);
	assert_tree_is(&t, "master");
	assert_prepared(&t, "evil", NO_PATCHES);
	assert_prepared(&t, "toy/base", NO_PATCHES);
	assert_tree_is(&t, "toy/base");
	run(*state, "test \"$(ls victim)\" = notify.c; grep -qx mine victim/notify.c");
}

static void a_busy_tree_is_waited_for(void **state)
{
	_cleanup_(tree_deinit) struct tree t = tree_of(*state);
	_cleanup_(tp_freep) char *id = sh(*state, "git -C repo rev-parse toy/base^{commit}");
	_cleanup_(tp_freep) char *lock = tp_strf("%s.git/lock", t.path);
	_cleanup_(tp_fd_closep) int fd = -1;
	struct tp_err err = {};

	assert_prepared(&t, "toy/base", NO_PATCHES);
	fd = tp_lock_file(lock, false, NULL);
	assert_true(fd >= 0);
	assert_int_equal(
	    tp_worktree_prepare(t.git_dir, t.path, id, NULL, tp_deadline_in(300), &err),
	    -ETIMEDOUT);
	assert_non_null(strstr(err.text, "busy"));
	tp_fd_closep(&fd);
	assert_prepared(&t, "toy/base", NO_PATCHES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    toy_test(a_left_lock),
	    toy_test(half_a_checkout),
	    toy_test(a_broken_index),
	    toy_test(killed_at_any_moment),
	    toy_test(a_folder_that_became_a_link),
	    toy_test(a_busy_tree_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
