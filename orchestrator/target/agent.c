/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent says; see agent.h. */
#include "target/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define END_MAX 16384 /* an end record is short */

static void copy_text(json_t *object, const char *key, char *ret, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	snprintf(ret, size, "%s", text ? text : "");
	tp_str_sanitize(ret);
}

static bool is_record(json_t *line, const char *kind)
{
	const char *record = json_string_value(json_object_get(line, "record"));

	return record && strcmp(record, kind) == 0;
}

/* The next line that is a JSON object; NULL at the end. */
static json_t *next_object(const char **rest)
{
	while (**rest) {
		const char *line = *rest;
		size_t n = strcspn(line, "\n");
		json_t *object = json_loadb(line, n, 0, NULL);

		*rest += n + (line[n] == '\n');
		if (json_is_object(object))
			return object;
		json_decref(object);
	}
	return NULL;
}

void tp_agent_parse_start(const char *output, struct tp_agent_start *ret)
{
	struct tp_agent_start start = {.warmup_ms = -1};
	json_t *line;

	while ((line = next_object(&output))) {
		if (is_record(line, "started"))
			start.started = true;
		if (is_record(line, "warmed")) {
			json_t *ms = json_object_get(line, "warmup_ms");

			start.warmed = true;
			if (json_is_integer(ms) && json_integer_value(ms) >= 0)
				start.warmup_ms = json_integer_value(ms);
		}
		if (is_record(line, "end")) {
			const char *status = json_string_value(json_object_get(line, "status"));

			start.ended = true;
			start.ok = status && strcmp(status, "ok") == 0;
			copy_text(line, "reason", start.reason, sizeof(start.reason));
		}
		json_decref(line);
	}
	*ret = start;
}

void tp_agent_parse_state(const char *output, struct tp_agent_state *ret)
{
	struct tp_agent_state state = {};
	json_t *line;

	while ((line = next_object(&output))) {
		if (is_record(line, "state")) {
			state.known = true;
			state.alive = json_is_true(json_object_get(line, "alive"));
			state.round = json_integer_value(json_object_get(line, "round"));
			copy_text(line, "boot_id", state.boot_id, sizeof(state.boot_id));
			copy_text(line, "phase", state.phase, sizeof(state.phase));
			copy_text(line, "reason", state.reason, sizeof(state.reason));
		}
		json_decref(line);
	}
	*ret = state;
}

int tp_agent_facts(const char *output, char **ret_json, struct tp_err *reterr)
{
	char *text = NULL;
	json_t *line;

	while (!text && (line = next_object(&output))) {
		json_t *facts = json_object_get(line, "facts");

		if (json_is_object(facts))
			text = json_dumps(facts, JSON_COMPACT);
		json_decref(line);
	}
	if (!text)
		return tp_err_set(reterr, -EBADMSG, NULL,
				  "the agent's answer has no facts; is it of this version?");
	*ret_json = text;
	return 0;
}

/* The last line of a file, without its newline; NULL when it has none of a sane length. */
static char *read_last_line(const char *path)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(tp_freep) char *tail = calloc(1, END_MAX + 1);
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
	off_t start = size > END_MAX ? size - END_MAX : 0;
	char *line;
	ssize_t n;

	if (!tail || size <= 0)
		return NULL;
	n = pread(fd, tail, END_MAX, start);
	if (n <= 0 || tail[n - 1] != '\n')
		return NULL;
	tail[n - 1] = '\0';
	line = strrchr(tail, '\n');
	if (!line && start > 0)
		return NULL;
	return strdup(line ? line + 1 : tail);
}

int tp_agent_read_end(const char *path, bool *ret_ok, char *ret_reason, size_t size,
		      struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = read_last_line(path);
	json_t *line = text ? json_loads(text, 0, NULL) : NULL;
	const char *status = json_string_value(json_object_get(line, "status"));
	int r = 0;

	if (!is_record(line, "end") || !status) {
		r = tp_err_set(reterr, -EBADMSG, NULL,
			       "the agent's records %s have no end record; nothing of them is used",
			       path);
	} else {
		*ret_ok = strcmp(status, "ok") == 0;
		copy_text(line, "reason", ret_reason, size);
	}
	json_decref(line);
	return r;
}
