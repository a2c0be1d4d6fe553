/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several builders at once: one builds, the others wait and take it from the cache. */
#include "build_helper.h"

#include <errno.h>
#include <sys/wait.h>

static pid_t start(const struct toy *t, const char *spec)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct tp_kernel_result k = {};
		int r = try_build(t, spec, &k, NULL);

		_exit(r < 0 ? 100 : k.outcome == TP_BUILD_OK ? k.from_cache : 50);
	}
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void the_same_kernel_is_built_once(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	int from_cache = 0;
	pid_t pids[4];

	variant(*state, "slow", "toy/base",
		"sed -i \"s|^\\t@nm -n .*|&\\n\\t@echo linked >>$DIR/links; sleep 0.5|\" Makefile");
	for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
		pids[i] = start(&t, "slow");
	for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
		from_cache += finish(pids[i]);
	assert_int_equal(from_cache, 3);
	run(*state, "test \"$(wc -l <links)\" = 1");
}

static void different_kernels_take_turns(void **state)
{
	static const char *const specs[] = {"toy/base", "toy/slower", "toy/neutral", "toy/comment"};
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	pid_t pids[TP_ARRAY_SIZE(specs)];

	for (size_t i = 0; i < TP_ARRAY_SIZE(specs); i++)
		pids[i] = start(&t, specs[i]);
	for (size_t i = 0; i < TP_ARRAY_SIZE(specs); i++)
		assert_int_equal(finish(pids[i]), 0);
	run(*state, "grep -l toy_speed_130 cache/*/System.map | wc -l | grep -qx 2;"
		    "grep -l toy_speed_100 cache/*/System.map | wc -l | grep -qx 2");
}

static void waiting_has_an_end(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *path = tp_strf("%s/lock", t.work);
	_cleanup_(tp_fd_closep) int fd = -1;

	assert_int_equal(tp_dir_make(t.work, 0750, NULL), 0);
	fd = tp_lock_file(path, false, NULL);
	assert_true(fd >= 0);
	t.timeout_ms = 500;
	assert_fault(&t, "toy/base", -ETIMEDOUT, "another build holds");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(the_same_kernel_is_built_once),
	    build_test(different_kernels_take_turns),
	    build_test(waiting_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
