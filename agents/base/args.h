/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line flags: `--name value` and `--name=value`, described by const tables.
 *
 * A command (and a workload) owns a table of options and an array of values that runs
 * parallel to it; an enum of the owner indexes both. Unknown, repeated, missing and
 * malformed flags are usage errors with a sentence.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "util/err.h"
#include "util/macro.h"

enum tp_option_kind {
	TP_OPTION_TEXT,
	TP_OPTION_NUMBER,
	TP_OPTION_YESNO, /* "yes" or "no"; number is 1 or 0 */
	TP_OPTION_FLAG,	 /* takes no value; number is 1 when given */
	_TP_OPTION_MAX,
};

struct tp_option {
	const char *name; /* without the dashes */
	enum tp_option_kind kind;
	bool required;
	const char *fallback; /* what stands in when it is not given; NULL for nothing */
	long long min, max;   /* of a TP_OPTION_NUMBER */
	const char *help;
};

struct tp_value {
	const char *text; /* points into argv or to the fallback; NULL when neither is there */
	long long number; /* kinds other than TP_OPTION_TEXT */
	bool given;
};

struct tp_option_set {
	const struct tp_option *options;
	size_t count;
	struct tp_value *values; /* @count of them, filled by tp_args_parse() */
};

/* "text", "number", "yesno" or "flag". */
const char *tp_option_kind_name(enum tp_option_kind kind);

/*
 * Parse @argc arguments against all @n_sets sets. Values keep pointing into @argv.
 * Returns 0, or -EINVAL with @reterr: the command line is wrong and nothing was done.
 */
TP_MUST_CHECK int tp_args_parse(int argc, char *const *argv, const struct tp_option_set *sets,
				size_t n_sets, struct tp_err *reterr);
