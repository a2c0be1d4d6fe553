/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes to a description's text that leave everything else in it as it was. */
#pragma once

#include "config/document.h"
#include "config/target.h"

/*
 * Make the paths of @config absolute, below @folder; with @folder NULL a relative one is
 * refused. @ret_text, unless NULL, gets @doc's text with the same paths (free()).
 */
TP_MUST_CHECK int tp_target_resolve(struct tp_doc *doc, const char *folder,
				    struct tp_target_config *config, char **ret_text,
				    struct tp_err *reterr);
