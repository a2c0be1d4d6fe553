/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocols that come with the program: each loads under its own name. */
#include "config_helper.h"

#include <glob.h>

static void every_one_loads(void **state)
{
	glob_t found = {};

	(void)state;
	assert_int_equal(glob(TP_SOURCE_ROOT "/protocols/*.yaml", 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= 5);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		_cleanup_(tp_protocol_deinit) struct tp_protocol p = {};
		_cleanup_(tp_freep) char *text = NULL;
		char *name = strdup(strrchr(found.gl_pathv[i], '/') + 1);
		char sha256[TP_SHA256_HEX];
		struct tp_err err = {};

		assert_non_null(name);
		name[strlen(name) - strlen(".yaml")] = '\0';
		if (tp_protocol_load(name, TP_SOURCE_ROOT, &p, &text, sha256, &err) != 0)
			fail_msg("%s", err.text);
		assert_string_equal(p.name, name);
		assert_true(p.n_metrics >= 3);
		free(name);
	}
	globfree(&found);
}

/* What the published figures were judged with. */
static void published_gates(void **state)
{
	_cleanup_(tp_protocol_deinit) struct tp_protocol p = {};
	_cleanup_(tp_freep) char *text = NULL;
	char sha256[TP_SHA256_HEX];
	struct tp_err err = {};

	(void)state;
	assert_int_equal(
	    tp_protocol_load("fsnotify-published", TP_SOURCE_ROOT, &p, &text, sha256, &err), 0);
	assert_int_equal(p.warmup, 2);
	assert_int_equal(p.rounds, 25);
	assert_int_equal(p.location, TP_LOCATION_MEDIAN);
	assert_true(p.gates.signal_pct == 5 && p.gates.drift_pct == 5 && p.gates.cv_pct == 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_one_loads),
	    cmocka_unit_test(published_gates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
