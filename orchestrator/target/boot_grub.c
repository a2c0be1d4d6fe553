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

#include "target/boot.h"
#include "target/grub_config.h"
#include "target/remote.h"
#include "util/failpoint.h"
#include "util/hash.h"
#include "util/fd.h"
#include "util/str.h"

#define SPARE_BYTES (2 << 20) /* stays free beside a kernel: file systems want some */
#define CONFIG_MAX  (1 << 20)

#define FIND_EDITENV                                                                               \
	"e=$(command -v grub-editenv || command -v grub2-editenv) || "                             \
	"{ echo 'grub-editenv is not installed' >&2; exit 1; }\n"

static struct tp_deadline exec_deadline(const struct tp_boot_ctx *ctx)
{
	return tp_deadline_in(ctx->config->deadlines.exec_ms);
}

/* Run a script; its exit code and words decide. Machine codes. */
static int run_script(const struct tp_boot_ctx *ctx, const char *script, const char *const *args,
		      struct tp_exec_result *ret, struct tp_err *reterr)
{
	return tp_machine_code(
	    tp_remote_sh(ctx->t, script, args, CONFIG_MAX, exec_deadline(ctx), ret, reterr),
	    reterr);
}

static int grub_file(const struct tp_boot_ctx *ctx, const char *name, char **ret,
		     struct tp_err *reterr)
{
	*ret = tp_strf("%s/%s", ctx->config->boot.grub_dir, name);
	return *ret ? 0 : tp_err_oom(reterr);
}

static int read_env(const struct tp_boot_ctx *ctx, char **ret, struct tp_err *reterr)
{
	static const char script[] = FIND_EDITENV "\"$e\" \"$1\" list";
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	_cleanup_(tp_freep) char *env = NULL;
	int r = grub_file(ctx, "grubenv", &env, reterr);

	if (r == 0)
		r = run_script(ctx, script, (const char *[]){env, NULL}, &out, reterr);
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
	int r = read_env(ctx, &list, reterr);

	if (r == 0)
		tp_grub_env_get(list, "next_entry", ret, TP_BOOT_ID_MAX);
	return r;
}

/* ---- precheck ---- */

struct finding {
	const char *word; /* printed by the script */
	int code;
	const char *sentence;
};

/* Each line that the script prints names one obstacle. */
static const struct finding findings[] = {
    {"no-editenv", TP_MACHINE_E_REFUSED,
     "grub-editenv is not installed on the target; install grub-common there"},
    {"no-grubenv", TP_MACHINE_E_REFUSED,
     "boot.grub_dir has no grubenv; correct it, or run `grub-editenv - create` on the target"},
    {"read-only", TP_MACHINE_E_REFUSED,
     "grubenv or custom.cfg on the target cannot be written: mounted read-only, or not by this "
     "user"},
    {"no-dir", TP_MACHINE_E_REFUSED,
     "boot.dir is no folder that this user can write to on the target"},
    {"no-initrd", TP_MACHINE_E_REFUSED, "boot.initrd is not there on the target"},
    {"no-custom", TP_MACHINE_E_REFUSED,
     "the target's grub.cfg does not read custom.cfg; enable /etc/grub.d/41_custom and run "
     "update-grub"},
    {"no-next-entry", TP_MACHINE_E_REFUSED,
     "the target's grub.cfg knows no next_entry, so it cannot boot an entry just once; "
     "regenerate it with update-grub"},
    {"sticky", TP_MACHINE_E_STICKY,
     "GRUB cannot write its environment on the target's boot disk (LVM, RAID or btrfs): a "
     "one-shot entry would stay for ever; give /boot a partition of its own"},
};

static const char check_script[] =
    "dir=$1 grub=$2 initrd=$3\n"
    "command -v grub-editenv >/dev/null || command -v grub2-editenv >/dev/null || echo no-editenv\n"
    "[ -f \"$grub/grubenv\" ] || echo no-grubenv\n"
    "[ -w \"$grub\" ] && [ -w \"$grub/grubenv\" ] || echo read-only\n"
    "[ -d \"$dir\" ] && [ -w \"$dir\" ] || echo no-dir\n"
    "[ -z \"$initrd\" ] || [ -f \"$initrd\" ] || echo no-initrd\n"
    "if [ -f \"$grub/grub.cfg\" ]; then\n"
    "	grep -q custom.cfg \"$grub/grub.cfg\" || echo no-custom\n"
    "	grep -q next_entry \"$grub/grub.cfg\" || echo no-next-entry\n"
    "fi\n"
    "p=$(command -v grub-probe || command -v grub2-probe) || exit 0\n"
    "a=$(\"$p\" --target=abstraction \"$grub\" 2>/dev/null)\n"
    "f=$(\"$p\" --target=fs \"$grub\" 2>/dev/null)\n"
    "case \" $a $f \" in *lvm*|*raid*|*diskfilter*|*btrfs*|*zfs*|*f2fs*) echo sticky ;; esac\n"
    "exit 0";

static int judge_findings(const struct tp_boot_ctx *ctx, const char *output, struct tp_err *reterr)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(findings); i++) {
		if (strstr(output, findings[i].word))
			return tp_err_set(reterr, findings[i].code, ctx->config->name, "%s",
					  findings[i].sentence);
	}
	return 0;
}

/* The one thing that must never be: our kernel as the permanent choice. */
static int check_default(const struct tp_boot_ctx *ctx, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *list = NULL;
	char saved[128];
	int r = read_env(ctx, &list, reterr);

	if (r)
		return r;
	tp_grub_env_get(list, "saved_entry", saved, sizeof(saved));
	if (strstr(saved, "triptych-"))
		return tp_err_set(
		    reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
		    "the target's permanent boot default is \"%s\", a kernel under test; "
		    "set it to a known good entry with grub-set-default",
		    saved);
	return 0;
}

/* Without panic= a kernel that dies stays dead until somebody resets the machine. */
static int check_cmdline(const struct tp_boot_ctx *ctx, struct tp_err *reterr)
{
	const char *cmdline = ctx->config->boot.cmdline ? ctx->config->boot.cmdline : "";

	if (tp_str_starts(cmdline, "panic=") || strstr(cmdline, " panic="))
		return 0;
	return tp_err_set(reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
			  "boot.cmdline has no panic=: a kernel that panics would hang instead of "
			  "falling back; add for example panic=10");
}

static int grub_check(const struct tp_boot_ctx *ctx, struct tp_err *reterr)
{
	const struct tp_boot_request nothing = {
	    .token = "0",
	    .image_sha256 = "0000000000000000000000000000000000000000000000000000000000000000"};
	const char *initrd = ctx->config->boot.initrd;
	const char *args[] = {ctx->config->boot.dir, ctx->config->boot.grub_dir,
			      initrd ? initrd : "", NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	_cleanup_(tp_freep) char *section = NULL;
	int r;

	if (!args[0] || !args[1])
		return tp_err_set(reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
				  "boot.dir or boot.grub_dir is missing");
	r = tp_grub_section(ctx->config, &nothing, &section, reterr);
	if (r == 0)
		r = check_cmdline(ctx, reterr);
	if (r == 0)
		r = run_script(ctx, check_script, args, &out, reterr);
	if (r == 0)
		r = judge_findings(ctx, out.output, reterr);
	return r ? r : check_default(ctx, reterr);
}

/* ---- kernels ---- */

static int grub_installed(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
			  bool *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = NULL;
	char hash[TP_SHA256_HEX];
	int r = tp_grub_kernel_path(ctx->config, request->image_sha256, &path, reterr);

	if (r == 0)
		r = tp_machine_code(
		    tp_remote_sha256(ctx->t, path, exec_deadline(ctx), hash, reterr), reterr);
	if (r == 0)
		*ret = strcmp(hash, request->image_sha256) == 0;
	return r;
}

/* Make the kernel's folder; with @prune remove the others of ours. Ends in the room that is left.
 */
static int make_room(const struct tp_boot_ctx *ctx, const char *kernel, bool prune, int64_t *ret,
		     struct tp_err *reterr)
{
	static const char script[] =
	    "d=${1%/*} base=${1%/*/*}\n"
	    "if [ \"$2\" = prune ]; then for k in \"$base\"/*/vmlinuz \"$base\"/*/vmlinuz.tmp; do\n"
	    "	[ \"${k%/*}\" = \"$d\" ] || { rm -f \"$k\"; rmdir \"${k%/*}\" 2>/dev/null; }\n"
	    "done; fi\n"
	    "mkdir -p \"$d\"";
	const char *args[] = {kernel, prune ? "prune" : "keep", NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r = run_script(ctx, script, args, &out, reterr);

	if (r)
		return r;
	if (out.exit_code != 0)
		return tp_err_set(reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
				  "the target cannot make a folder for %s: %s", kernel,
				  tp_remote_words(&out));
	return tp_machine_code(tp_remote_free(ctx->t, kernel, exec_deadline(ctx), ret, reterr),
			       reterr);
}

static int ensure_room(const struct tp_boot_ctx *ctx, const char *kernel, int64_t size,
		       struct tp_err *reterr)
{
	int64_t room = 0;
	int r = make_room(ctx, kernel, false, &room, reterr);

	if (r == 0 && room < size + SPARE_BYTES)
		r = make_room(ctx, kernel, true, &room, reterr);
	if (r)
		return r;
	if (room < size + SPARE_BYTES)
		return tp_err_set(
		    reterr, TP_MACHINE_E_NO_SPACE, ctx->config->name,
		    "no room for a kernel in %s on the target: %lld KiB are free, %lld "
		    "are needed; remove old kernels there",
		    ctx->config->boot.dir, (long long)(room >> 10),
		    (long long)((size + SPARE_BYTES) >> 10));
	return 0;
}

/* The artefact must be what the builder recorded, before it is sent anywhere. */
static int check_image(const char *path, const char *sha256, int64_t *ret_size,
		       struct tp_err *reterr)
{
	_cleanup_(tp_file_closep) FILE *f = fopen(path, "re");
	char hash[TP_SHA256_HEX];
	int r;

	if (!f || fseek(f, 0, SEEK_END) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot open the built kernel %s: %s", path,
				  strerror(errno));
	*ret_size = ftell(f);
	r = tp_sha256_path(path, hash, reterr);
	if (r < 0)
		return r;
	if (strcmp(hash, sha256) != 0)
		return tp_err_set(reterr, -EBADMSG, NULL,
				  "the built kernel %s is not what was recorded when it was built; "
				  "remove its folder, so that it is built again",
				  path);
	return 0;
}

static int grub_install(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
			struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *image = tp_strf("%s/bzImage", request->artifact_dir);
	_cleanup_(tp_freep) char *kernel = NULL;
	int64_t size = 0;
	bool there = false;
	int r =
	    image ? check_image(image, request->image_sha256, &size, reterr) : tp_err_oom(reterr);

	if (r == 0)
		r = grub_installed(ctx, request, &there, reterr);
	if (r || there)
		return r;
	r = tp_grub_kernel_path(ctx->config, request->image_sha256, &kernel, reterr);
	if (r == 0)
		r = ensure_room(ctx, kernel, size, reterr);
	tp_failpoint("target-before-upload");
	if (r == 0)
		r = tp_machine_code(
		    ctx->t->ops->upload(ctx->t, image, kernel, 0644,
					tp_deadline_in(ctx->config->deadlines.upload_ms), reterr),
		    reterr);
	tp_failpoint("target-after-upload");
	return r;
}

/* ---- the one-shot ---- */

static int read_custom(const struct tp_boot_ctx *ctx, char **ret_path, char **ret_text,
		       struct tp_err *reterr)
{
	static const char script[] = "[ -e \"$1\" ] || exit 0\ncat \"$1\"";
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	_cleanup_(tp_freep) char *path = NULL;
	int r = grub_file(ctx, "custom.cfg", &path, reterr);

	if (r == 0)
		r = run_script(ctx, script, (const char *[]){path, NULL}, &out, reterr);
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
		    tp_transport_check(ctx->t, argv, exec_deadline(ctx), NULL, reterr), reterr);
	}
	return tp_machine_code(tp_remote_write(ctx->t, path, new, 0644, exec_deadline(ctx), reterr),
			       reterr);
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
		r = run_script(ctx, script, (const char *[]){env, id, NULL}, &out, reterr);
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

static int grub_clean(const struct tp_boot_ctx *ctx, struct tp_err *reterr)
{
	static const char script[] = "for k in \"$1\"/triptych/*; do\n"
				     "	case ${k##*/} in *[!0-9a-f]*) continue ;; esac\n"
				     "	rm -f \"$k/vmlinuz\" \"$k/vmlinuz.tmp\"\n"
				     "	rmdir \"$k\" 2>/dev/null\n"
				     "done\n"
				     "rmdir \"$1/triptych\" 2>/dev/null\n"
				     "sync\n"
				     "exit 0";
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};

	return run_script(ctx, script, (const char *[]){ctx->config->boot.dir, NULL}, &out, reterr);
}

const struct tp_boot_ops tp_boot_grub = {
    .kind = "grub",
    .check = grub_check,
    .install = grub_install,
    .installed = grub_installed,
    .arm = grub_arm,
    .armed = grub_armed,
    .pending = grub_pending,
    .disarm = grub_disarm,
    .clean = grub_clean,
};
