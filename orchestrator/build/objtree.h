/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside build/: the object tree that is kept between builds, and when not to trust it.
 *
 * WORK/building exists while make runs. A build that was killed may leave a half-written object
 * that is newer than its source, which make would take for finished: everything that is as new
 * as that mark is removed before the next build.
 */
#pragma once

#include "build/state.h"

/* Repair what a killed build left behind; once, before the first attempt. */
TP_MUST_CHECK int tp_objtree_mend(struct tp_build *b, struct tp_err *reterr);

/* Set the mark, make the folder when it is not there; facts.incremental tells whether anything was
 * there. */
TP_MUST_CHECK int tp_objtree_begin(struct tp_build *b, struct tp_err *reterr);

/* make ended by itself: its files are whole. */
void tp_objtree_end(struct tp_build *b);

/* Put the tree aside and begin with an empty one; then either bring it back or drop it. */
TP_MUST_CHECK int tp_objtree_set_aside(struct tp_build *b, struct tp_err *reterr);
TP_MUST_CHECK int tp_objtree_bring_back(struct tp_build *b, struct tp_err *reterr);
TP_MUST_CHECK int tp_objtree_drop_aside(struct tp_build *b, struct tp_err *reterr);

/* About how many objects will be compiled for this configuration; 0 when nobody can know. */
int tp_objtree_expect(const struct tp_build *b, const struct tp_kconfig *config);

/* Remember how many there were, after a build from nothing. */
void tp_objtree_remember(const struct tp_build *b);
