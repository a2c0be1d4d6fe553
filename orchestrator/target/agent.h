/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the agent says: JSON lines as docs/agent-protocol.md describes them. Pure but for
 * tp_agent_read_end(); hostile input: bounded, sanitised, never trusted to be there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "util/err.h"

/* The answer to `run --detach`. */
struct tp_agent_start {
	bool started, warmed, ended; /* which records came */
	bool ok;		     /* the end record's status */
	int64_t warmup_ms; /* how long all warm-up rounds took there; -1: it did not say */
	char reason[256];
};
void tp_agent_parse_start(const char *output, struct tp_agent_start *ret);

/* The answer to `status`. */
struct tp_agent_state {
	bool known; /* there is such a run */
	bool alive;
	int64_t round; /* rounds done, 0 when it does not say */
	char phase[16];
	char boot_id[40]; /* of the boot in which it was started */
	char reason[256];
};
void tp_agent_parse_state(const char *output, struct tp_agent_state *ret);

/* The facts object of the answer to `facts`, as compact text. -EBADMSG. */
TP_MUST_CHECK int tp_agent_facts(const char *output, char **ret_json, struct tp_err *reterr);

/*
 * The end record of a result file: @ret_ok and, when it is false, @ret_reason. -EBADMSG when
 * the last line is none.
 */
TP_MUST_CHECK int tp_agent_read_end(const char *path, bool *ret_ok, char *ret_reason, size_t size,
				    struct tp_err *reterr);
