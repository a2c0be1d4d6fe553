/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's records; see records.h. */
#include "engine/records.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fd.h"
#include "util/str.h"

#define LINE_LIMIT    (1 << 20)
#define AGENT_VERSION 1

struct reader {
	const char *path;
	int line;
	bool started, ended;
	tp_records_round_fn fn;
	void *data;
	struct tp_records_summary out;
	struct tp_err *reterr;
};

void tp_records_summary_deinit(struct tp_records_summary *s)
{
	free(s->env_before_json);
	free(s->env_after_json);
	*s = (struct tp_records_summary){};
}

static int bad(struct reader *r, const char *what)
{
	char origin[64];

	snprintf(origin, sizeof(origin), "record line %d", r->line);
	return tp_err_set(r->reterr, -EBADMSG, origin,
			  "line %d of the agent's records %s: %s; nothing of this run is used",
			  r->line, r->path, what);
}

static void copy_text(char *to, size_t size, json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	snprintf(to, size, "%s", text ? text : "");
	tp_str_sanitize(to);
}

static int take_start(struct reader *r, json_t *line)
{
	if (json_integer_value(json_object_get(line, "triptych_agent")) != AGENT_VERSION)
		return bad(r, "the first record has no version this program understands");
	copy_text(r->out.boot_id, sizeof(r->out.boot_id), line, "boot_id");
	copy_text(r->out.release, sizeof(r->out.release), line, "release");
	copy_text(r->out.build_id, sizeof(r->out.build_id), line, "build_id");
	copy_text(r->out.run_id, sizeof(r->out.run_id), line, "run_id");
	r->started = true;
	return 0;
}

static int take_env(struct reader *r, json_t *line)
{
	const char *when = json_string_value(json_object_get(line, "when"));
	json_t *facts = json_object_get(line, "facts");
	char **slot;

	if (!when || !json_is_object(facts))
		return bad(r, "an env record lacks `when` or `facts`");
	slot = strcmp(when, "before") == 0 ? &r->out.env_before_json : &r->out.env_after_json;
	free(*slot);
	*slot = json_dumps(facts, JSON_COMPACT | JSON_SORT_KEYS);
	return *slot ? 0 : tp_err_oom(r->reterr);
}

static bool is_metric_name(const char *name)
{
	size_t n =
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n > 0 && n <= 128 && name[n] == '\0';
}

static int take_round(struct reader *r, json_t *line)
{
	const char *phase = json_string_value(json_object_get(line, "phase"));
	const char *metric = json_string_value(json_object_get(line, "metric"));
	_cleanup_(tp_freep) char *fields = NULL;
	json_t *semantic = json_object_get(line, "semantic_ok");
	json_t *affinity = json_object_get(line, "affinity_ok");
	struct tp_round_row row = {
	    .round = (int)json_integer_value(json_object_get(line, "round")),
	    .metric = metric,
	    .elapsed_ns = json_integer_value(json_object_get(line, "elapsed_ns")),
	    .ops = json_integer_value(json_object_get(line, "ops")),
	    .order = (int)json_integer_value(json_object_get(line, "order")),
	    .semantic_ok = json_is_true(semantic),
	    .affinity_ok = json_is_true(affinity),
	};
	int kind = phase ? tp_phase_parse(phase) : -1;

	if (kind < 0 || !metric || !is_metric_name(metric) || row.round < 1)
		return bad(r, "a round record lacks a valid `phase`, `metric` or `round`");
	if (row.elapsed_ns <= 0 || row.ops <= 0)
		return bad(r, "a round record has no positive `elapsed_ns` and `ops`");
	if (!json_is_boolean(semantic) || !json_is_boolean(affinity))
		return bad(r, "a round record lacks `semantic_ok` or `affinity_ok`");
	row.phase = (enum tp_phase)kind;
	fields = json_dumps(json_object_get(line, "fields"), JSON_COMPACT | JSON_SORT_KEYS);
	row.fields_json = fields;
	r->out.n_rounds++;
	return r->fn ? r->fn(&row, r->data, r->reterr) : 0;
}

static int take_end(struct reader *r, json_t *line)
{
	const char *status = json_string_value(json_object_get(line, "status"));

	if (!status || strcmp(status, "ok") != 0)
		return bad(r, "the end record does not say `ok`");
	r->ended = true;
	return 0;
}

static int take_line(struct reader *r, json_t *line)
{
	const char *record = json_string_value(json_object_get(line, "record"));

	if (!record)
		return bad(r, "no `record` field");
	if (r->ended)
		return bad(r, "something follows the end record");
	if (!r->started)
		return strcmp(record, "start") == 0 ? take_start(r, line)
						    : bad(r, "the first record is not `start`");
	if (strcmp(record, "round") == 0)
		return take_round(r, line);
	if (strcmp(record, "env") == 0)
		return take_env(r, line);
	if (strcmp(record, "end") == 0)
		return take_end(r, line);
	return 0; /* a newer agent of the same version may say more */
}

static int read_lines(struct reader *r, FILE *file)
{
	_cleanup_(tp_freep) char *text = NULL;
	size_t cap = 0;
	ssize_t n;

	while ((n = getline(&text, &cap, file)) > 0) {
		json_error_t where;
		json_t *line;
		int err;

		r->line++;
		if (n > LINE_LIMIT)
			return bad(r, "the line is longer than 1 MiB");
		line = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &where);
		err = line ? take_line(r, line) : bad(r, "it is not JSON");
		json_decref(line);
		if (err)
			return err;
	}
	if (ferror(file))
		return bad(r, "it cannot be read");
	return r->ended ? 0 : bad(r, "the end record is missing");
}

int tp_records_read(const char *path, tp_records_round_fn fn, void *data,
		    struct tp_records_summary *ret, struct tp_err *reterr)
{
	_cleanup_(tp_file_closep) FILE *file = fopen(path, "re");
	struct reader r = {.path = path, .fn = fn, .data = data, .reterr = reterr};
	int err;

	if (!file)
		return tp_err_set(reterr, -errno, NULL, "cannot open the agent's records %s: %s",
				  path, strerror(errno));
	err = read_lines(&r, file);
	if (err) {
		tp_records_summary_deinit(&r.out);
		return err;
	}
	*ret = r.out;
	return 0;
}
