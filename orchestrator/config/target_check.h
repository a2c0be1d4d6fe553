/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a schema cannot say about a target: defaults, limits, which keys go with which kind. */
#pragma once

#include "config/document.h"
#include "config/target.h"

/* Fill in the defaults, then refuse what cannot work, at its place in @doc. */
TP_MUST_CHECK int tp_target_check(struct tp_doc *doc, struct tp_target_config *config,
				  struct tp_err *reterr);
