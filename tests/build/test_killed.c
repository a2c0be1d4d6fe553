/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kill -9 of the builder: nothing half-written is used, and two builds never share a tree. */
#include "build_helper.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static pid_t start(const struct toy *t, const char *spec)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct tp_kernel_result k = {};

		_exit(try_build(t, spec, &k, NULL) < 0);
	}
	return pid;
}

static void kill_and_reap(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void wait_for(const char *path)
{
	struct tp_deadline deadline = soon();

	while (!tp_path_exists(path)) {
		if (!tp_deadline_sleep(deadline, 5))
			fail_msg("%s never came", path);
	}
}

/* While DIR/slow is there, the compiler leaves half an object and lingers. */
static void make_slow_variant(const char *dir)
{
	variant(dir, "slow", "toy/base",
		"sed -i 's/n + 1/n + 5/' kernel/sched.c;"
		"sed -i \"s|^\\t@echo '  CC .*|&\\n\\t@if test -e $DIR/slow; then "
		"echo torn >\\$@; : >$DIR/torn; sleep 2; : >$DIR/gone; false; fi|\" Makefile");
}

static void a_torn_object_is_not_trusted(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result base = built(&t, "toy/base");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {}, clean = {};
	_cleanup_(tp_freep) char *torn = tp_strf("%s/torn", (char *)*state);
	pid_t pid;

	make_slow_variant(*state);
	run(*state, ": >slow");
	pid = start(&t, "slow");
	wait_for(torn);
	kill_and_reap(pid);
	run(*state, "rm slow; test -e work/building; grep -qrx torn work/obj");
	k = built(&t, "slow");
	/* From the kept tree, not from an empty one: the torn object was found by its mark. */
	assert_manifest(&k, "kernel.incremental", "true");
	run(*state, "! grep -qrx torn work/obj; test ! -e work/building; rm -r cache work");
	clean = built(&t, "slow");
	assert_string_equal(k.image_sha256, clean.image_sha256);
}

static void the_lock_outlives_us(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *torn = tp_strf("%s/torn", (char *)*state);
	_cleanup_(tp_freep) char *gone = tp_strf("%s/gone", (char *)*state);
	_cleanup_(tp_freep) char *lock = tp_strf("%s/lock", t.work);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};
	pid_t pid;
	int fd;

	make_slow_variant(*state);
	run(*state, ": >slow");
	pid = start(&t, "slow");
	wait_for(torn);
	kill_and_reap(pid);
	/* The compiler is still at it: nobody may enter. */
	fd = tp_lock_file(lock, false, NULL);
	assert_int_equal(fd, -EWOULDBLOCK);
	run(*state, "rm slow");
	k = built(&t, "toy/slower");
	assert_true(tp_path_exists(gone));
}

/* At whatever moment it falls: afterwards the same kernel comes out, and no rubbish is left. */
static void killed_at_any_moment(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *image = NULL;

	{
		_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k =
		    built(&t, "toy/slower");

		image = strdup(k.image_sha256);
	}
	for (useconds_t delay = 5000; delay < 400000; delay += 25000) {
		_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};
		pid_t pid;

		run(*state, "rm -rf cache");
		if (delay % 50000 == 5000)
			run(*state, "rm -rf work");
		pid = start(&t, "toy/slower");
		usleep(delay);
		kill_and_reap(pid);
		k = built(&t, "toy/slower");
		assert_string_equal(k.image_sha256, image);
		run(*state, "test -z \"$(find cache -name '.tmp*')\"");
	}
}

static void a_killed_confirmation_keeps_the_good_tree(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result base = built(&t, "toy/base");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};

	/* As a kill between the two attempts leaves it. */
	run(*state, "mv work/obj work/obj.aside; mkdir work/obj; echo torn >work/obj/vmlinux;"
		    ": >work/building");
	k = built(&t, "toy/slower");
	assert_manifest(&k, "kernel.incremental", "true");
	assert_int_equal(k.files_compiled, 3);
	run(*state, "test ! -e work/obj.aside");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(a_torn_object_is_not_trusted),
	    build_test(the_lock_outlives_us),
	    build_test(killed_at_any_moment),
	    build_test(a_killed_confirmation_keeps_the_good_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
