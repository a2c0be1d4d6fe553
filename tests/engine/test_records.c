/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's records as hostile input: each fault is one sentence with its line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/records.h"

#define START                                                                                      \
	"{\"triptych_agent\":1,\"record\":\"start\",\"run_id\":\"r\",\"boot_id\":\"b\","           \
	"\"release\":\"6\",\"build_id\":\"c\"}\n"
#define ROUND(extra)                                                                               \
	"{\"record\":\"round\",\"phase\":\"measured\",\"round\":1,\"metric\":\"m\","               \
	"\"elapsed_ns\":10,\"ops\":2,\"order\":1,\"semantic_ok\":true" extra "}\n"
#define GOOD_ROUND ROUND(",\"affinity_ok\":true")
#define END	   "{\"record\":\"end\",\"status\":\"ok\",\"records\":3}\n"

static int count_round(const struct tp_round_row *round, void *data, struct tp_err *reterr)
{
	(void)reterr;
	assert_int_equal(round->elapsed_ns, 10);
	++*(int *)data;
	return 0;
}

static int read_text(const char *text, int *rounds, struct tp_err *err)
{
	struct tp_records_summary summary = {};
	char path[] = "/tmp/triptych-records-XXXXXX";
	int fd = mkstemp(path);
	int r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	*rounds = 0;
	r = tp_records_read(path, count_round, rounds, &summary, err);
	if (r == 0)
		assert_string_equal(summary.boot_id, "b");
	tp_records_summary_deinit(&summary);
	unlink(path);
	return r;
}

static void refuses(const char *text, const char *words)
{
	struct tp_err err = {};
	int rounds;

	assert_true(read_text(text, &rounds, &err) < 0);
	if (!strstr(err.text, words))
		fail_msg("'%s' lacks '%s'", err.text, words);
}

static void test_good(void **state)
{
	struct tp_err err = {};
	int rounds;

	(void)state;
	assert_int_equal(read_text(START GOOD_ROUND GOOD_ROUND END, &rounds, &err), 0);
	assert_int_equal(rounds, 2);
}

static void test_refused(void **state)
{
	(void)state;
	refuses("", "end record is missing");
	refuses(START GOOD_ROUND, "end record is missing");
	refuses("{\"triptych_agent\":2,\"record\":\"start\"}\n", "line 1");
	refuses(GOOD_ROUND END, "first record is not `start`");
	refuses(START "nonsense\n" END, "line 2");
	refuses(START GOOD_ROUND END GOOD_ROUND, "follows the end record");
	refuses(START ROUND("") END, "affinity_ok");
	refuses(START "{\"record\":\"end\",\"status\":\"failed\"}\n", "does not say `ok`");
	refuses(START "{\"record\":\"round\",\"phase\":\"measured\",\"round\":1,\"metric\":\"m\","
		      "\"elapsed_ns\":0,\"ops\":2,\"semantic_ok\":true,\"affinity_ok\":true}\n" END,
		"positive");
	refuses(START
		"{\"record\":\"round\",\"phase\":\"measured\",\"round\":1,\"metric\":\"a b;\","
		"\"elapsed_ns\":1,\"ops\":2,\"semantic_ok\":true,\"affinity_ok\":true}\n" END,
		"metric");
	refuses(START "{\"record\":\"round\",\"record\":\"end\"}\n", "not JSON");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_good),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
