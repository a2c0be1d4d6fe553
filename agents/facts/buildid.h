/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GNU build-id of the running kernel, out of the ELF notes that it shows. */
#pragma once

#include <stddef.h>
#include "util/macro.h"

#define TP_BUILDID_HEX 129 /* up to 64 bytes, with the NUL */

/*
 * Find the NT_GNU_BUILD_ID note of owner "GNU" in @len bytes of ELF notes. Pure. Returns 0
 * with lower-case hexadecimal digits in @ret, -ENOENT when no whole note is one, -EINVAL for
 * an empty or oversized id. Truncated notes are never read past their end.
 */
TP_MUST_CHECK int tp_buildid_parse(const void *notes, size_t len, char ret[static TP_BUILDID_HEX]);

/* The running kernel's, from /sys/kernel/notes under @root, or NULL. free() it. */
char *tp_buildid_read(const char *root);
