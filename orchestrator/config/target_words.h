/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of a target's description: which characters, which forms. */
#pragma once

#include "config/document.h"
#include "config/target.h"

TP_MUST_CHECK int tp_target_check_words(struct tp_doc *doc, const struct tp_target_config *config,
					struct tp_err *reterr);
