/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a target's GRUB one that can be armed for one boot and forgets it by itself? */
#include <string.h>

#include "target/grub.h"
#include "target/grub_config.h"
#include "target/remote.h"
#include "util/str.h"

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

/*
 * test -w says yes to root on a read-only file system: write, then; in a subshell, because a
 * redirection that fails ends the shell of a special builtin.
 */
static const char check_script[] =
    "dir=$1 grub=$2 initrd=$3\n"
    "command -v grub-editenv >/dev/null || command -v grub2-editenv >/dev/null || echo no-editenv\n"
    "[ -f \"$grub/grubenv\" ] || echo no-grubenv\n"
    "(: >>\"$grub/grubenv\" && : >\"$grub/.triptych\" && rm \"$grub/.triptych\") 2>/dev/null || "
    "echo read-only\n"
    "(: >\"$dir/.triptych\" && rm \"$dir/.triptych\") 2>/dev/null || echo no-dir\n"
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
	int r = tp_grub_read_env(ctx, &list, reterr);

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

int tp_grub_check(const struct tp_boot_ctx *ctx, struct tp_err *reterr)
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
		r = tp_grub_script(ctx, check_script, args, &out, reterr);
	if (r == 0)
		r = judge_findings(ctx, out.output, reterr);
	return r ? r : check_default(ctx, reterr);
}
