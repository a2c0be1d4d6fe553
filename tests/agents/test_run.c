/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real runs on this kernel: which records, in which order, and that their checks held. */
#include "agent_helper.h"

#include <sys/fanotify.h>

static void assert_number_of(json_t *records, const char *kind, size_t expected)
{
	size_t count = 0, i;
	json_t *record;

	json_array_foreach(records, i, record) count +=
	    strcmp(text_of(record, "record"), kind) == 0;
	assert_int_equal(count, expected);
}

static json_t *round_record(json_t *records, const char *phase, int round, int order)
{
	size_t i;
	json_t *r;

	json_array_foreach(records, i, r)
	{
		if (strcmp(text_of(r, "record"), "round") == 0 &&
		    strcmp(text_of(r, "phase"), phase) == 0 && int_of(r, "round") == round &&
		    int_of(r, "order") == order)
			return r;
	}
	fail_msg("no record of %s round %d, place %d", phase, round, order);
	return NULL;
}

static void assert_round_sound(json_t *r)
{
	const char *key;
	json_t *value;

	assert_true(int_of(r, "elapsed_ns") > 0);
	assert_true(int_of(r, "ops") > 0);
	if (!json_is_true(json_object_get(r, "semantic_ok")) ||
	    !json_is_true(json_object_get(r, "affinity_ok")))
		fail_msg("a check did not hold: %s", json_dumps(r, JSON_COMPACT));
	json_object_foreach(json_object_get(r, "fields"), key, value)
	    assert_true(json_is_integer(value));
}

/* start, env before, rounds, env after, end; the arms swap places from round to round. */
static void assert_sound(json_t *records, const char *const *arms, int per_round)
{
	json_t *end = last_of(records);
	json_t *start = json_array_get(records, 0);

	assert_int_equal(int_of(start, "triptych_agent"), 1);
	assert_string_equal(text_of(start, "record"), "start");
	assert_string_equal(text_of(start, "run_id"), "r \"1\"");
	assert_string_equal(text_of(json_array_get(records, 1), "when"), "before");
	assert_string_equal(text_of(json_array_get(records, json_array_size(records) - 2), "when"),
			    "after");
	assert_string_equal(text_of(end, "status"), "ok");
	assert_int_equal(int_of(end, "records"), json_array_size(records));
	assert_number_of(records, "round", (size_t)per_round * 5);
	for (int round = 1; round <= 3; round++) {
		for (int order = 1; order <= per_round; order++) {
			json_t *r = round_record(records, "measured", round, order);
			int arm = order > 2 ? order - 1 : (order - 1) ^ (round % 2 == 0);

			assert_string_equal(text_of(r, "metric"), arms[arm]);
			assert_round_sound(r);
		}
	}
	round_record(records, "warmup", 2, 1);
}

#define COMMON "--run-id", "r \"1\"", "--out", "out", "--warmup", "2", "--rounds", "3"

static void inotify_watch(void **state)
{
	static const char *const arms[] = {"p1_distinct_ns_per_watch", "p1_shared_ns_per_watch",
					   "mask_update_ns_per_call", "path_lookup_ns_per_call"};
	struct answer a = ASK(*state, "run", "inotify-watch", COMMON);
	json_t *records, *r;

	assert_ended_ok(&a);
	records = read_records(*state, "out");
	assert_sound(records, arms, 4);
	r = round_record(records, "measured", 1, 1);
	assert_int_equal(int_of(r, "ops"), 96);
	assert_int_equal(int_of(json_object_get(r, "fields"), "ignored_events"), 96);
	assert_true(int_of(json_object_get(r, "fields"), "preemptions") >= 0);
	assert_int_equal(int_of(json_object_get(r, "fields"), "add_ns") +
			     int_of(json_object_get(r, "fields"), "remove_ns"),
			 int_of(r, "elapsed_ns"));
	assert_false(has_file(*state, "out.part"));
	json_decref(records);
	answer_free(&a);
}

static void many_workers_share_the_pairs(void **state)
{
	static const char *const arms[] = {"p5_distinct_ns_per_watch", "p5_shared_ns_per_watch"};
	struct answer a = ASK(*state, "run", "inotify-watch", COMMON, "--workers", "5", "--items",
			      "13", "--repeat", "7", "--controls", "no", "--cpus", "0");
	json_t *records;

	assert_ended_ok(&a);
	records = read_records(*state, "out");
	assert_sound(records, arms, 2);
	assert_int_equal(int_of(round_record(records, "measured", 1, 1), "ops"), 13 * 7);
	json_decref(records);
	answer_free(&a);
}

static long sysctl_instances(void)
{
	char *text = NULL;
	long value = -1;

	if (tp_file_read("/proc/sys/fs/inotify/max_user_instances", 64, &text, NULL, NULL) == 0)
		value = strtol(text, NULL, 10);
	free(text);
	return value;
}

static void raises_limits_and_gives_them_back(void **state)
{
	long before = sysctl_instances();
	char *items = tp_strf("%ld", before + 100);
	struct answer a;

	if (geteuid() != 0 || before < 0 || before > 2000)
		skip();
	a = ASK(*state, "run", "inotify-watch", COMMON, "--items", items, "--controls", "no");
	assert_ended_ok(&a);
	assert_int_equal(sysctl_instances(), before);
	answer_free(&a);
	free(items);
}

static bool can_fanotify(void)
{
	int fd = fanotify_init(FAN_CLASS_NOTIF | FAN_UNLIMITED_QUEUE, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void fanotify_merge(void **state)
{
	static const char *const arms[] = {"merge_unlimited_ns_per_event",
					   "merge_limited_ns_per_event", "path_lookup_ns_per_call"};
	static const char *const touches[] = {"open", "read"};

	if (!can_fanotify())
		skip();
	for (size_t i = 0; i < TP_ARRAY_SIZE(touches); i++) {
		char *out = tp_strf("out-%s", touches[i]);
		struct answer a = ASK(*state, "run", "fanotify-merge", "--run-id", "r \"1\"",
				      "--out", out, "--warmup", "2", "--rounds", "3", "--items",
				      "128", "--passes", "3", "--touch", touches[i]);
		json_t *records, *fields;

		assert_ended_ok(&a);
		records = read_records(*state, out);
		assert_sound(records, arms, 3);
		fields = json_object_get(round_record(records, "measured", 1, 1), "fields");
		assert_int_equal(int_of(fields, "events"), 128);
		assert_int_equal(int_of(fields, "merged"), 256);
		json_decref(records);
		answer_free(&a);
		free(out);
	}
}

/* No record is lost or written twice however many there are. */
static void many_rounds_are_all_there(void **state)
{
	struct answer a = ASK(*state, "run", "inotify-watch", "--run-id", "r", "--out", "out",
			      "--warmup", "0", "--rounds", "400", "--items", "1", "--calls", "1");
	json_t *records;

	assert_ended_ok(&a);
	records = read_records(*state, "out");
	assert_int_equal(json_array_size(records), 400 * 4 + 4);
	json_decref(records);
	answer_free(&a);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(inotify_watch),
	    scratch_test(many_workers_share_the_pairs),
	    scratch_test(raises_limits_and_gives_them_back),
	    scratch_test(fanotify_merge),
	    scratch_test(many_rounds_are_all_there),
	};

	find_agent(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
