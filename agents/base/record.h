/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records that both ends agree on: the first line of an answer names the protocol's
 * version, the last is an end record. The reference is docs/agent-protocol.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/jsonw.h"
#include "util/str.h"

#define TP_AGENT_PROTOCOL 1

/* Open a record of @kind on @out; @first adds the protocol version in front. */
struct tp_jsonw tp_record_begin(struct tp_str *out, const char *kind, bool first);

/* Close the record and its line. */
void tp_record_end(struct tp_jsonw *w);

/* The last record of an answer. @reason NULL means ok; @records < 0 leaves the count out. */
void tp_record_final(struct tp_str *out, const char *reason, int64_t records);

/* Write @out to standard output and empty it. Returns 0 or -errno. */
TP_MUST_CHECK int tp_record_print(struct tp_str *out);
