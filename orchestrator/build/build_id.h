/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: the GNU build-id of a 64-bit ELF file, read with every offset checked. */
#pragma once

#include <stddef.h>

#include "util/err.h"

#define TP_BUILD_ID_MAX 32 /* bytes */

/*
 * Find the build-id note of @path in its note segments. Returns its length in bytes
 * (4 to TP_BUILD_ID_MAX), -ENODATA when there is none, -EBADMSG when this is not such a file.
 */
TP_MUST_CHECK int tp_elf_build_id(const char *path, unsigned char ret[static TP_BUILD_ID_MAX],
				  struct tp_err *reterr);
