/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First pass over hostile YAML: event by event in constant memory, before a tree is built. */
#pragma once

#include "config/document.h"

/* Does @doc->text keep to the limits of document.h? -EINVAL with the position where it does not. */
TP_MUST_CHECK int tp_doc_scan(const struct tp_doc *doc, struct tp_err *reterr);
