/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boot drivers: how a kernel gets onto a target's disk and is chosen for exactly one boot. They
 * speak TP_MACHINE_E_*; the permanent default is never changed.
 */
#pragma once

#include "target/machine.h"
#include "target/transport.h"

#define TP_BOOT_ID_MAX 64

struct tp_boot_ctx {
	const struct tp_target_config *config;
	struct tp_transport *t;
};

struct tp_boot_ops {
	const char *kind;
	/* Is the bootloader one that can be armed for one boot, and would it forget it? */
	int (*check)(const struct tp_boot_ctx *ctx, struct tp_err *reterr);
	int (*install)(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		       struct tp_err *reterr);
	int (*installed)(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
			 bool *ret, struct tp_err *reterr);
	int (*arm)(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		   struct tp_err *reterr);
	/* Is the one-shot @token's entry, and does that entry boot @request's kernel? */
	int (*armed)(const struct tp_boot_ctx *ctx, const struct tp_boot_request *request,
		     bool *ret, struct tp_err *reterr);
	/* The id that the next boot would take once; "" for none. */
	int (*pending)(const struct tp_boot_ctx *ctx, char ret[static TP_BOOT_ID_MAX],
		       struct tp_err *reterr);
	/* Forget our one-shot and our entry; other people's stay. */
	int (*disarm)(const struct tp_boot_ctx *ctx, struct tp_err *reterr);
	/* Remove our kernels: none of them may be running. */
	int (*clean)(const struct tp_boot_ctx *ctx, struct tp_err *reterr);
};

extern const struct tp_boot_ops tp_boot_grub;

/* The driver for @config; NULL with @reterr for an unknown kind. */
const struct tp_boot_ops *tp_boot_find(const struct tp_target_config *config,
				       struct tp_err *reterr);

/* A transport's code as a machine's, in @reterr too; negative codes stay. */
int tp_machine_code(int code, struct tp_err *reterr);
