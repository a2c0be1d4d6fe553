/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FILE.state; see state.h. The agent has no JSON parser: it finds the keys it wrote itself. */
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/record.h"
#include "util/fd.h"

#define STATE_BYTES  65536
#define BOOT_ID_PATH "/proc/sys/kernel/random/boot_id"

static const char *const phase_names[] = {
    [TP_PHASE_WARMUP] = "warmup",
    [TP_PHASE_MEASURED] = "measured",
    [TP_PHASE_DONE] = "done",
    [TP_PHASE_FAILED] = "failed",
};
static_assert(TP_ARRAY_SIZE(phase_names) == _TP_PHASE_MAX, "a name for each phase");

const char *tp_phase_name(enum tp_phase phase)
{
	return phase_names[phase];
}

void tp_state_deinit(struct tp_state *state)
{
	free(state->line);
	*state = (struct tp_state){};
}

/* The name in parentheses may hold anything, a ')' too: fields count from the last one. */
int tp_stat_parse(const char *text, char *ret_letter, int64_t *ret_start_ticks)
{
	const char *p = strrchr(text, ')');
	char letter;
	long long ticks;

	if (!p || sscanf(p + 1,
			 " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			 "%*s %lld",
			 &letter, &ticks) != 2)
		return -EINVAL;
	*ret_letter = letter;
	*ret_start_ticks = ticks;
	return 0;
}

static int read_stat(pid_t pid, char *ret_letter, int64_t *ret_start_ticks)
{
	_cleanup_(tp_freep) char *text = NULL;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	r = tp_file_read(path, 4096, &text, NULL, NULL);
	return r < 0 ? r : tp_stat_parse(text, ret_letter, ret_start_ticks);
}

static void read_boot_id(char *ret, size_t size)
{
	_cleanup_(tp_freep) char *text = NULL;

	ret[0] = '\0';
	if (tp_file_read(BOOT_ID_PATH, 128, &text, NULL, NULL) == 0)
		snprintf(ret, size, "%s", tp_str_chomp(text));
}

static int overwrite(const char *path, const struct tp_str *text)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_WRONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : tp_fd_write_all(fd, text->data, text->len);

	if (r == 0 && ftruncate(fd, (off_t)text->len) < 0)
		r = -errno;
	return r;
}

static void compose(struct tp_str *text, const char *run_id, enum tp_phase phase, int64_t round,
		    const char *reason)
{
	struct tp_jsonw w = tp_record_begin(text, "state", true);
	char boot_id[40];
	int64_t ticks = 0;
	char letter;

	if (read_stat(getpid(), &letter, &ticks) < 0)
		ticks = 0;
	read_boot_id(boot_id, sizeof(boot_id));
	tp_jsonw_int(&w, "pid", getpid());
	tp_jsonw_int(&w, "start_ticks", ticks);
	tp_jsonw_text(&w, "boot_id", boot_id);
	tp_jsonw_text(&w, "phase", phase_names[phase]);
	tp_jsonw_int(&w, "round", round);
	tp_jsonw_text(&w, "run_id", run_id);
	if (reason)
		tp_jsonw_text(&w, "reason", reason);
	tp_record_end(&w);
}

int tp_state_write(const char *out, const char *run_id, enum tp_phase phase, int64_t round,
		   const char *reason, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str text = {};
	_cleanup_(tp_freep) char *path = tp_strf("%s.state", out);
	int r;

	compose(&text, run_id, phase, round, reason);
	if (!path || text.broken)
		return tp_err_oom(reterr);
	r = tp_file_write(path, text.data, text.len, 0644, reterr);
	if (r < 0 && overwrite(path, &text) == 0)
		r = 0;
	return r;
}

static const char *find_value(const char *line, const char *key)
{
	char quoted[32];
	const char *at;

	/* Inside a text every quote is escaped, so that a key can only be a key. */
	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(line, quoted);
	return at ? at + strlen(quoted) : NULL;
}

static int find_number(const char *line, const char *key, long long *ret)
{
	const char *at = find_value(line, key);

	return at && sscanf(at, "%lld", ret) == 1 ? 0 : -EINVAL;
}

static int find_phase(const char *line, enum tp_phase *ret)
{
	const char *at = find_value(line, "phase");

	for (int i = 0; at && i < _TP_PHASE_MAX; i++) {
		size_t n = strlen(phase_names[i]);

		if (at[0] == '"' && strncmp(at + 1, phase_names[i], n) == 0 && at[n + 1] == '"') {
			*ret = (enum tp_phase)i;
			return 0;
		}
	}
	return -EINVAL;
}

int tp_state_parse(const char *line, struct tp_state *ret)
{
	struct tp_state state = {};
	const char *boot_id = find_value(line, "boot_id");
	long long pid, ticks;

	if (!boot_id || find_number(line, "pid", &pid) < 0 || pid <= 0 || pid > INT32_MAX ||
	    find_number(line, "start_ticks", &ticks) < 0 || find_phase(line, &state.phase) < 0 ||
	    sscanf(boot_id, "\"%39[^\"]\"", state.boot_id) != 1)
		return -EINVAL;
	state.pid = (pid_t)pid;
	state.start_ticks = ticks;
	state.line = strdup(line);
	if (!state.line)
		return -ENOMEM;
	tp_str_chomp(state.line);
	*ret = state;
	return 0;
}

int tp_state_read(const char *out, struct tp_state *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s.state", out);
	_cleanup_(tp_freep) char *text = NULL;
	int r;

	if (!path)
		return tp_err_oom(reterr);
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return tp_err_set(reterr, -ENOENT, NULL, "no run was started with --out %s", out);
	r = tp_file_read(path, STATE_BYTES, &text, NULL, reterr);
	if (r == 0 && tp_state_parse(text, ret) < 0)
		r = tp_err_set(reterr, -EINVAL, NULL, "%s is not a state file of this agent", path);
	return r;
}

bool tp_state_alive(const struct tp_state *state)
{
	char boot_id[40];
	int64_t ticks;
	char letter;

	read_boot_id(boot_id, sizeof(boot_id));
	if (strcmp(boot_id, state->boot_id) != 0)
		return false;
	return read_stat(state->pid, &letter, &ticks) == 0 && ticks == state->start_ticks &&
	       letter != 'Z' && letter != 'X';
}
