/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: what goes into a kernel, hashed: patches, seed, fragments, and the key of all. */
#pragma once

#include "build/build.h"
#include "build/toolchain.h"

/*
 * What every build pins, as environment variables; docs/kernels.md lists them. Changing one
 * changes every key.
 */
extern const char *const tp_build_constants[]; /* NAME=value, NULL-ended */

/* Where a request builds, absolute; free with tp_build_paths_deinit(). */
struct tp_build_paths {
	char *work, *source, *object, *cache;
};
TP_MUST_CHECK int tp_build_paths_init(struct tp_build_paths *ret,
				      const struct tp_kernel_request *request,
				      struct tp_err *reterr);
void tp_build_paths_deinit(struct tp_build_paths *paths);

/* Hash the seed, the fragments and the patches of @plan into it. */
TP_MUST_CHECK int tp_inputs_hash(const struct tp_kernel_request *request,
				 struct tp_kernel_plan *plan, struct tp_err *reterr);

/* Are all files still what @plan was made from? -ESTALE names the one that changed. */
TP_MUST_CHECK int tp_inputs_verify(const struct tp_kernel_request *request,
				   const struct tp_kernel_plan *plan, struct tp_err *reterr);

/* The content address: every line that goes into it is in docs/kernels.md. */
TP_MUST_CHECK int tp_inputs_key(const struct tp_toolchain *tc, const struct tp_build_paths *paths,
				struct tp_kernel_plan *plan, struct tp_err *reterr);
