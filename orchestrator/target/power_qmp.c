/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power of a QEMU machine. No answer on the control socket: no process, so it is off, and "on"
 * starts the configured command, which must put itself into the background (-daemonize).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "target/power.h"
#include "target/qmp.h"
#include "util/child.h"
#include "util/str.h"

#define LOOK_MS 100

enum state {
	STATE_OFF,     /* no process */
	STATE_STOPPED, /* a process whose CPUs do not run: panicked, shut down, paused */
	STATE_RUNNING,
};

static int read_state(const char *socket, struct tp_deadline deadline, struct tp_qmp *ret_qmp,
		      enum state *ret, struct tp_err *reterr)
{
	struct tp_qmp q;
	json_t *status = NULL;
	int r = tp_qmp_open(&q, socket, deadline, reterr);

	if (r == -ECONNREFUSED || r == -ENOENT || r == -ECONNRESET) {
		*ret = STATE_OFF;
		return 0;
	}
	if (r < 0)
		return r;
	r = tp_qmp_run(&q, "query-status", deadline, &status, reterr);
	if (r < 0) {
		tp_qmp_close(&q);
		return r;
	}
	*ret = json_is_true(json_object_get(status, "running")) ? STATE_RUNNING : STATE_STOPPED;
	json_decref(status);
	*ret_qmp = q;
	return 0;
}

static int await_state(const char *socket, bool running, struct tp_deadline deadline,
		       struct tp_err *reterr)
{
	do {
		struct tp_qmp q = {.fd = -1};
		enum state state = STATE_OFF;
		int r = read_state(socket, deadline, &q, &state, reterr);

		tp_qmp_close(&q);
		if (r < 0)
			return r;
		if ((state == STATE_RUNNING) == running && (running || state == STATE_OFF))
			return 0;
	} while (tp_deadline_sleep(deadline, LOOK_MS));
	return tp_err_set(reterr, -ETIMEDOUT, NULL, "the machine behind %s did not go %s in time",
			  socket, running ? "on" : "off");
}

static int start(const struct tp_target_config *config, struct tp_deadline deadline,
		 struct tp_err *reterr)
{
	unsigned n = config->power.start_count;
	_cleanup_(tp_freep) const char **argv = calloc(n + 1, sizeof(*argv));
	struct tp_child child = {.log_fd = -1, .merge_stderr = true, .deadline = deadline};
	int r;

	if (!argv)
		return tp_err_oom(reterr);
	if (n == 0)
		return tp_err_set(
		    reterr, -ENOTSUP, config->name,
		    "the machine is off and power.start does not say how to start it");
	for (unsigned i = 0; i < n; i++)
		argv[i] = config->power.start[i];
	child.argv = argv;
	r = tp_child_check(&child, NULL, reterr);
	if (r < 0) {
		tp_err_prefix(reterr, "target %s cannot be started", config->name);
		return r;
	}
	return await_state(config->power.socket, true, deadline, reterr);
}

static int reset(struct tp_qmp *q, enum state state, struct tp_deadline deadline,
		 struct tp_err *reterr)
{
	int r = tp_qmp_run(q, "system_reset", deadline, NULL, reterr);

	if (r == 0 && state == STATE_STOPPED)
		r = tp_qmp_run(q, "cont", deadline, NULL, reterr);
	return r;
}

static int switch_off(const struct tp_target_config *config, struct tp_qmp *q,
		      struct tp_deadline deadline, struct tp_err *reterr)
{
	int r = tp_qmp_run(q, "quit", deadline, NULL, reterr);

	if (r < 0 && r != -ECONNRESET)
		return r;
	tp_qmp_close(q);
	return await_state(config->power.socket, false, deadline, reterr);
}

static int apply(const struct tp_target_config *config, enum tp_power_action action,
		 struct tp_qmp *q, enum state state, struct tp_deadline deadline,
		 struct tp_err *reterr)
{
	switch (action) {
	case TP_POWER_ON:
		if (state == STATE_RUNNING)
			return 0;
		return state == STATE_OFF ? start(config, deadline, reterr)
					  : reset(q, state, deadline, reterr);
	case TP_POWER_RESET:
		return state == STATE_OFF ? start(config, deadline, reterr)
					  : reset(q, state, deadline, reterr);
	case TP_POWER_OFF:
		return state == STATE_OFF ? 0 : switch_off(config, q, deadline, reterr);
	case TP_POWER_STATUS:
	case _TP_POWER_MAX:
		break;
	}
	return 0;
}

static int act_qmp(const struct tp_target_config *config, enum tp_power_action action,
		   struct tp_deadline deadline, bool *ret_on, struct tp_err *reterr)
{
	struct tp_qmp q = {.fd = -1};
	enum state state = STATE_OFF;
	int r;

	if (!config->power.socket)
		return tp_err_set(reterr, -EINVAL, config->name,
				  "power.kind is qmp, but power.socket is missing");
	r = read_state(config->power.socket, deadline, &q, &state, reterr);
	if (r == 0)
		r = apply(config, action, &q, state, deadline, reterr);
	tp_qmp_close(&q);
	if (r < 0)
		return r;
	*ret_on = action == TP_POWER_STATUS ? state == STATE_RUNNING : action != TP_POWER_OFF;
	return 0;
}

const struct tp_power_ops tp_power_qmp = {
    .kind = "qmp",
    .act = act_qmp,
};
