/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way to a login: the order to reboot, waiting for another boot, out of a kernel under test,
 * power control for what is off or hung.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "target/identity.h"
#include "target/power.h"
#include "target/real.h"
#include "target/remote.h"
#include "util/str.h"

#define POLL_MS 200

/*
 * Everything is closed or redirected: the command outlives the connection and says nothing. A
 * machine that is not in the boot @boot_id any more has rebooted already and is left alone.
 */
int tp_real_give_reboot(struct tp_real *real, const char *boot_id, struct tp_err *reterr)
{
	static const char script[] =
	    "[ \"$(cat /proc/sys/kernel/random/boot_id)\" = \"$1\" ] || { echo rebooted; exit 0; "
	    "}\n"
	    "[ \"$(cat /sys/kernel/kexec_loaded 2>/dev/null)\" = 1 ] && kexec -u\n"
	    "setsid sh -c 'sleep 0.3 || sleep 1; sync; reboot || systemctl reboot' "
	    "</dev/null >/dev/null 2>&1 &\n"
	    "echo rebooting";
	const char *args[] = {boot_id, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r = tp_real_connect(real, tp_real_connect_deadline(real), reterr);

	if (r)
		return r;
	r = tp_machine_code(
	    tp_remote_sh(real->t, script, args, 256, tp_real_exec_deadline(real), &out, reterr),
	    reterr);
	tp_real_disconnect(real);
	if (r == TP_MACHINE_E_LOST)
		return 0; /* it went down while we listened, or never heard us: the boot id tells */
	if (r == 0 && (out.exit_code != 0 || !strstr(out.output, "reboot")))
		return tp_err_set(reterr, -EIO, real->base.config->name,
				  "the target did not take the order to reboot: %s",
				  tp_remote_words(&out));
	return r;
}

/* Log in and ask. False when that fails; a refusal ends the wait through @c->last. */
bool tp_real_look(struct tp_real *real, struct tp_deadline deadline, struct tp_identity *ret,
		  struct tp_err *err)
{
	int64_t connect_ms = real->base.config->deadlines.connect_ms;
	int r;

	tp_real_disconnect(real);
	r = tp_real_connect(real, tp_deadline_min(deadline, connect_ms), err);
	if (r == 0)
		r = tp_real_identify_now(real, ret, err);
	if (r)
		tp_real_disconnect(real);
	return r == 0;
}

int tp_real_await_login(struct tp_real *real, const char *boot_id, struct tp_deadline deadline,
			struct tp_identity *ret, struct tp_err *reterr)
{
	struct tp_err last = {.code = TP_MACHINE_E_UNREACHABLE};
	struct tp_identity seen;

	snprintf(last.text, sizeof(last.text), "it does not answer");
	do {
		if (!tp_transport_answers(real->base.config,
					  tp_deadline_min(deadline, TP_REAL_ANSWER_MS)))
			continue;
		if (tp_real_look(real, deadline, &seen, &last)) {
			if (boot_id && strcmp(seen.boot_id, boot_id) == 0) {
				tp_real_disconnect(real);
				continue;
			}
			*ret = seen;
			return 0;
		}
		if (last.code == TP_MACHINE_E_REFUSED && strstr(last.text, "host key"))
			break;
	} while (tp_deadline_sleep(deadline, POLL_MS));
	if (reterr)
		*reterr = last;
	if (last.code == TP_MACHINE_E_REFUSED)
		return last.code;
	return tp_err_set(reterr, TP_MACHINE_E_UNREACHABLE, real->base.config->name,
			  "no login before the deadline: %s", last.text);
}

int tp_real_disarm(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);

	(void)arg;
	return real->boot->disarm(&ctx, reterr);
}

int tp_real_leave_test_kernel(struct tp_real *real, struct tp_err *reterr)
{
	int64_t wait_ms = real->base.config->deadlines.down_ms + real->base.config->deadlines.up_ms;
	struct tp_identity id;
	char token[64];
	int r = tp_real_do(real, tp_real_identify_now, &id, reterr);

	if (r)
		return r;
	tp_identity_token(id.cmdline, token, sizeof(token));
	if (!token[0])
		return 0;
	r = tp_real_do(real, tp_real_disarm, NULL, reterr);
	if (r == 0)
		r = tp_real_give_reboot(real, id.boot_id, reterr);
	real->agent_there = false;
	return r ? r : tp_real_await_login(real, id.boot_id, tp_deadline_in(wait_ms), &id, reterr);
}

/* Reset by power control. What is armed is disarmed first, while anybody listens. */
int tp_real_reset(struct tp_real *real, const char *boot_id, struct tp_err *reterr)
{
	int64_t up_ms = real->base.config->deadlines.up_ms;
	struct tp_identity id;
	int r;

	if (tp_transport_answers(real->base.config, tp_deadline_in(TP_REAL_ANSWER_MS)) &&
	    tp_real_do(real, tp_real_disarm, NULL, reterr) != 0)
		tp_real_disconnect(real); /* then GRUB has it once more, and we leave that kernel */
	tp_real_disconnect(real);
	r = tp_power_act(real->base.config, "reset", NULL, reterr);
	if (r < 0)
		return r;
	r = tp_real_await_login(real, boot_id, tp_deadline_in(up_ms), &id, reterr);
	return r ? r : tp_real_leave_test_kernel(real, reterr);
}

/* Switch on what is off; what is on may just be booting, so it gets its time before a reset. */
static int power_up(struct tp_real *real, struct tp_err *reterr)
{
	const struct tp_target_config *config = real->base.config;
	struct tp_identity id;
	bool on = true;
	int r = tp_power_act(config, "status", &on, reterr);

	if (r < 0 && r != -ENOTSUP)
		return r;
	if (!on)
		return tp_power_act(config, "on", NULL, reterr);
	r = tp_real_await_login(real, NULL, tp_deadline_in(config->deadlines.up_ms), &id, reterr);
	if (r != TP_MACHINE_E_UNREACHABLE)
		return r;
	return tp_power_act(config, "reset", NULL, reterr);
}

int tp_real_rescue(struct tp_machine *m, struct tp_err *reterr)
{
	struct tp_real *real = (struct tp_real *)m;
	struct tp_identity id;
	int r = tp_real_do(real, tp_real_identify_now, &id, reterr);

	if (r != TP_MACHINE_E_UNREACHABLE && r != TP_MACHINE_E_LOST)
		return r;
	real->agent_there = false;
	if (tp_power_has(m->config)) {
		r = power_up(real, reterr);
		if (r)
			return r;
	}
	return tp_real_await_login(real, NULL, tp_deadline_in(m->config->deadlines.up_ms), &id,
				   reterr);
}
