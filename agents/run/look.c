/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at a run from outside; see look.h. */
#include "run/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonw.h"
#include "util/fd.h"

#define TAIL_BYTES  65536
#define ROUND_FIELD "\"round\":"
#define ROUND_KEY   "\"record\":\"round\",\"phase\":\""

int tp_look_last_round(const char *text, char ret_phase[static 16], long long *ret_round)
{
	const char *last = NULL;
	char phase[16];
	long long round;

	for (const char *p = text; (p = strstr(p, ROUND_KEY)); p += sizeof(ROUND_KEY) - 1) {
		if (strchr(p, '\n'))
			last = p + sizeof(ROUND_KEY) - 1;
	}
	if (!last || sscanf(last, "%15[a-z]\",\"round\":%lld", phase, &round) != 2)
		return -ENOENT;
	memcpy(ret_phase, phase, sizeof(phase));
	*ret_round = round;
	return 0;
}

static char *read_tail(const char *path)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : calloc(1, TAIL_BYTES + 1);

	if (text && pread(fd, text, TAIL_BYTES, size > TAIL_BYTES ? size - TAIL_BYTES : 0) < 0)
		text[0] = '\0';
	return text;
}

/* Rounds of the state's phase that are on record; -1 when the state itself knows better. */
static long long recorded_rounds(const char *path, const struct tp_state *state, bool complete)
{
	_cleanup_(tp_str_deinit) struct tp_str name = {};
	_cleanup_(tp_freep) char *text = NULL;
	char phase[16];
	long long round;

	if (state->phase != TP_PHASE_WARMUP && state->phase != TP_PHASE_MEASURED)
		return -1;
	tp_str_append(&name, path);
	if (!complete)
		tp_str_append(&name, ".part");
	text = read_tail(tp_str_text(&name));
	if (!text || tp_look_last_round(text, phase, &round) < 0 ||
	    strcmp(phase, tp_phase_name(state->phase)) != 0)
		return -1;
	return round;
}

/* The record goes on where its closing brace was. */
static void append_open_record(struct tp_str *out, const char *line, long long round)
{
	const char *at = strstr(line, ROUND_FIELD);
	size_t n = strlen(line);

	if (round >= 0 && at) {
		at += sizeof(ROUND_FIELD) - 1;
		tp_str_append_n(out, line, (size_t)(at - line));
		tp_str_printf(out, "%lld", round);
		line = at + strspn(at, "0123456789");
		n = strlen(line);
	}
	tp_str_append_n(out, line, n > 0 ? n - 1 : 0);
}

void tp_look_record(struct tp_str *out, const char *path, const struct tp_state *state)
{
	/* Alive before complete: a run that ends in between must not look dead and incomplete. */
	bool alive = tp_state_alive(state);
	bool complete = access(path, F_OK) == 0;
	struct tp_jsonw w = {.out = out, .comma = true};

	append_open_record(out, state->line, recorded_rounds(path, state, complete));
	tp_jsonw_bool(&w, "alive", alive);
	tp_jsonw_bool(&w, "complete", complete);
	tp_jsonw_object_end(&w);
	tp_str_append(out, "\n");
}
