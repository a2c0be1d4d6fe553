/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a machine printed on its console since a mark: bounded, sanitised. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "config/target.h"
#include "util/err.h"
#include "util/macro.h"

#define TP_CONSOLE_MAX 262144 /* the last bytes that are kept */

/* Where the console's record ends now. -1: there is none. */
int64_t tp_console_mark(const struct tp_target_config *config);

/*
 * The record since @mark, its last TP_CONSOLE_MAX bytes; NULL when there is none. @mark < 0: from
 * the boot on that mentions @token (malloc()ed).
 */
char *tp_console_since(const struct tp_target_config *config, int64_t mark, const char *token);

/*
 * The line of @console that says why a kernel died: true; or its last line ("" for none): false.
 * @console may be NULL.
 */
bool tp_console_last_words(const char *console, char *ret, size_t size);

/* Can the console be read? */
TP_MUST_CHECK int tp_console_check(const struct tp_target_config *config, struct tp_err *reterr);
