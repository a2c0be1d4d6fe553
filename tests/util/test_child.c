/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children: what goes in, what comes out, hostile output is bounded, a reader that vanished does
 * not kill the caller.
 */
#include "child_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void output_errors_and_status(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("echo out; echo err >&2; exit 7"), 30000);

	(void)state;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_int_equal(result.exit_code, 7);
	assert_false(result.timed_out);
	assert_string_equal(result.output, "out\n");
	assert_int_equal(result.output_len, 4);
	assert_string_equal(result.errors, "err\n");
}

static void merges_and_logs(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	_cleanup_(tp_freep) char *path = tp_strf("%s/log", (char *)*state);
	_cleanup_(tp_freep) char *text = NULL;
	struct tp_child child = make(SH("echo a; echo b >&2; echo c"), 30000);

	child.merge_stderr = true;
	child.log_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	close(child.log_fd);
	assert_string_equal(result.output, "a\nb\nc\n");
	assert_string_equal(result.errors, "");
	assert_int_equal(tp_file_read(path, 100, &text, NULL, NULL), 0);
	assert_string_equal(text, "a\nb\nc\n");
}

static void a_full_log_disk_does_not_stop_it(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("echo a"), 30000);

	(void)state;
	child.log_fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	close(child.log_fd);
	assert_int_equal(result.exit_code, 0);
	assert_string_equal(result.output, "a\n");
}

static void cwd_env_and_input(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("pwd; echo \"$A-$HOME\"; cat"), 30000);

	child.cwd = *state;
	child.env = (const char *const[]){"A=1", "PATH=/usr/bin:/bin", NULL};
	child.input = "in put";
	child.input_len = 6;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_true(tp_str_starts(result.output, *state));
	assert_true(tp_str_ends(result.output, "\n1-\nin put"));
}

static void nothing_on_standard_input(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("cat; echo end"), 30000);

	(void)state;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_string_equal(result.output, "end\n");
}

/* More than a pipe holds, to a child that closes its input unread: no SIGPIPE here. */
static void a_reader_that_vanishes(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	_cleanup_(tp_freep) char *big = calloc(1, 1 << 20);
	struct tp_child child = make(SH("exec <&-; echo gone"), 30000);
	sigset_t pending;

	(void)state;
	child.input = big;
	child.input_len = 1 << 20;
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_int_equal(result.exit_code, 0);
	assert_string_equal(result.output, "gone\n");
	sigpending(&pending);
	assert_false(sigismember(&pending, SIGPIPE));
}

/* Input that is still being read after the output was closed must arrive whole. */
static void input_after_output(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	_cleanup_(tp_freep) char *path = tp_strf("%s/copy", (char *)*state);
	_cleanup_(tp_freep) char *big = calloc(1, 300000);
	struct tp_child child = make(SH("exec >copy 2>&-; sleep 0.2; cat"), 30000);
	_cleanup_(tp_freep) char *back = NULL;
	size_t len;

	child.cwd = *state;
	child.input = big;
	child.input_len = 300000;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_int_equal(tp_file_read(path, 1 << 20, &back, &len, NULL), 0);
	assert_int_equal(len, 300000);
}

struct seen {
	size_t n, longest;
	char last[32];
};

static void count_line(const char *line, void *data)
{
	struct seen *seen = data;
	size_t len = strlen(line);

	seen->n++;
	seen->longest = len > seen->longest ? len : seen->longest;
	snprintf(seen->last, sizeof(seen->last), "%.31s", line);
}

static void lines_arrive(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("printf 'one\\ntwo\\n\\nth\\0ree'"), 30000);
	struct seen seen = {};

	(void)state;
	child.on_line = count_line;
	child.on_line_data = &seen;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_int_equal(seen.n, 3);
	assert_string_equal(seen.last, "three");
}

static void hostile_output_is_bounded(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make(SH("head -c 3000000 /dev/zero | tr '\\0' x; "
					"head -c 3000000 /dev/zero | tr '\\0' y >&2; echo Z >&2"),
				     60000);
	struct seen seen = {};

	(void)state;
	child.on_line = count_line;
	child.on_line_data = &seen;
	child.max_output = 1000;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_int_equal(result.output_len, 1000);
	assert_int_equal(seen.longest, 8192);
	assert_true(strlen(result.errors) <= 8192 + 16384);
	assert_true(tp_str_ends(result.errors, "yZ\n"));
}

static void what_cannot_start(void **state)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = make((const char *const[]){"/nonexistent/tool", NULL}, 30000);
	struct tp_err err = {};

	(void)state;
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_int_equal(result.exit_code, 127);
	assert_int_equal(tp_child_check(&child, NULL, &err), -ENOENT);
	assert_string_equal(err.text, "the program /nonexistent/tool is not installed");
	child = make(SH("true"), 30000);
	child.cwd = "/nonexistent";
	assert_int_equal(tp_child_check(&child, NULL, &err), -EIO);
	assert_non_null(strstr(err.text, "cannot enter its working folder"));
}

static void check_speaks_the_last_words(void **state)
{
	struct tp_child child =
	    make(SH("echo first >&2; printf 'no \\033[1mluck\\n' >&2; exit 3"), 30000);
	struct tp_err err = {};
	char *output = NULL;

	(void)state;
	assert_int_equal(tp_child_check(&child, &output, &err), -EIO);
	assert_non_null(strstr(err.text, "ended with 3: no ?[1mluck"));
	assert_null(output);
	child = make(SH("sleep 600"), 100);
	assert_int_equal(tp_child_check(&child, &output, &err), -ETIMEDOUT);
	child = make(SH("echo fine"), 30000);
	assert_int_equal(tp_child_check(&child, &output, &err), 0);
	assert_string_equal(output, "fine\n");
	free(output);
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void leaks_no_descriptor(void **state)
{
	int before = count_fds();

	(void)state;
	/* What the test runner left open is not ours to judge. */
	assert_int_equal(close_range(3, ~0U, CLOSE_RANGE_CLOEXEC), 0);
	for (int i = 0; i < 20; i++) {
		_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
		struct tp_child child = make(SH("ls /proc/self/fd"), 30000);

		child.input = "x";
		child.input_len = 1;
		assert_int_equal(tp_child_run(&child, &result, NULL), 0);
		assert_string_equal(result.output, "0\n1\n2\n3\n");
	}
	assert_int_equal(count_fds(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(output_errors_and_status),
	    scratch_test(merges_and_logs),
	    cmocka_unit_test(a_full_log_disk_does_not_stop_it),
	    scratch_test(cwd_env_and_input),
	    cmocka_unit_test(nothing_on_standard_input),
	    cmocka_unit_test(a_reader_that_vanishes),
	    scratch_test(input_after_output),
	    cmocka_unit_test(lines_arrive),
	    cmocka_unit_test(hostile_output_is_bounded),
	    cmocka_unit_test(what_cannot_start),
	    cmocka_unit_test(check_speaks_the_last_words),
	    cmocka_unit_test(leaks_no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
