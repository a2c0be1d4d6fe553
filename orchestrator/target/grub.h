/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the GRUB driver: boot_grub.c (the one-shot), boot_grub_check.c, boot_grub_kernel.c. */
#pragma once

#include "target/boot.h"
#include "target/transport.h"

struct tp_deadline tp_grub_deadline(const struct tp_boot_ctx *ctx);

/* Run a script on the target: 0 whatever its exit code; machine codes. */
TP_MUST_CHECK int tp_grub_script(const struct tp_boot_ctx *ctx, const char *script,
				 const char *const *args, struct tp_exec_result *ret,
				 struct tp_err *reterr);

/* What `grub-editenv list` prints. */
TP_MUST_CHECK int tp_grub_read_env(const struct tp_boot_ctx *ctx, char **ret,
				   struct tp_err *reterr);

/* Members of the driver's table. */
int tp_grub_check(const struct tp_boot_ctx *ctx, struct tp_err *reterr);
int tp_grub_install(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		    struct tp_err *reterr);
int tp_grub_installed(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		      bool *ret, struct tp_err *reterr);
int tp_grub_clean(const struct tp_boot_ctx *ctx, struct tp_err *reterr);
