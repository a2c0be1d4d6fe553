/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GRUB: kernels below DIR/triptych/, one entry in custom.cfg, next_entry in grubenv.
 *
 * GRUB itself clears next_entry before it loads anything, so a kernel that hangs or panics is
 * followed by the permanent default, which is never touched here. Where GRUB cannot write its
 * environment (LVM, RAID, btrfs) the one-shot would stay for ever: refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/grub.h"
#include "target/grub_config.h"
#include "target/remote.h"
#include "util/failpoint.h"
#include "util/str.h"

#define CONFIG_MAX (1 << 20)

#define FIND_EDITENV                                                                               \
	"e=$(command -v grub-editenv || command -v grub2-editenv) || "                             \
	"{ echo 'grub-editenv is not installed' >&2; exit 1; }\n"

struct tp_deadline tp_grub_deadline(const struct tp_boot_ctx *ctx)
{
	return tp_deadline_in(ctx->config->deadlines.exec_ms);
}

/* Run a script; its exit code and words decide. Machine codes. */
int tp_grub_script(const struct tp_boot_ctx *ctx, const char *script, const char *const *args,
		   struct tp_exec_result *ret, struct tp_err *reterr)
{
	return tp_machine_code(
	    tp_remote_sh(ctx->t, script, args, CONFIG_MAX, tp_grub_deadline(ctx), ret, reterr),
	    reterr);
}

static int grub_file(const struct tp_boot_ctx *ctx, const char *name, char **ret,
		     struct tp_err *reterr)
{
	*ret = tp_strf("%s/%s", ctx->config->boot.grub_dir, name);
	return *ret ? 0 : tp_err_oom(reterr);
}

int tp_grub_read_env(const struct tp_boot_ctx *ctx, char **ret, struct tp_err *reterr)
{
	static const char script[] = FIND_EDITENV "\"$e\" \"$1\" list";
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	_cleanup_(tp_freep) char *env = NULL;
	int r = grub_file(ctx, "grubenv", &env, reterr);

	if (r == 0)
		r = tp_grub_script(ctx, script, (const char *[]){env, NULL}, &out, reterr);
	if (r)
		return r;
	if (out.exit_code != 0)
		return tp_err_set(reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
				  "GRUB's environment %s on the target cannot be read: %s", env,
				  tp_remote_words(&out));
	*ret = TP_TAKE(out.output);
	return 0;
}

static int grub_pending(const struct tp_boot_ctx *ctx, char ret[static TP_BOOT_ID_MAX],
			struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *list = NULL;
	int r = tp_grub_read_env(ctx, &list, reterr);

	if (r == 0)
		tp_grub_env_get(list, "next_entry", ret, TP_BOOT_ID_MAX);
	return r;
}

static int read_custom(const struct tp_boot_ctx *ctx, char **ret_path, char **ret_text,
		       struct tp_err *reterr)
{
	static const char script[] = "[ -e \"$1\" ] || exit 0\ncat \"$1\"";
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	_cleanup_(tp_freep) char *path = NULL;
	int r = grub_file(ctx, "custom.cfg", &path, reterr);

	if (r == 0)
		r = tp_grub_script(ctx, script, (const char *[]){path, NULL}, &out, reterr);
	if (r)
		return r;
	if (out.exit_code != 0 || out.output_len >= CONFIG_MAX ||
	    strlen(out.output) != out.output_len)
		return tp_err_set(reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
				  "%s on the target cannot be read as a text of less than 1 MiB",
				  path);
	*ret_path = TP_TAKE(path);
	*ret_text = TP_TAKE(out.output);
	return 0;
}

/* Put @section (NULL: none) into custom.cfg; a file that ends up empty goes. */
static int write_custom(const struct tp_boot_ctx *ctx, const char *section, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = NULL, *old = NULL, *new = NULL;
	int r = read_custom(ctx, &path, &old, reterr);

	if (r == 0)
		r = tp_grub_replace(old, section, &new, reterr);
	if (r || strcmp(old, new) == 0)
		return r;
	if (!*new) {
		const char *argv[] = {"rm", "-f", "--", path, NULL};

		return tp_machine_code(
		    tp_transport_check(ctx->t, argv, tp_grub_deadline(ctx), NULL, reterr), reterr);
	}
	return tp_machine_code(
	    tp_remote_write(ctx->t, path, new, 0644, tp_grub_deadline(ctx), reterr), reterr);
}

/* Set next_entry to @id ("": unset), durably. */
static int write_next(const struct tp_boot_ctx *ctx, const char *id, struct tp_err *reterr)
{
	static const char script[] =
	    FIND_EDITENV "if [ -n \"$2\" ]; then \"$e\" \"$1\" set next_entry=\"$2\"\n"
			 "else \"$e\" \"$1\" unset next_entry; fi || exit 1\n"
			 "sync \"$1\" 2>/dev/null || sync";
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	_cleanup_(tp_freep) char *env = NULL;
	int r = grub_file(ctx, "grubenv", &env, reterr);

	if (r == 0)
		r = tp_grub_script(ctx, script, (const char *[]){env, id, NULL}, &out, reterr);
	if (r)
		return r;
	if (out.exit_code != 0)
		return tp_err_set(reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
				  "GRUB's environment %s on the target cannot be written: %s", env,
				  tp_remote_words(&out));
	return 0;
}

static int grub_armed(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		      bool *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *section = NULL, *path = NULL, *text = NULL;
	char id[TP_BOOT_ID_MAX], pending[TP_BOOT_ID_MAX];
	int r = tp_grub_entry_id(request->token, id, reterr);

	if (r == 0)
		r = tp_grub_section(ctx->config, request, &section, reterr);
	if (r == 0)
		r = grub_pending(ctx, pending, reterr);
	if (r == 0)
		r = read_custom(ctx, &path, &text, reterr);
	if (r == 0)
		*ret = strcmp(pending, id) == 0 && tp_grub_has(text, section);
	return r;
}

/* The entry is there before anything points at it. */
static int grub_arm(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		    struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *section = NULL;
	char id[TP_BOOT_ID_MAX];
	bool armed = false;
	int r = tp_grub_entry_id(request->token, id, reterr);

	if (r == 0)
		r = tp_grub_section(ctx->config, request, &section, reterr);
	if (r == 0)
		r = write_custom(ctx, section, reterr);
	tp_failpoint("target-entry-written");
	if (r == 0)
		r = write_next(ctx, id, reterr);
	tp_failpoint("target-armed");
	if (r == 0)
		r = grub_armed(ctx, request, &armed, reterr);
	if (r == 0 && !armed)
		return tp_err_set(
		    reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
		    "the one-shot entry %s was written but does not read back; something "
		    "else on the target changes GRUB's files",
		    id);
	return r;
}

static int grub_disarm(const struct tp_boot_ctx *ctx, struct tp_err *reterr)
{
	char pending[TP_BOOT_ID_MAX];
	int r = grub_pending(ctx, pending, reterr);

	if (r == 0 && tp_str_starts(pending, "triptych-"))
		r = write_next(ctx, "", reterr);
	return r ? r : write_custom(ctx, NULL, reterr);
}

const struct tp_boot_ops tp_boot_grub = {
    .kind = "grub",
    .check = tp_grub_check,
    .install = tp_grub_install,
    .installed = tp_grub_installed,
    .arm = grub_arm,
    .armed = grub_armed,
    .pending = grub_pending,
    .disarm = grub_disarm,
    .clean = tp_grub_clean,
};
