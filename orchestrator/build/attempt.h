/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: one attempt at building what the source folder holds. */
#pragma once

#include "build/state.h"

/*
 * Configure, make, check what came out, collect the facts. Works on the object tree as it is.
 * Returns as tp_make_run(). The folder's source is ready, the lock is held.
 */
TP_MUST_CHECK int tp_attempt_run(struct tp_build *b, struct tp_err *reterr);

/* Paths of what a build leaves in the object tree, malloc()ed; NULL when out of memory. */
char *tp_attempt_image(const struct tp_build *b);
char *tp_attempt_file(const struct tp_build *b, const char *name);
