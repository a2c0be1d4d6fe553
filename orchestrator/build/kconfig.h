/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside build/: a kernel configuration as a sorted list of symbols.
 *
 * Canonical form: one line a symbol, sorted, without comments and without CONFIG_LOCALVERSION;
 * "is not set" and "absent" stay different, because a new symbol is news.
 */
#pragma once

#include <stddef.h>

#include "util/err.h"
#include "util/hash.h"

struct tp_kconfig_item {
	const char *name;  /* "CONFIG_X" */
	const char *value; /* NULL: "is not set" */
};

struct tp_kconfig {
	char *text; /* the file, cut into pieces */
	struct tp_kconfig_item *items;
	size_t n;
};

/* Parse a copy of @text; of several lines for one symbol the last counts. */
TP_MUST_CHECK int tp_kconfig_parse(const char *text, struct tp_kconfig *ret, struct tp_err *reterr);
TP_MUST_CHECK int tp_kconfig_read(const char *path, struct tp_kconfig *ret, struct tp_err *reterr);
void tp_kconfig_deinit(struct tp_kconfig *config);

/* NULL when the symbol is absent. */
const struct tp_kconfig_item *tp_kconfig_find(const struct tp_kconfig *config, const char *name);

/* How @item reads in tables: y, m, a number, a quoted string, "not set"; NULL is "absent". */
const char *tp_kconfig_value(const struct tp_kconfig_item *item);

/* Hash of the canonical form. */
TP_MUST_CHECK int tp_kconfig_sha256(const struct tp_kconfig *config, char ret[static TP_SHA256_HEX],
				    struct tp_err *reterr);
