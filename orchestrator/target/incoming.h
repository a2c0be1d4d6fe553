/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file on its way here from a target: bounded, under a temporary name until it is whole. */
#pragma once

#include <stdint.h>
#include <stddef.h>
#include "util/err.h"

struct tp_incoming {
	int fd; /* -1 when not open */
	char *temp;
	const char *path; /* borrowed */
	int64_t max_bytes, got;
};

TP_MUST_CHECK int tp_incoming_open(struct tp_incoming *ret, const char *path, int64_t max_bytes,
				   struct tp_err *reterr);
/* -EFBIG when more than max_bytes came. */
TP_MUST_CHECK int tp_incoming_write(struct tp_incoming *in, const void *data, size_t len,
				    struct tp_err *reterr);
/* Make it appear under its name, durably. */
TP_MUST_CHECK int tp_incoming_commit(struct tp_incoming *in, struct tp_err *reterr);
/* Remove what was not committed. */
void tp_incoming_deinit(struct tp_incoming *in);
