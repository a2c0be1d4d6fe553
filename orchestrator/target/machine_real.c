/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine over a transport, with boot, power and console drivers. What may be done twice is
 * done again on a fresh connection when the first was lost; the two acts that may not, reboot
 * and run, are in real_boot.c and real_run.c; the way back to
 * a login is in real_recover.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/agent.h"
#include "target/identity.h"
#include "target/real.h"
#include "target/remote.h"
#include "util/fd.h"
#include "util/str.h"

#define RETRY_MS     500
#define RETRY_MAX_MS 4000

struct tp_deadline tp_real_exec_deadline(const struct tp_real *real)
{
	return tp_deadline_in(real->base.config->deadlines.exec_ms);
}

struct tp_deadline tp_real_connect_deadline(const struct tp_real *real)
{
	return tp_deadline_in(real->base.config->deadlines.connect_ms);
}

struct tp_boot_ctx tp_real_boot_ctx(struct tp_real *real)
{
	return (struct tp_boot_ctx){.config = real->base.config, .t = real->t};
}

void tp_real_disconnect(struct tp_real *real)
{
	real->t = tp_transport_close(real->t);
}

int tp_real_connect(struct tp_real *real, struct tp_deadline deadline, struct tp_err *reterr)
{
	if (real->t)
		return 0;
	return tp_machine_code(tp_transport_open(real->base.config, deadline, &real->t, reterr),
			       reterr);
}

int tp_real_connect_until(struct tp_real *real, struct tp_deadline deadline, struct tp_err *reterr)
{
	int64_t connect_ms = real->base.config->deadlines.connect_ms;
	int64_t nap_ms = RETRY_MS;

	for (;;) {
		int r = tp_real_connect(real, tp_deadline_min(deadline, connect_ms), reterr);

		if (r != TP_MACHINE_E_UNREACHABLE && r != TP_MACHINE_E_LOST)
			return r;
		if (!tp_deadline_sleep(deadline, nap_ms))
			return r;
		nap_ms = nap_ms * 2 < RETRY_MAX_MS ? nap_ms * 2 : RETRY_MAX_MS;
	}
}

int tp_real_do(struct tp_real *real, tp_real_fn fn, void *arg, struct tp_err *reterr)
{
	int r = TP_MACHINE_E_LOST;

	for (int i = 0; i < 2 && r == TP_MACHINE_E_LOST; i++) {
		r = tp_real_connect(real, tp_real_connect_deadline(real), reterr);
		if (r == 0)
			r = fn(real, arg, reterr);
		if (r == TP_MACHINE_E_LOST)
			tp_real_disconnect(real);
	}
	return r;
}

/* ---- open, close ---- */

static void close_real(struct tp_machine *m)
{
	struct tp_real *real = (struct tp_real *)m;

	tp_real_disconnect(real);
	free(real->agent);
	free(real->agent_remote);
	free(real);
}

static int check_work_dir(const struct tp_target_config *config, struct tp_err *reterr)
{
	const char *dir = config->work_dir;

	if (dir && dir[0] == '/' && dir[1] && !strstr(dir, "/.."))
		return 0;
	return tp_err_set(reterr, -EINVAL, config->name,
			  "work_dir must be an absolute path of a folder of its own, such as "
			  "/var/lib/triptych");
}

static int fill_real(struct tp_real *real, const char *agent, struct tp_err *reterr)
{
	const struct tp_target_config *config = real->base.config;
	int r = check_work_dir(config, reterr);

	if (r < 0)
		return r;
	real->boot = tp_boot_find(config, reterr);
	if (!real->boot)
		return -EINVAL;
	r = tp_sha256_path(agent, real->agent_sha256, reterr);
	if (r < 0) {
		tp_err_prefix(reterr, "the agent's program is missing");
		return r;
	}
	real->agent = strdup(agent);
	real->agent_remote =
	    tp_strf("%s/triptych-agent-%.12s", config->work_dir, real->agent_sha256);
	return real->agent && real->agent_remote ? 0 : tp_err_oom(reterr);
}

/* A machine that does not answer now is no error: rescue() or a later call reaches it. */
static int open_real(const struct tp_target_config *config, const char *agent,
		     struct tp_machine **ret, struct tp_err *reterr)
{
	struct tp_real *real = calloc(1, sizeof(*real));
	int r;

	if (!real)
		return tp_err_oom(reterr);
	real->base = (struct tp_machine){.ops = &tp_machine_real, .config = config};
	r = fill_real(real, agent, reterr);
	if (r == 0)
		r = tp_real_do(real, tp_real_ensure_agent, NULL, reterr);
	if (r == TP_MACHINE_E_UNREACHABLE || r == TP_MACHINE_E_LOST)
		r = 0;
	if (r) {
		close_real(&real->base);
		return r;
	}
	*ret = &real->base;
	return 0;
}

/* ---- the agent ---- */

static int make_work_dir(struct tp_real *real, struct tp_err *reterr)
{
	const char *argv[] = {"mkdir", "-p", "--", real->base.config->work_dir, NULL};

	return tp_machine_code(
	    tp_transport_check(real->t, argv, tp_real_exec_deadline(real), NULL, reterr), reterr);
}

int tp_real_ensure_agent(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	char hash[TP_SHA256_HEX];
	int r;

	(void)arg;
	if (real->agent_there)
		return 0;
	r = tp_machine_code(tp_remote_sha256(real->t, real->agent_remote,
					     tp_real_exec_deadline(real), hash, reterr),
			    reterr);
	if (r == 0 && strcmp(hash, real->agent_sha256) != 0) {
		r = make_work_dir(real, reterr);
		if (r == 0)
			r = tp_machine_code(
			    real->t->ops->upload(
				real->t, real->agent, real->agent_remote, 0755,
				tp_deadline_in(real->base.config->deadlines.upload_ms), reterr),
			    reterr);
	}
	real->agent_there = r == 0;
	return r;
}

/* ---- what may be done twice ---- */

int tp_real_identify_now(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r = tp_machine_code(tp_remote_sh(real->t, tp_identity_script, NULL, 65536,
					     tp_real_exec_deadline(real), &out, reterr),
				reterr);

	if (r)
		return r;
	if (out.exit_code != 0)
		return tp_err_set(reterr, -EIO, real->base.config->name,
				  "the target cannot say what it runs: %s", tp_remote_words(&out));
	return tp_identity_parse(out.output, arg, reterr);
}

static int real_identify(struct tp_machine *m, struct tp_identity *ret, struct tp_err *reterr)
{
	return tp_real_do((struct tp_real *)m, tp_real_identify_now, ret, reterr);
}

int tp_real_facts_now(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	const char *argv[] = {real->agent_remote, "facts", NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r = tp_real_ensure_agent(real, NULL, reterr);

	if (r == 0)
		r = tp_machine_code(real->t->ops->exec(real->t, argv, 1 << 20,
						       tp_real_exec_deadline(real), &out, reterr),
				    reterr);
	if (r)
		return r;
	if (out.exit_code != 0)
		return tp_err_set(
		    reterr, TP_MACHINE_E_REFUSED, real->base.config->name,
		    "the agent does not run on the target (exit code %d: %s); is "
		    "work_dir mounted noexec, or the machine of another architecture?",
		    out.exit_code, tp_remote_words(&out));
	return tp_agent_facts(out.output, (char **)arg, reterr);
}

static int real_facts(struct tp_machine *m, char **ret_json, struct tp_err *reterr)
{
	return tp_real_do((struct tp_real *)m, tp_real_facts_now, ret_json, reterr);
}

/* Arguments of the boot driver's calls. */
struct boot_call {
	const struct tp_boot_request *request;
	bool *ret;
};

static int do_install(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);

	return real->boot->install(&ctx, ((struct boot_call *)arg)->request, reterr);
}

static int do_installed(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);
	struct boot_call *call = arg;

	return real->boot->installed(&ctx, call->request, call->ret, reterr);
}

static int do_arm(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);

	return real->boot->arm(&ctx, ((struct boot_call *)arg)->request, reterr);
}

static int do_armed(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);
	struct boot_call *call = arg;

	return real->boot->armed(&ctx, call->request, call->ret, reterr);
}

static int real_install(struct tp_machine *m, const struct tp_boot_request *request,
			struct tp_err *reterr)
{
	return tp_real_do((struct tp_real *)m, do_install, &(struct boot_call){request, NULL},
			  reterr);
}

static int real_installed(struct tp_machine *m, const struct tp_boot_request *request, bool *ret,
			  struct tp_err *reterr)
{
	return tp_real_do((struct tp_real *)m, do_installed, &(struct boot_call){request, ret},
			  reterr);
}

static int real_arm(struct tp_machine *m, const struct tp_boot_request *request,
		    struct tp_err *reterr)
{
	return tp_real_do((struct tp_real *)m, do_arm, &(struct boot_call){request, NULL}, reterr);
}

static int real_armed(struct tp_machine *m, const struct tp_boot_request *request, bool *ret,
		      struct tp_err *reterr)
{
	return tp_real_do((struct tp_real *)m, do_armed, &(struct boot_call){request, ret}, reterr);
}

/* ---- clean ---- */

/* Only names that we gave are removed. */
static int do_clean(struct tp_real *real, void *arg, struct tp_err *reterr)
{
	static const char script[] =
	    "rm -f \"$1\"/triptych-agent-* \"$1\"/triptych-run-*\nrmdir \"$1\" 2>/dev/null\nexit 0";
	struct tp_boot_ctx ctx = tp_real_boot_ctx(real);
	const char *args[] = {real->base.config->work_dir, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r = real->boot->clean(&ctx, reterr);

	(void)arg;
	if (r)
		return r;
	real->agent_there = false;
	return tp_machine_code(
	    tp_remote_sh(real->t, script, args, 1024, tp_real_exec_deadline(real), &out, reterr),
	    reterr);
}

static int real_clean(struct tp_machine *m, struct tp_err *reterr)
{
	struct tp_real *real = (struct tp_real *)m;
	int r = tp_real_do(real, tp_real_disarm, NULL, reterr);

	if (r == 0)
		r = tp_real_leave_test_kernel(real, reterr);
	return r ? r : tp_real_do(real, do_clean, NULL, reterr);
}

const struct tp_machine_ops tp_machine_real = {
    .kind = "real",
    .open = open_real,
    .close = close_real,
    .precheck = tp_real_precheck,
    .rescue = tp_real_rescue,
    .identify = real_identify,
    .facts = real_facts,
    .install = real_install,
    .installed = real_installed,
    .arm = real_arm,
    .armed = real_armed,
    .boot = tp_real_boot,
    .run = tp_real_run,
    .clean = real_clean,
};
