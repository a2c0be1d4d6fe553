/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before a job: is everything there that it needs? What is found is for a person to mend. */
#include <errno.h>
#include <string.h>

#include "target/console.h"
#include "target/power.h"
#include "target/real.h"
#include "target/remote.h"
#include "util/str.h"

#define WORK_SPARE_BYTES (16 << 20) /* agent and records */

static int check_programs(struct tp_real *real, struct tp_err *reterr)
{
	static const char script[] =
	    "[ \"$(id -u)\" = 0 ] || { echo 'is not root'; exit 0; }\n"
	    "for c in awk base64 cat df mkdir mv reboot rm rmdir setsid sha256sum sync tr uname; "
	    "do\n"
	    "	command -v \"$c\" >/dev/null || { echo \"lacks the program $c\"; exit 0; }\n"
	    "done\n"
	    "(mkdir -p \"$1\" && : >\"$1/.triptych\" && rm \"$1/.triptych\") 2>/dev/null || "
	    "echo \"cannot write to work_dir\"";
	const char *args[] = {real->base.config->work_dir, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r = tp_machine_code(
	    tp_remote_sh(real->t, script, args, 1024, tp_real_exec_deadline(real), &out, reterr),
	    reterr);

	if (r || !*tp_str_chomp(out.output))
		return r;
	tp_str_sanitize(out.output);
	return tp_err_set(
	    reterr, TP_MACHINE_E_REFUSED, real->base.config->name,
	    "the user %s on the target %s; log in as root on a machine with coreutils "
	    "or busybox",
	    real->base.config->transport.user ? real->base.config->transport.user : "", out.output);
}

static int check_room(struct tp_real *real, struct tp_err *reterr)
{
	const char *dir = real->base.config->work_dir;
	int64_t room = 0;
	int r = tp_machine_code(
	    tp_remote_free(real->t, dir, tp_real_exec_deadline(real), &room, reterr), reterr);

	if (r || room >= WORK_SPARE_BYTES)
		return r;
	return tp_err_set(reterr, TP_MACHINE_E_NO_SPACE, real->base.config->name,
			  "%s on the target has %lld KiB free, %d are needed", dir,
			  (long long)(room >> 10), WORK_SPARE_BYTES >> 10);
}

static int check_power(const struct tp_target_config *config, struct tp_err *reterr)
{
	int r;

	if (!tp_power_has(config))
		return 0;
	r = tp_power_act(config, "status", NULL, reterr);
	if (r == 0 || r == -ENOTSUP)
		return 0;
	tp_err_prefix(reterr, "the power control does not work");
	if (reterr)
		reterr->code = TP_MACHINE_E_REFUSED;
	return TP_MACHINE_E_REFUSED;
}

static int do_precheck(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);
	_cleanup_(tp_freep) char *facts = NULL;
	int r = check_programs(real, reterr);

	(void)arg;
	if (r == 0)
		r = check_room(real, reterr);
	if (r == 0)
		r = real->boot->check(&ctx, reterr);
	return r ? r : tp_real_facts_now(real, &facts, reterr);
}

int tp_real_precheck(struct tp_machine *m, struct tp_err *reterr)
{
	int r = tp_real_do((struct tp_real *)m, do_precheck, NULL, reterr);

	if (r == 0)
		r = check_power(m->config, reterr);
	return r ? r : tp_console_check(m->config, reterr);
}
