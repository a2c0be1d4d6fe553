/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result file: FILE.part while it grows, FILE once it is whole and on the disk.
 *
 * It only ever holds whole records: a write that fails half-way is taken back.
 */
#pragma once

#include <stdint.h>
#include "util/err.h"
#include "util/macro.h"
#include "util/str.h"

struct tp_result;

/*
 * Create PATH.part, exclusively: neither it nor @path may be there. Returns 0, -EEXIST, or
 * another -errno, with @reterr.
 */
TP_MUST_CHECK int tp_result_create(const char *path, struct tp_result **ret, struct tp_err *reterr);

/* Append the whole records in @text and empty it. Returns 0 or -errno with @reterr. */
TP_MUST_CHECK int tp_result_append(struct tp_result *result, struct tp_str *text,
				   struct tp_err *reterr);

/* How many records were appended. */
int64_t tp_result_records(const struct tp_result *result);

/*
 * Append the end record in @end, for which there is room even when an append said -ENOSPC; fsync,
 * rename to the final name (never over a file), fsync the folder. Returns 0 or -errno.
 */
TP_MUST_CHECK int tp_result_commit(struct tp_result *result, struct tp_str *end,
				   struct tp_err *reterr);

/* Closes; a file that was not committed stays as PATH.part. Takes NULL, returns NULL. */
struct tp_result *tp_result_free(struct tp_result *result);
TP_DEFINE_CLEANUP(struct tp_result, tp_result_free)
