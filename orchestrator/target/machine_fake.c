/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated machine: the contract of machine.h over a folder. Every change is one atomic
 * write, so a process that is killed anywhere leaves a machine that the next one finds as a real
 * one would be: rebooted or not, armed or not.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/fake.h"
#include "target/identity.h"
#include "target/power.h"
#include "util/clock.h"
#include "util/failpoint.h"
#include "util/fd.h"
#include "util/hash.h"
#include "util/str.h"

static int open_fake(const struct tp_target_config *config, const char *agent,
		     struct tp_machine **ret, struct tp_err *reterr)
{
	struct tp_fake_state state;
	struct tp_fake *fake;
	int r;

	(void)agent;
	if (!config->transport.dir)
		return tp_err_set(reterr, -EINVAL, config->name,
				  "transport.dir is missing: the simulated machine's folder");
	r = tp_fake_load(config->transport.dir, &state, reterr);
	if (r < 0)
		return r;
	fake = calloc(1, sizeof(*fake));
	if (!fake)
		return tp_err_oom(reterr);
	*fake = (struct tp_fake){.base = {.ops = &tp_machine_fake, .config = config},
				 .dir = config->transport.dir};
	*ret = &fake->base;
	return 0;
}

static void close_fake(struct tp_machine *m)
{
	free(m);
}

static bool is_unreachable(const char *dir)
{
	char fault[32];

	tp_fake_fault(dir, "unreachable", 0, fault, sizeof(fault));
	return fault[0] != '\0';
}

/* The state of a machine that answers. */
int tp_fake_reach(struct tp_machine *m, struct tp_fake_state *ret, struct tp_err *reterr)
{
	const char *dir = ((struct tp_fake *)m)->dir;
	struct tp_fake_state state;
	int r = tp_fake_load(dir, &state, reterr);

	if (r < 0)
		return r;
	if (!state.on || is_unreachable(dir))
		return tp_err_set(reterr, TP_MACHINE_E_UNREACHABLE, m->config->name,
				  "the simulated machine does not answer: it is %s",
				  state.on ? "cut off" : "off");
	*ret = state;
	return 0;
}

int tp_fake_put(struct tp_machine *m, const struct tp_fake_state *state, struct tp_err *reterr)
{
	return tp_fake_save(((struct tp_fake *)m)->dir, state, reterr);
}

static int fake_precheck(struct tp_machine *m, struct tp_err *reterr)
{
	struct tp_fake_state state;

	return tp_fake_reach(m, &state, reterr);
}

static int fake_rescue(struct tp_machine *m, struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r != TP_MACHINE_E_UNREACHABLE)
		return r;
	r = tp_power_act(m->config, "on", NULL, reterr);
	return r < 0 ? r : tp_fake_reach(m, &state, reterr);
}

void tp_fake_identity(const struct tp_fake_state *s, struct tp_identity *ret)
{
	*ret = (struct tp_identity){.uptime_ms = tp_clock_wall_ms() - s->booted_wall_ms};
	snprintf(ret->boot_id, sizeof(ret->boot_id), "%s", s->boot_id);
	snprintf(ret->release, sizeof(ret->release), "%s", s->release);
	snprintf(ret->build_id, sizeof(ret->build_id), "%s", s->build_id);
	snprintf(ret->cmdline, sizeof(ret->cmdline), "console=none%s%s",
		 s->token[0] ? " triptych.token=" : "", s->token);
}

static int fake_identify(struct tp_machine *m, struct tp_identity *ret, struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r == 0)
		tp_fake_identity(&state, ret);
	return r;
}

static int fake_facts(struct tp_machine *m, char **ret_json, struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r)
		return r;
	*ret_json = tp_fake_facts(&state);
	return *ret_json ? 0 : tp_err_oom(reterr);
}

/* ---- kernels ---- */

static int check_image(const struct tp_boot_request *q, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/bzImage", q->artifact_dir);
	char hash[TP_SHA256_HEX];
	int r = path ? tp_sha256_path(path, hash, reterr) : tp_err_oom(reterr);

	if (r < 0)
		return r;
	if (strcmp(hash, q->image_sha256) != 0)
		return tp_err_set(reterr, -EBADMSG, NULL,
				  "the built kernel %s is not what was recorded when it was built",
				  path);
	return 0;
}

static int fake_install(struct tp_machine *m, const struct tp_boot_request *q,
			struct tp_err *reterr)
{
	struct tp_fake_kernel *slot;
	struct tp_fake_state state;
	char fault[32];
	int r = tp_fake_reach(m, &state, reterr);

	if (r == 0)
		r = check_image(q, reterr);
	if (r)
		return r;
	if (tp_fake_find(&state, q->image_sha256))
		return 0;
	state.installs++;
	tp_fake_fault(((struct tp_fake *)m)->dir, "install", state.installs, fault, sizeof(fault));
	slot = strcmp(fault, "no_space") == 0 ? NULL : tp_fake_find(&state, "");
	if (slot) {
		snprintf(slot->image, sizeof(slot->image), "%s", q->image_sha256);
		slot->speed = tp_fake_speed(q->artifact_dir);
	}
	tp_failpoint("target-before-upload");
	r = tp_fake_put(m, &state, reterr);
	tp_failpoint("target-after-upload");
	if (r == 0 && !slot)
		return tp_err_set(reterr, TP_MACHINE_E_NO_SPACE, m->config->name,
				  "no room for a kernel on the simulated machine");
	return r;
}

static int fake_installed(struct tp_machine *m, const struct tp_boot_request *q, bool *ret,
			  struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r == 0)
		*ret = tp_fake_find(&state, q->image_sha256) != NULL;
	return r;
}

static int fake_arm(struct tp_machine *m, const struct tp_boot_request *q, struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r)
		return r;
	snprintf(state.armed_token, sizeof(state.armed_token), "%s", q->token);
	snprintf(state.armed_image, sizeof(state.armed_image), "%s", q->image_sha256);
	tp_failpoint("target-entry-written");
	r = tp_fake_put(m, &state, reterr);
	tp_failpoint("target-armed");
	return r;
}

static int fake_armed(struct tp_machine *m, const struct tp_boot_request *q, bool *ret,
		      struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r == 0)
		*ret = strcmp(state.armed_token, q->token) == 0 &&
		       strcmp(state.armed_image, q->image_sha256) == 0;
	return r;
}

/* ---- run ---- */

static void tell_rounds(const struct tp_run_request *q, tp_run_progress_fn progress, void *data)
{
	if (!progress)
		return;
	progress(TP_PHASE_WARMUP, 0, q->rounds, data);
	for (int i = 1; i <= 4; i++)
		progress(TP_PHASE_MEASURED, (int)((int64_t)q->rounds * i / 4), q->rounds, data);
}

static int fake_run(struct tp_machine *m, const struct tp_run_request *q, const char *local,
		    tp_run_progress_fn progress, void *data, struct tp_run_report *ret,
		    struct tp_err *reterr)
{
	struct tp_run_report report = {.outcome = TP_OUTCOME_OK};
	struct tp_fake_state state;
	struct tp_fake_run run = {.state = &state, .request = q};
	char fault[32];
	int r = tp_fake_reach(m, &state, reterr);

	if (r)
		return r;
	state.runs++;
	tp_fake_fault(((struct tp_fake *)m)->dir, "run", state.runs, fault, sizeof(fault));
	r = tp_fake_put(m, &state, reterr);
	tp_failpoint("target-run-started");
	if (r < 0)
		return r;
	tell_rounds(q, progress, data);
	if (strcmp(fault, "lost") == 0)
		return tp_err_set(reterr, TP_MACHINE_E_LOST, m->config->name,
				  "the connection to the simulated machine was cut");
	if (!tp_fake_knows_workload(q->workload))
		run.fail_reason = "no such workload";
	if (strcmp(fault, "run_failed") == 0)
		run.fail_reason = "a scripted failure";
	run.spoilt = strcmp(fault, "spoilt") == 0;
	if (strcmp(fault, "agent_died") == 0) {
		report.outcome = TP_OUTCOME_AGENT_DIED;
		snprintf(report.detail, sizeof(report.detail), "the agent vanished in mid-run");
		*ret = report;
		return 0;
	}
	if (run.fail_reason) {
		report.outcome = TP_OUTCOME_RUN_FAILED;
		snprintf(report.detail, sizeof(report.detail), "the workload failed: %s",
			 run.fail_reason);
	}
	r = tp_fake_write_records(&run, local, reterr);
	if (r == 0)
		*ret = report;
	return r;
}

static int fake_clean(struct tp_machine *m, struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_reach(m, &state, reterr);

	if (r)
		return r;
	tp_fake_disarm(&state);
	memset(state.kernels, 0, sizeof(state.kernels));
	if (state.token[0])
		tp_fake_boot_rescue(&state);
	tp_failpoint("target-before-clean");
	return tp_fake_put(m, &state, reterr);
}

/* ---- power ---- */

static int act_fake(const struct tp_target_config *config, enum tp_power_action action,
		    struct tp_deadline deadline, bool *ret_on, struct tp_err *reterr)
{
	struct tp_fake_state state;
	int r = tp_fake_load(config->transport.dir, &state, reterr);

	(void)deadline;
	if (r < 0)
		return r;
	switch (action) {
	case TP_POWER_ON:
		if (!state.on)
			tp_fake_boot_rescue(&state);
		break;
	case TP_POWER_RESET:
		tp_fake_boot_rescue(&state);
		break;
	case TP_POWER_OFF:
		state.on = false;
		break;
	case TP_POWER_STATUS:
	case _TP_POWER_MAX:
		break;
	}
	*ret_on = state.on;
	return action == TP_POWER_STATUS ? 0 : tp_fake_save(config->transport.dir, &state, reterr);
}

const struct tp_power_ops tp_power_fake = {
    .kind = "fake",
    .act = act_fake,
};

const struct tp_machine_ops tp_machine_fake = {
    .kind = "fake",
    .open = open_fake,
    .close = close_fake,
    .precheck = fake_precheck,
    .rescue = fake_rescue,
    .identify = fake_identify,
    .facts = fake_facts,
    .install = fake_install,
    .installed = fake_installed,
    .arm = fake_arm,
    .armed = fake_armed,
    .boot = tp_fake_boot,
    .run = fake_run,
    .clean = fake_clean,
};
