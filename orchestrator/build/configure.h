/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: the pristine seed and the fragments become this source's .config. */
#pragma once

#include "build/state.h"

/*
 * Write seed + fragments to the object tree, let olddefconfig complete it, check what became of
 * the fragments. A leftover .config has no influence; an equal one keeps its time stamp, so that
 * nothing is compiled again. Fills the facts about the configuration and @ret. Returns as
 * tp_make_run(); -EINVAL when the normalising fragment is overruled by the source or the seed.
 */
TP_MUST_CHECK int tp_configure(struct tp_build *b, struct tp_kconfig *ret, struct tp_err *reterr);

/* Hash the .config again: a build that changes its own configuration is refused. */
TP_MUST_CHECK int tp_configure_verify(struct tp_build *b, struct tp_err *reterr);
