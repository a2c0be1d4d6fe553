/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log lines: the level filters, and the painter's hooks surround each line. */
#include "scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "util/log.h"

static int before_calls, after_calls;

static void before(void)
{
	before_calls++;
	assert_int_equal(after_calls, before_calls - 1);
}

static void after(void)
{
	after_calls++;
}

static void filters_and_hooks(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/log", (char *)*state);
	_cleanup_(tp_freep) char *text = NULL;
	int keep = dup(2);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	dup2(fd, 2);
	tp_log_set_hooks(before, after);
	tp_log(TP_LOG_INFO, "shown %d", 1);
	tp_log(TP_LOG_DEBUG, "hidden");
	tp_log_set_level(TP_LOG_WARN);
	tp_log(TP_LOG_INFO, "hidden");
	tp_log_set_hooks(NULL, NULL);
	tp_log(TP_LOG_ERROR, "bad");
	dup2(keep, 2);
	close(keep);
	close(fd);
	assert_int_equal(tp_file_read(path, 4096, &text, NULL, NULL), 0);
	assert_string_equal(text, "triptych: shown 1\ntriptych: error: bad\n");
	assert_int_equal(before_calls, 1);
	assert_int_equal(after_calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {scratch_test(filters_and_hooks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
