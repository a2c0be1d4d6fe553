/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ending a run: by `stop`, by a signal, at its deadline; its end record says so. */
#include "agent_helper.h"

#define FOREVER(out)                                                                               \
	"run", "inotify-watch", "--run-id", "s", "--out", out, "--warmup", "1", "--rounds",        \
	    "1000000", "--items", "8"

static void assert_file_failed(const char *dir, const char *name, const char *words)
{
	json_t *records = read_records(dir, name);
	json_t *end = last_of(records);

	assert_string_equal(text_of(end, "record"), "end");
	assert_string_equal(text_of(end, "status"), "failed");
	assert_non_null(strstr(text_of(end, "reason"), words));
	assert_int_equal(int_of(end, "records"), json_array_size(records));
	json_decref(records);
}

static void stop_ends_a_detached_run(void **state)
{
	struct answer a = ASK(*state, FOREVER("out"), "--detach", "--quiet-ms", "0");
	struct answer stop = ASK(*state, "stop", "--out", "out");
	json_t *s = json_array_get(stop.records, 0);

	assert_ended_ok(&a);
	assert_ended_ok(&stop);
	assert_true(json_is_false(json_object_get(s, "alive")));
	assert_string_equal(text_of(s, "phase"), "failed");
	assert_string_equal(text_of(s, "reason"), "stopped by SIGTERM");
	assert_file_failed(*state, "out", "SIGTERM");
	answer_free(&stop);
	stop = ASK(*state, "stop", "--out", "out"); /* nothing left to stop: fine */
	assert_ended_ok(&stop);
	answer_free(&stop);
	answer_free(&a);
}

static void stop_kills_what_does_not_listen(void **state)
{
	struct answer a = ASK(*state, FOREVER("out"), "--detach", "--quiet-ms", "0", "--dir", ".",
			      "--allow-any-fs", "yes");
	json_t *s = ask_state(*state, "out");
	struct answer stop;

	assert_ended_ok(&a);
	assert_int_equal(kill((pid_t)int_of(s, "pid"), SIGSTOP), 0);
	json_decref(s);
	stop = ASK(*state, "stop", "--out", "out");
	assert_ended_ok(&stop);
	s = json_array_get(stop.records, 0);
	assert_true(json_is_false(json_object_get(s, "alive")));
	assert_string_equal(text_of(s, "phase"), "measured");
	answer_free(&stop);
	answer_free(&a);
}

static void the_deadline_ends_a_run(void **state)
{
	struct answer a = ASK(*state, FOREVER("out"), "--deadline-ms", "300");

	assert_failed(&a, 1, "--deadline-ms");
	assert_file_failed(*state, "out", "--deadline-ms");
	assert_false(has_file(*state, "out.part"));
	answer_free(&a);
}

/* Another process has that number now: its start time differs, and nobody shoots at it. */
static void a_reused_process_id_is_not_the_run(void **state)
{
	char *path = tp_strf("%s/out.state", (char *)*state);
	char *boot_id = NULL;
	char *text;
	struct answer stop;
	json_t *s;

	assert_int_equal(tp_file_read("/proc/sys/kernel/random/boot_id", 64, &boot_id, NULL, NULL),
			 0);
	tp_str_chomp(boot_id);
	text = tp_strf("{\"record\":\"state\",\"pid\":%d,\"start_ticks\":1,\"boot_id\":\"%s\","
		       "\"phase\":\"measured\",\"round\":0,\"run_id\":\"x\"}\n",
		       getpid(), boot_id);
	assert_int_equal(tp_file_write(path, text, strlen(text), 0644, NULL), 0);
	s = ask_state(*state, "out");
	assert_true(json_is_false(json_object_get(s, "alive")));
	stop = ASK(*state, "stop", "--out", "out");
	assert_ended_ok(&stop);
	answer_free(&stop);
	json_decref(s);
	free(boot_id);
	free(text);
	free(path);
}

static void a_run_that_never_was(void **state)
{
	struct answer a = ASK(*state, "status", "--out", "nothing");

	assert_failed(&a, 1, "no run was started with --out nothing");
	answer_free(&a);
	a = ASK(*state, "stop", "--out", "nothing");
	assert_failed(&a, 1, "no run was started");
	answer_free(&a);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(stop_ends_a_detached_run),
	    scratch_test(stop_kills_what_does_not_listen),
	    scratch_test(the_deadline_ends_a_run),
	    scratch_test(a_reused_process_id_is_not_the_run),
	    scratch_test(a_run_that_never_was),
	};

	find_agent(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
