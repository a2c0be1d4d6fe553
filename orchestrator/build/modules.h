/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: loadable modules, packed for a target. */
#pragma once

#include "build/state.h"

/*
 * Install the built modules into a folder of our own, stripped, and pack them as @tar with fixed
 * names, times and owners: equal modules give equal bytes. Returns as tp_make_run().
 */
TP_MUST_CHECK int tp_modules_pack(struct tp_build *b, const char *tar, struct tp_err *reterr);
