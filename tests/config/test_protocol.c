/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A protocol as it should be: every key arrives, the workload's parameters word for word. */
#include "config_helper.h"

static const char full[] =
    "name: inotify-p8\n"
    "workload: {agent: inotify-watch, workers: 8, items: 96, cpus: [0,2,4,6], controls: yes,\n"
    "           dir: /dev/shm/x, mask-update: 0x10}\n"
    "warmup: 2\n"
    "rounds: 25\n"
    "location: mean            # or median\n"
    "drop_first: off\n"
    "gates: {signal_pct: 4.5, drift_pct: 3, cv_pct: 15, floor_pct: 0, quantum_pct: 0.25}\n"
    "boots: {looks: [3, 7], alpha: 0.01}\n"
    "metrics:\n"
    "  - {name: p8_distinct_ns_per_watch, better: lower}\n"
    "  - {name: ratio, better: higher, paired: [p8_distinct_ns_per_watch, p8_shared_ns]}\n"
    "  - {name: mask_update_ns_per_call, better: lower, role: control}\n"
    "  - {name: w16_distinct_ns_per_watch, role: auxiliary}\n";

static struct tp_protocol parse(const char *text)
{
	struct tp_protocol p = {};
	struct tp_err err = {};

	if (tp_protocol_parse(text, "x.yaml", &p, &err) != 0)
		fail_msg("%s", err.text);
	return p;
}

static void reads_every_key(void **state)
{
	_cleanup_(tp_protocol_deinit) struct tp_protocol p = parse(full);

	(void)state;
	assert_string_equal(p.name, "inotify-p8");
	assert_int_equal(p.warmup, 2);
	assert_int_equal(p.rounds, 25);
	assert_int_equal(p.location, TP_LOCATION_MEAN);
	assert_int_equal(p.drop_first, TP_DROP_FIRST_OFF);
	assert_true(p.gates.signal_pct == 4.5 && p.gates.drift_pct == 3 && p.gates.cv_pct == 15);
	assert_true(p.gates.floor_pct == 0 && p.gates.quantum_pct == 0.25);
	assert_int_equal(p.n_looks, 2);
	assert_int_equal(p.looks[1], 7);
	assert_true(p.alpha == 0.01);
	assert_int_equal(p.n_metrics, 4);
	assert_int_equal(p.metrics[0].role, TP_METRIC_PRIMARY);
	assert_null(p.metrics[0].paired_num);
	assert_int_equal(p.metrics[1].better, TP_BETTER_HIGHER);
	assert_string_equal(p.metrics[1].paired_num, "p8_distinct_ns_per_watch");
	assert_string_equal(p.metrics[1].paired_den, "p8_shared_ns");
	assert_int_equal(p.metrics[2].role, TP_METRIC_CONTROL);
	assert_int_equal(p.metrics[3].role, TP_METRIC_AUXILIARY);
	assert_int_equal(p.metrics[3].better, TP_BETTER_LOWER);
}

static void parameters_become_pairs(void **state)
{
	static const char *const expected[] = {
	    "--workers",  "8",	 "--items", "96",	  "--cpus",	   "0,2,4,6",
	    "--controls", "yes", "--dir",   "/dev/shm/x", "--mask-update", "0x10",
	};
	_cleanup_(tp_protocol_deinit) struct tp_protocol p = parse(full);

	(void)state;
	assert_string_equal(p.workload.agent, "inotify-watch");
	assert_int_equal(p.workload.n_params, TP_ARRAY_SIZE(expected));
	for (size_t i = 0; i < TP_ARRAY_SIZE(expected); i++)
		assert_string_equal(p.workload.params[i], expected[i]);
	assert_null(p.workload.params[TP_ARRAY_SIZE(expected)]);
}

static void fills_gaps(void **state)
{
	_cleanup_(tp_protocol_deinit) struct tp_protocol p = parse(PROTOCOL "gates: {cv_pct: 7}\n");
	struct tp_gates usual = tp_gates_default();

	(void)state;
	assert_int_equal(p.location, TP_LOCATION_MEDIAN);
	assert_int_equal(p.drop_first, TP_DROP_FIRST_SENSITIVITY);
	assert_true(p.gates.cv_pct == 7);
	assert_true(p.gates.signal_pct == usual.signal_pct && p.gates.drift_pct == usual.drift_pct);
	assert_true(p.gates.floor_pct == usual.floor_pct);
	assert_true(p.gates.quantum_pct == usual.quantum_pct);
	assert_int_equal(p.n_looks, 4);
	assert_int_equal(p.looks[3], 9);
	assert_true(p.alpha == 0.05);
	assert_int_equal(p.metrics[0].role, TP_METRIC_PRIMARY);
}

static void loads_by_name_and_by_path(void **state)
{
	_cleanup_(tp_freep) char *folder = tp_strf("%s/protocols", (char *)*state);
	_cleanup_(tp_freep) char *path = tp_strf("%s/own.yaml", folder);
	char sha256[TP_SHA256_HEX], expected[TP_SHA256_HEX];

	assert_int_equal(tp_dir_make(folder, 0700, NULL), 0);
	assert_int_equal(tp_file_write(path, full, strlen(full), 0600, NULL), 0);
	tp_sha256_bytes(full, strlen(full), expected);
	for (int by_path = 0; by_path < 2; by_path++) {
		_cleanup_(tp_protocol_deinit) struct tp_protocol p = {};
		_cleanup_(tp_freep) char *text = NULL;
		struct tp_err err = {};

		if (tp_protocol_load(by_path ? path : "own", *state, &p, &text, sha256, &err) != 0)
			fail_msg("%s", err.text);
		assert_string_equal(text, full);
		assert_string_equal(sha256, expected);
	}
}

static void missing_protocol_is_named(void **state)
{
	struct tp_protocol p = {};
	struct tp_err err = {};
	char sha256[TP_SHA256_HEX];
	char *text = NULL;

	assert_true(tp_protocol_load("none", *state, &p, &text, sha256, &err) < 0);
	assert_non_null(strstr(err.text, "there is no protocol none"));
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_every_key),
	    cmocka_unit_test(parameters_become_pairs),
	    cmocka_unit_test(fills_gaps),
	    scratch_test(loads_by_name_and_by_path),
	    scratch_test(missing_protocol_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
