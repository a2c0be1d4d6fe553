/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children and their process group: a deadline and a failure kill all of it, a success leaves it
 * alone, and heirs of an ended child do not hold the caller up.
 */
#include "child_helper.h"

#include <errno.h>
#include <signal.h>

static bool alive(const char *pid_file)
{
	_cleanup_(tp_freep) char *text = NULL;
	_cleanup_(tp_freep) char *stat = NULL;
	_cleanup_(tp_freep) char *path = NULL;

	if (tp_file_read(pid_file, 100, &text, NULL, NULL) < 0)
		return false;
	path = tp_strf("/proc/%s/stat", tp_str_chomp(text));
	if (tp_file_read(path, 4096, &stat, NULL, NULL) < 0)
		return false;
	return !strstr(stat, ") Z ") && !strstr(stat, ") X ");
}

/* Wait until the process named in @pid_file is gone; it may take the kernel a moment. */
static void assert_dies(const char *pid_file)
{
	struct tp_deadline deadline = tp_deadline_in(10000);

	while (alive(pid_file) && tp_deadline_sleep(deadline, 10))
		;
	assert_true(tp_path_exists(pid_file));
	assert_false(alive(pid_file));
}

static void a_deadline_kills_the_group(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	_cleanup_(tp_freep) char *pid_file = tp_strf("%s/pid", (char *)*state);
	struct tp_child child =
	    make(SH("trap '' TERM; sleep 600 & echo $! >pid; echo said; wait"), 500);
	int64_t start = tp_clock_mono_ms();

	child.cwd = *state;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_true(result.timed_out);
	assert_int_equal(result.exit_code, 128 + SIGKILL);
	assert_string_equal(result.output, "said\n");
	assert_true(tp_clock_mono_ms() - start < 20000);
	assert_dies(pid_file);
}

static void a_deadline_without_pipes(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("exec >&- 2>&-; exec sleep 600"), 300);

	(void)state;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_true(result.timed_out);
}

static void failure_takes_the_group_along(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	_cleanup_(tp_freep) char *pid_file = tp_strf("%s/pid", (char *)*state);
	struct tp_child child = make(SH("sleep 600 & echo $! >pid; exit 1"), 60000);
	int64_t start = tp_clock_mono_ms();

	child.cwd = *state;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_false(result.timed_out);
	assert_int_equal(result.exit_code, 1);
	assert_true(tp_clock_mono_ms() - start < 30000);
	assert_dies(pid_file);
}

/* Those who keep our pipes, silent or noisy, neither delay us nor are they killed. */
static void success_leaves_heirs_alone(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	_cleanup_(tp_freep) char *pid_file = tp_strf("%s/pid", (char *)*state);
	struct tp_child child = make(SH("(while sleep 0.05; do echo noise; done) & "
					"sleep 60 & echo $! >pid; exit 0"),
				     50000);
	int64_t start = tp_clock_mono_ms();
	_cleanup_(tp_freep) char *text = NULL;
	long long pid;

	child.cwd = *state;
	child.max_output = 100;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_false(result.timed_out);
	assert_int_equal(result.exit_code, 0);
	assert_true(tp_clock_mono_ms() - start < 30000);
	assert_true(alive(pid_file));
	assert_int_equal(tp_file_read(pid_file, 100, &text, NULL, NULL), 0);
	assert_int_equal(tp_parse_i64(tp_str_chomp(text), 2, 1 << 30, &pid), 0);
	kill((pid_t)pid, SIGKILL);
}

static void killed_by_a_signal(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("kill -SEGV $$"), 30000);

	(void)state;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_int_equal(result.exit_code, 128 + SIGSEGV);
	assert_false(result.timed_out);
}

/* Somebody else reaps: an error that says so, not a success. */
static void children_reaped_elsewhere(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("exit 0"), 1000);
	struct tp_err err = {};
	int r;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	r = tp_child_run(&child, &result, &err);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(r, -ECHILD);
	assert_non_null(strstr(err.text, "cannot run sh"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(a_deadline_kills_the_group),
	    cmocka_unit_test(a_deadline_without_pipes),
	    scratch_test(failure_takes_the_group_along),
	    scratch_test(success_leaves_heirs_alone),
	    cmocka_unit_test(killed_by_a_signal),
	    cmocka_unit_test(children_reaped_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
