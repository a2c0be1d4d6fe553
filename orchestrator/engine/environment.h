/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts that must be equal at every boot of a sequence: microcode, clock source, command line
 * apart from the token, hardware fingerprint ... Which keys those are is written in
 * docs/agent-protocol.md.
 */
#pragma once

#include "util/err.h"

/*
 * Compare two facts objects (JSON text, either may be NULL: unknown, equal to anything).
 * @ret: "" when they agree, else one line per difference, "cpu.microcode: 0x1 -> 0x2". free().
 */
TP_MUST_CHECK int tp_environment_diff(const char *facts_a, const char *facts_b, char **ret,
				      struct tp_err *reterr);
