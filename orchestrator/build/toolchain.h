/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside build/: which tools a build will use, told apart by the bytes of their real programs.
 *
 * Found and hashed once per process and PATH. A wrapper (ccache, distcc) is looked through.
 */
#pragma once

#include <stdbool.h>

#include "util/err.h"
#include "util/hash.h"

#define TP_TOOLS_MAX 12

struct tp_tool {
	const char *name;
	char *path; /* as it will be called */
	char *version;
	char sha256[TP_SHA256_HEX];
	bool in_key; /* it decides what comes out; ccache does not */
};

struct tp_toolchain {
	char *search_path; /* the PATH that this was found with */
	struct tp_tool tools[TP_TOOLS_MAX];
	int n;
};

/* @ret is owned by this module and lives on. A missing tool is named with its package. */
TP_MUST_CHECK int tp_toolchain_get(const struct tp_toolchain **ret, struct tp_err *reterr);

/* NULL when the tool is not there (only optional ones can be missing). */
const struct tp_tool *tp_toolchain_find(const struct tp_toolchain *tc, const char *name);

/* [{tool, path, version, sha256}]; malloc()ed, NULL when out of memory. */
char *tp_toolchain_json(const struct tp_toolchain *tc);
