/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power through a program of the user's: one argv that takes the power away and gives it back.
 * There is no way to ask it for a state.
 */
#include <errno.h>
#include <stdlib.h>

#include "target/power.h"
#include "util/child.h"
#include "util/str.h"

static int run_reset(const struct tp_target_config *config, struct tp_deadline deadline,
		     struct tp_err *reterr)
{
	unsigned n = config->power.reset_count;
	_cleanup_(tp_freep) const char **argv = calloc(n + 1, sizeof(*argv));
	int r;

	if (!argv)
		return tp_err_oom(reterr);
	for (unsigned i = 0; i < n; i++)
		argv[i] = config->power.reset[i];
	r = tp_child_check(
	    &(struct tp_child){
		.argv = argv, .log_fd = -1, .merge_stderr = true, .deadline = deadline},
	    NULL, reterr);
	if (r < 0)
		tp_err_prefix(reterr, "power.reset of target %s failed", config->name);
	return r;
}

static int act_exec(const struct tp_target_config *config, enum tp_power_action action,
		    struct tp_deadline deadline, bool *ret_on, struct tp_err *reterr)
{
	int r;

	if (config->power.reset_count == 0)
		return tp_err_set(reterr, -EINVAL, config->name,
				  "power.kind is exec, but power.reset names no program");
	switch (action) {
	case TP_POWER_ON:
	case TP_POWER_RESET:
		r = run_reset(config, deadline, reterr);
		if (r == 0)
			*ret_on = true;
		return r;
	case TP_POWER_OFF:
	case TP_POWER_STATUS:
	case _TP_POWER_MAX:
		break;
	}
	return tp_err_set(reterr, -ENOTSUP, config->name,
			  "power.kind exec knows on and reset only; it cannot switch off or tell a "
			  "state");
}

const struct tp_power_ops tp_power_exec = {
    .kind = "exec",
    .act = act_exec,
};
