/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `status` and `stop`: look at a run, or end it, by the name of its result file. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/args.h"
#include "commands/command.h"
#include "run/look.h"
#include "util/clock.h"

#define GRACE_MS 5000
#define KILL_MS	 5000
#define POLL_MS	 20

static const struct tp_option options[] = {
    {.name = "out", .kind = TP_OPTION_TEXT, .required = true},
};

static int parse_out(int argc, char *const *argv, const char **ret_out, struct tp_err *reterr)
{
	struct tp_value values[TP_ARRAY_SIZE(options)];
	struct tp_option_set set = {options, TP_ARRAY_SIZE(options), values};

	if (tp_args_parse(argc, argv, &set, 1, reterr) < 0)
		return TP_COMMAND_E_USAGE;
	*ret_out = values[0].text;
	return 0;
}

static int run_status(int argc, char *const *argv, struct tp_str *out, struct tp_err *reterr)
{
	_cleanup_(tp_state_deinit) struct tp_state state = {};
	const char *path = NULL;
	int r = parse_out(argc, argv, &path, reterr);

	if (r == 0)
		r = tp_state_read(path, &state, reterr);
	if (r == 0)
		tp_look_record(out, path, &state);
	return r;
}

/* A detached run leads its own group; a run in the foreground shares its shell's. */
static void signal_run(const struct tp_state *state, int number)
{
	bool leads = getpgid(state->pid) == state->pid && state->pid != getpgid(0);

	kill(leads ? -state->pid : state->pid, number);
}

static bool wait_gone(const struct tp_state *state, int64_t ms)
{
	struct tp_deadline deadline = tp_deadline_in(ms);

	while (tp_state_alive(state)) {
		if (!tp_deadline_sleep(deadline, POLL_MS))
			return !tp_state_alive(state);
	}
	return true;
}

static int end_run(const struct tp_state *state, struct tp_err *reterr)
{
	if (!tp_state_alive(state))
		return 0;
	signal_run(state, SIGTERM);
	if (wait_gone(state, GRACE_MS))
		return 0;
	signal_run(state, SIGKILL);
	if (wait_gone(state, KILL_MS))
		return 0;
	return tp_err_set(reterr, -EBUSY, NULL,
			  "process %d does not end, not even by SIGKILL: the kernel holds it",
			  state->pid);
}

static int run_stop(int argc, char *const *argv, struct tp_str *out, struct tp_err *reterr)
{
	_cleanup_(tp_state_deinit) struct tp_state before = {};
	_cleanup_(tp_state_deinit) struct tp_state after = {};
	const char *path = NULL;
	int r = parse_out(argc, argv, &path, reterr);

	if (r == 0)
		r = tp_state_read(path, &before, reterr);
	if (r == 0)
		r = end_run(&before, reterr);
	if (r == 0)
		r = tp_state_read(path, &after, reterr);
	if (r == 0)
		tp_look_record(out, path, &after);
	return r;
}

const struct tp_command tp_command_status = {
    .name = "status", .usage = "--out FILE", .run = run_status};
const struct tp_command tp_command_stop = {.name = "stop", .usage = "--out FILE", .run = run_stop};
