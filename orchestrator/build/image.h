/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside build/: what a finished vmlinux is: hash, build-id, and the hash of what it would be
 * without the two things that differ between kernels of equal code: release and build-id.
 */
#pragma once

#include "util/err.h"
#include "util/hash.h"

struct tp_image_hashes {
	char build_id[65];
	char sha256[TP_SHA256_HEX];
	char canonical[TP_SHA256_HEX];
};

/*
 * One pass over @vmlinux in bounded memory. Every occurrence of @tag (the part of the release
 * that is the kernel's own) and of the raw build-id is read as zeros for the canonical hash.
 */
TP_MUST_CHECK int tp_image_hash(const char *vmlinux, const char *tag, struct tp_image_hashes *ret,
				struct tp_err *reterr);
