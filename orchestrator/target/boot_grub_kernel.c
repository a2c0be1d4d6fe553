/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels on a GRUB target's disk, by the hash of their image: attempts at the same kernel share
 * one file. Only names that we gave are ever removed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "target/grub.h"
#include "target/grub_config.h"
#include "target/remote.h"
#include "util/failpoint.h"
#include "util/fd.h"
#include "util/hash.h"
#include "util/str.h"

#define SPARE_BYTES (2 << 20) /* stays free beside a kernel: file systems want some */

int tp_grub_installed(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		      bool *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = NULL;
	char hash[TP_SHA256_HEX];
	int r = tp_grub_kernel_path(ctx->config, request->image_sha256, &path, reterr);

	if (r == 0)
		r = tp_machine_code(
		    tp_remote_sha256(ctx->t, path, tp_grub_deadline(ctx), hash, reterr), reterr);
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
	int r = tp_grub_script(ctx, script, args, &out, reterr);

	if (r)
		return r;
	if (out.exit_code != 0)
		return tp_err_set(reterr, TP_MACHINE_E_REFUSED, ctx->config->name,
				  "the target cannot make a folder for %s: %s", kernel,
				  tp_remote_words(&out));
	return tp_machine_code(tp_remote_free(ctx->t, kernel, tp_grub_deadline(ctx), ret, reterr),
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

int tp_grub_install(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		    struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *image = tp_strf("%s/bzImage", request->artifact_dir);
	_cleanup_(tp_freep) char *kernel = NULL;
	int64_t size = 0;
	bool there = false;
	int r =
	    image ? check_image(image, request->image_sha256, &size, reterr) : tp_err_oom(reterr);

	if (r == 0)
		r = tp_grub_installed(ctx, request, &there, reterr);
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

int tp_grub_clean(const struct tp_boot_ctx *ctx, struct tp_err *reterr)
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

	return tp_grub_script(ctx, script, (const char *[]){ctx->config->boot.dir, NULL}, &out,
			      reterr);
}
