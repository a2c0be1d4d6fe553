/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol file: YAML -> struct tp_protocol, with the SHA-256 of its exact bytes. */
#pragma once

#include "core/protocol.h"
#include "util/err.h"
#include "util/hash.h"

/*
 * Read a protocol by name (@data_dir/protocols/NAME.yaml) or by path (contains '/' or ends in
 * .yaml). @ret_text is the file's text (free()), @ret_sha256 its hash. The plan is validated.
 * Errors name file, line and column.
 */
TP_MUST_CHECK int tp_protocol_load(const char *name_or_path, const char *data_dir,
				   struct tp_protocol *ret, char **ret_text,
				   char ret_sha256[static TP_SHA256_HEX], struct tp_err *reterr);
TP_MUST_CHECK int tp_protocol_parse(const char *text, const char *origin, struct tp_protocol *ret,
				    struct tp_err *reterr);
