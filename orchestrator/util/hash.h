/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 through libcrypto, as 64 lower-case hexadecimal digits. */
#pragma once

#include <stddef.h>
#include "util/err.h"
#include "util/macro.h"

#define TP_SHA256_HEX 65 /* with the NUL */

struct tp_sha256;

/* NULL when out of memory. */
struct tp_sha256 *tp_sha256_new(void);
struct tp_sha256 *tp_sha256_free(struct tp_sha256 *ctx);
TP_DEFINE_CLEANUP(struct tp_sha256, tp_sha256_free)
void tp_sha256_update(struct tp_sha256 *ctx, const void *data, size_t len);
void tp_sha256_final(struct tp_sha256 *ctx, char ret_hex[static TP_SHA256_HEX]);

/* One call for memory, one for a file. */
void tp_sha256_bytes(const void *data, size_t len, char ret_hex[static TP_SHA256_HEX]);
TP_MUST_CHECK int tp_sha256_path(const char *path, char ret_hex[static TP_SHA256_HEX],
				 struct tp_err *reterr);
