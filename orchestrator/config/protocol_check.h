/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a schema cannot say about a protocol: defaults, and limits with their place in the file. */
#pragma once

#include "config/document.h"
#include "core/protocol.h"

/* Fill in the defaults, then refuse what core would refuse, at its place in @doc. */
TP_MUST_CHECK int tp_protocol_check(struct tp_doc *doc, struct tp_protocol *protocol,
				    struct tp_err *reterr);
