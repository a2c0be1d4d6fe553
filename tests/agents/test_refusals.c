/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent refuses, and that it says why, both for people and for programs. */
#include "agent_helper.h"

#include <sys/stat.h>
#include <sys/mount.h>

#define RUN(out) "run", "inotify-watch", "--run-id", "r", "--out", out, "--warmup", "1", "--rounds"

static void usage_errors(void **state)
{
	static const struct {
		const char *args[12];
		const char *words;
	} cases[] = {
	    {{"frobnicate"}, "frobnicate is not a command"},
	    {{"run"}, "is not a workload"},
	    {{"run", "nope", "--out", "x"}, "'nope' is not a workload"},
	    {{"run", "inotify-watch", "--out", "x"}, "--run-id is missing"},
	    {{RUN("x"), "0"}, "--rounds takes a number"},
	    {{RUN("x"), "1", "--passes", "3"}, "'--passes' is not known"},
	    {{"facts", "now"}, "'now' is not known"},
	    {{"version", "--out", "x"}, "'--out' is not known"},
	    {{"status"}, "--out is missing"},
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct answer a = ask_agent(*state, cases[i].args);

		assert_failed(&a, 2, cases[i].words);
		answer_free(&a);
	}
	assert_false(has_file(*state, "x.part"));
}

static void workload_errors(void **state)
{
	static const struct {
		const char *args[16];
		const char *words;
	} cases[] = {
	    {{RUN("a"), "1", "--cpus", "0-"}, "--cpus takes a list"},
	    {{RUN("b"), "1", "--cpus", "60000"}, "CPU 60000 of --cpus"},
	    {{RUN("c"), "1", "--items", "2", "--workers", "3"}, "3 workers need"},
	    {{RUN("d"), "1", "--label", "a b"}, "--label takes"},
	    {{RUN("e"), "1", "--dir", "/nowhere/at/all"}, "cannot use the folder"},
	    {{RUN("f"), "1", "--dir", "/proc"}, "/proc"},
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct answer a = ask_agent(*state, cases[i].args);
		const char out[] = {(char)('a' + i), '\0'};
		json_t *records = read_records(*state, out);

		assert_failed(&a, 1, cases[i].words);
		assert_string_equal(text_of(last_of(records), "status"), "failed");
		assert_non_null(strstr(text_of(last_of(records), "reason"), cases[i].words));
		json_decref(records);
		answer_free(&a);
	}
}

static void a_result_is_never_overwritten(void **state)
{
	char *part = tp_strf("%s/b.part", (char *)*state);
	struct answer a = ASK(*state, RUN("a"), "1", "--items", "4");
	struct answer again = ASK(*state, RUN("a"), "1", "--items", "4");

	assert_ended_ok(&a);
	assert_failed(&again, 1, "a exists already");
	answer_free(&again);
	assert_int_equal(tp_file_write(part, "mine\n", 5, 0644, NULL), 0);
	again = ASK(*state, RUN("b"), "1", "--items", "4", "--detach");
	assert_failed(&again, 1, "b.part exists already");
	assert_int_equal(json_array_size(again.records), 1); /* it never was `started` */
	assert_false(has_file(*state, "b.state"));
	answer_free(&again);
	answer_free(&a);
	free(part);
}

static void a_missing_folder_is_named(void **state)
{
	struct answer a = ASK(*state, RUN("not/there/out"), "1");

	assert_failed(&a, 1, "cannot create not/there/out.part");
	answer_free(&a);
}

/*
 * A tiny file system of our own fills up in mid-run, each time at another place inside a block:
 * the records before that stay whole, and there is room for the one that says why it ended.
 */
static void a_full_disk(void **state)
{
	for (int pad = 0; pad < 12; pad++) {
		char *out = tp_strf("%s/out", (char *)*state);
		char *run_id = tp_strf("%0*d", 1 + 111 * pad, 1);
		struct answer a;
		json_t *records, *s;

		if (geteuid() != 0 || mount("tmpfs", *state, "tmpfs", 0, "size=40k") < 0)
			skip();
		a = ASK("/", "run", "inotify-watch", "--run-id", run_id, "--out", out, "--warmup",
			"1", "--rounds", "100000", "--items", "4", "--calls", "1");
		records = read_records(*state, "out");
		s = ask_state(*state, "out");
		umount2(*state, MNT_DETACH);
		assert_failed(&a, 1, "No space left on device");
		assert_string_equal(text_of(last_of(records), "status"), "failed");
		assert_non_null(strstr(text_of(last_of(records), "reason"), "No space left"));
		assert_int_equal(int_of(last_of(records), "records"), json_array_size(records));
		assert_string_equal(text_of(s, "phase"), "failed");
		json_decref(records);
		json_decref(s);
		answer_free(&a);
		free(run_id);
		free(out);
	}
}

static void without_privileges_fanotify_says_what_it_needs(void **state)
{
	const char *argv[] = {"setpriv",
			      "--reuid=65534",
			      "--clear-groups",
			      "--inh-caps=-all",
			      agent_path,
			      "run",
			      "fanotify-merge",
			      "--run-id",
			      "r",
			      "--out",
			      NULL,
			      "--warmup",
			      "1",
			      "--rounds",
			      "1",
			      NULL};
	struct tp_child child = {.argv = argv, .log_fd = -1, .deadline = tp_deadline_in(20000)};
	struct tp_child_result result;
	char *out = tp_strf("%s/out", (char *)*state);

	argv[10] = out;
	if (geteuid() != 0 || chmod(*state, 0777) < 0) {
		free(out);
		skip();
	}
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	if (result.exit_code == 1)
		assert_non_null(strstr(result.output, "CAP_SYS_ADMIN"));
	tp_child_result_deinit(&result);
	free(out);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(usage_errors),
	    scratch_test(workload_errors),
	    scratch_test(a_result_is_never_overwritten),
	    scratch_test(a_missing_folder_is_named),
	    scratch_test(a_full_disk),
	    scratch_test(without_privileges_fanotify_says_what_it_needs),
	};

	find_agent(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
