/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors that a person will read: a code for the program, an origin, one sentence.
 *
 * A function returns 0, a negative errno, or a positive TP_<MODULE>_E_* that its direct
 * caller handles. Where a person reads the failure, the last parameter is a struct tp_err.
 * Outcomes of the world (does not build, does not boot, slower) are not errors.
 */
#pragma once

#include <stdarg.h>
#include "util/macro.h"

struct tp_err {
	int code;	 /* what the failing function returned; 0 while nothing failed */
	char origin[64]; /* "target lab", "protocol.yaml:7", "commit 1234abcd" ... may be empty */
	char text[1024]; /* one sentence: what is wrong and what to do */
};

/*
 * Fill @err (NULL is allowed) and return @code, so that `return tp_err_set(...)` reads well.
 * @origin may be NULL. A code of 0 is turned into -EINVAL: an error always has a code.
 */
int tp_err_set(struct tp_err *err, int code, const char *origin, const char *fmt, ...)
    TP_PRINTF(4, 5);

/*
 * Prepend "what: " to the sentence of @err, keeping code and origin. Returns the code; a caller
 * that may hold NULL keeps the code itself, because -EINVAL is all that NULL can give back.
 */
int tp_err_prefix(struct tp_err *err, const char *fmt, ...) TP_PRINTF(2, 3);

/*
 * @r for a caller that handles no positive TP_<MODULE>_E_*: those become -EIO, here and in @err
 * (NULL is allowed); its sentence stays.
 */
int tp_err_as_errno(int r, struct tp_err *err);

/* Set the sentence for an allocation that failed. Returns -ENOMEM. */
int tp_err_oom(struct tp_err *err);
