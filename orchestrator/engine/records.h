/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent's records: JSON lines, version first, end marker last; hostile input.
 *
 * Read line by line, in bounded memory, whatever the number of rounds.
 */
#pragma once

#include <stddef.h>
#include "store/store.h"
#include "util/err.h"

struct tp_records_summary {
	char boot_id[40];
	char release[65];
	char build_id[65];
	char run_id[40];
	char *env_before_json;
	char *env_after_json;
	int n_rounds; /* round records */
};
void tp_records_summary_deinit(struct tp_records_summary *summary);

/* Called for each round record in file order; a non-zero return ends the reading with it. */
typedef int (*tp_records_round_fn)(const struct tp_round_row *round, void *data,
				   struct tp_err *reterr);

/*
 * Read @path. Refused in one sentence with the line: no version, unknown version, no end
 * marker, bad JSON, a line over 1 MiB, a missing field, ops <= 0 or elapsed_ns <= 0.
 */
TP_MUST_CHECK int tp_records_read(const char *path, tp_records_round_fn fn, void *data,
				  struct tp_records_summary *ret, struct tp_err *reterr);
