/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running the real agent in a scratch folder and reading its JSON lines with another parser
 * than its own hand. The agent's path is the test program's first argument.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../util/scratch.h"
#include "util/child.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/str.h"

static const char *agent_path;

/* Absolute: every test runs the agent in a folder of its own. */
static inline void find_agent(int argc, char **argv)
{
	static char *path;

	path = argc > 1 ? realpath(argv[1], NULL) : NULL;
	agent_path = path ? path : "triptych-agent";
}

#define AGENT_ARGS_MAX 40

struct answer {
	int exit_code;
	char *output, *errors;
	json_t *records; /* array; every line was valid JSON */
};

static inline void answer_free(struct answer *a)
{
	json_decref(a->records);
	free(a->output);
	free(a->errors);
}

/* Every line of @text, which must end with a newline and hold nothing but objects. */
static inline json_t *parse_lines(const char *text)
{
	json_t *array = json_array();

	while (*text) {
		size_t n = strcspn(text, "\n");
		json_t *object = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);

		if (!json_is_object(object) || text[n] != '\n')
			fail_msg("not a JSON line: %.*s", (int)n, text);
		json_array_append_new(array, object);
		text += n + 1;
	}
	return array;
}

/* Run the agent with @args (NULL-terminated) inside @dir; it has 60 s. */
static inline struct answer ask_agent(const char *dir, const char *const *args)
{
	const char *argv[AGENT_ARGS_MAX + 2] = {agent_path};
	struct tp_child child = {
	    .argv = argv, .cwd = dir, .log_fd = -1, .deadline = tp_deadline_in(60000)};
	struct tp_child_result result;
	struct answer a;

	for (int i = 0; args[i]; i++) {
		assert_true(i < AGENT_ARGS_MAX);
		argv[i + 1] = args[i];
	}
	assert_int_equal(tp_child_run(&child, &result, NULL), 0);
	assert_false(result.timed_out);
	a = (struct answer){.exit_code = result.exit_code,
			    .output = TP_TAKE(result.output),
			    .errors = TP_TAKE(result.errors)};
	a.records = parse_lines(a.output);
	tp_child_result_deinit(&result);
	return a;
}

#define ASK(dir, ...) ask_agent(dir, (const char *const[]){__VA_ARGS__, NULL})

static inline const char *text_of(json_t *record, const char *key)
{
	const char *text = json_string_value(json_object_get(record, key));

	return text ? text : "(null)";
}

static inline json_int_t int_of(json_t *record, const char *key)
{
	json_t *value = json_object_get(record, key);

	if (!json_is_integer(value))
		fail_msg("%s is not an integer", key);
	return json_integer_value(value);
}

static inline json_t *last_of(json_t *records)
{
	return json_array_get(records, json_array_size(records) - 1);
}

/* The records of @dir/@name. */
static inline json_t *read_records(const char *dir, const char *name)
{
	char *path = tp_strf("%s/%s", dir, name);
	char *text = NULL;
	json_t *records;

	if (tp_file_read(path, 64 << 20, &text, NULL, NULL) < 0)
		fail_msg("cannot read %s", path);
	records = parse_lines(text);
	free(text);
	free(path);
	return records;
}

static inline bool has_file(const char *dir, const char *name)
{
	char *path = tp_strf("%s/%s", dir, name);
	bool there = tp_path_exists(path);

	free(path);
	return there;
}

/* An answer that ended well, or one that failed with @words in both of its sentences. */
static inline void assert_ended_ok(const struct answer *a)
{
	if (a->exit_code != 0)
		fail_msg("exit %d: %s", a->exit_code, a->errors);
	assert_string_equal(text_of(last_of(a->records), "record"), "end");
	assert_string_equal(text_of(last_of(a->records), "status"), "ok");
}

static inline void assert_failed(const struct answer *a, int exit_code, const char *words)
{
	json_t *end = last_of(a->records);

	assert_int_equal(a->exit_code, exit_code);
	assert_string_equal(text_of(end, "record"), "end");
	assert_string_equal(text_of(end, "status"), "failed");
	if (!strstr(text_of(end, "reason"), words) || !strstr(a->errors, words))
		fail_msg("'%s' and '%s' should say '%s'", text_of(end, "reason"), a->errors, words);
}

/* The state record that `status` prints. */
static inline json_t *ask_state(const char *dir, const char *out)
{
	struct answer a = ASK(dir, "status", "--out", out);
	json_t *state = json_incref(json_array_get(a.records, 0));

	assert_ended_ok(&a);
	assert_string_equal(text_of(state, "record"), "state");
	answer_free(&a);
	return state;
}

/* Poll until the run of @out is in @phase; returns its state. Fails after 30 s. */
static inline json_t *wait_for_phase(const char *dir, const char *out, const char *phase)
{
	struct tp_deadline deadline = tp_deadline_in(30000);

	do {
		json_t *state = ask_state(dir, out);

		if (strcmp(text_of(state, "phase"), phase) == 0)
			return state;
		json_decref(state);
	} while (tp_deadline_sleep(deadline, 20));
	fail_msg("the run never was in the phase %s", phase);
	return NULL;
}
