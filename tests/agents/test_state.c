/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading back what the agent wrote itself: its state, /proc/PID/stat, the tail of a result. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "run/look.h"
#include "run/state.h"

#define STATE                                                                                      \
	"{\"triptych_agent\":1,\"record\":\"state\",\"pid\":42,\"start_ticks\":77,\"boot_id\":"    \
	"\"abc-1\",\"phase\":\"measured\",\"round\":0,\"run_id\":\"r\"}\n"

static void reads_a_state(void **state)
{
	struct tp_state s;

	(void)state;
	assert_int_equal(tp_state_parse(STATE, &s), 0);
	assert_int_equal(s.pid, 42);
	assert_int_equal(s.start_ticks, 77);
	assert_int_equal(s.phase, TP_PHASE_MEASURED);
	assert_string_equal(s.boot_id, "abc-1");
	assert_null(strchr(s.line, '\n'));
	tp_state_deinit(&s);
}

static void refuses_what_is_no_state(void **state)
{
	static const char *const bad[] = {
	    "",
	    "garbage",
	    "{\"pid\":0,\"start_ticks\":1,\"boot_id\":\"b\",\"phase\":\"done\"}",
	    "{\"pid\":-1,\"start_ticks\":1,\"boot_id\":\"b\",\"phase\":\"done\"}",
	    "{\"pid\":4294967296,\"start_ticks\":1,\"boot_id\":\"b\",\"phase\":\"done\"}",
	    "{\"pid\":1,\"start_ticks\":1,\"boot_id\":\"b\",\"phase\":\"don\"}",
	    "{\"pid\":1,\"start_ticks\":1,\"boot_id\":\"b\",\"phase\":\"doned\"}",
	    "{\"pid\":1,\"start_ticks\":1,\"phase\":\"done\"}",
	    "{\"pid\":1,\"boot_id\":\"b\",\"phase\":\"done\"}",
	    "{\"x\\\"pid\\\":1\":0}",
	};
	struct tp_state s;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++)
		assert_int_equal(tp_state_parse(bad[i], &s), -EINVAL);
}

/* A program may be called anything: "a) R 1 2". */
static void process_names_do_not_confuse(void **state)
{
	static const char stat[] = "7 (a) Z 1 (2) S 1 7 7 0 -1 4194560 100 0 0 0 5 6 0 0 20 0 3 0 "
				   "123456 1000 2 18446744073709551615";
	int64_t ticks;
	char letter;

	(void)state;
	assert_int_equal(tp_stat_parse(stat, &letter, &ticks), 0);
	assert_int_equal(letter, 'S');
	assert_int_equal(ticks, 123456);
	assert_int_equal(tp_stat_parse("7 (x) S 1 2", &letter, &ticks), -EINVAL);
	assert_int_equal(tp_stat_parse("", &letter, &ticks), -EINVAL);
}

static void finds_the_last_whole_round(void **state)
{
	static const char text[] =
	    "d\":7}\n{\"record\":\"round\",\"phase\":\"warmup\",\"round\":2,\"metric\":\"m\"}\n"
	    "{\"record\":\"round\",\"phase\":\"measured\",\"round\":31,\"metric\":\"m\"}\n"
	    "{\"record\":\"round\",\"phase\":\"measured\",\"round\":32,\"met";
	char phase[16] = "";
	long long round = 0;

	(void)state;
	assert_int_equal(tp_look_last_round(text, phase, &round), 0);
	assert_string_equal(phase, "measured");
	assert_int_equal(round, 31);
	assert_int_equal(tp_look_last_round("{\"record\":\"start\"}\n", phase, &round), -ENOENT);
	assert_int_equal(tp_look_last_round("", phase, &round), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_a_state),
	    cmocka_unit_test(refuses_what_is_no_state),
	    cmocka_unit_test(process_names_do_not_confuse),
	    cmocka_unit_test(finds_the_last_whole_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
