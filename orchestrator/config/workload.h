/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workload of a protocol: free parameters become "--key" "value" pairs for the agent. */
#pragma once

#include "config/document.h"
#include "core/protocol.h"

/*
 * Read the mapping at `workload` of @doc into @ret (parts owned by the caller, also after a
 * failure). Keys and values are held to characters that need no quoting anywhere; a list
 * becomes one value with commas. n_params counts texts: twice the pairs.
 */
TP_MUST_CHECK int tp_workload_read(struct tp_doc *doc, struct tp_workload *ret,
				   struct tp_err *reterr);
