/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: make, in an environment made from nothing, with its output scanned and kept. */
#pragma once

#include "build/state.h"

enum {
	TP_MAKE_E_SOURCE = 1, /* the source does not build: b->scan knows the first error */
};

/*
 * Run make on @targets (targets and NAME=VALUE words, NULL-ended, at most 8) in the source and
 * object folder of @b. Returns 0, TP_MAKE_E_SOURCE, or -errno with @reterr when this machine
 * failed: disk full, killed, no memory, a host tool missing, deadline.
 */
TP_MUST_CHECK int tp_make_run(struct tp_build *b, const char *const *targets,
			      struct tp_err *reterr);
