/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Base64 (RFC 4648): host keys and what a target sends of its binary files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "util/macro.h"

/*
 * Decode @len characters; white space is skipped, padding ends the data. Returns 0, -EINVAL or
 * -ENOMEM. @ret is malloc()ed and has a NUL behind its @ret_len bytes.
 */
TP_MUST_CHECK int tp_base64_decode(const char *text, size_t len, unsigned char **ret,
				   size_t *ret_len);

/* Encode; NULL when out of memory. */
char *tp_base64_encode(const void *data, size_t len, bool padding);
