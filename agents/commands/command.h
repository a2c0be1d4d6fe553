/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of the agent, one file each. A command prints records on standard output; the
 * caller adds the end record and tells a failure on stderr.
 */
#pragma once

#include "util/err.h"
#include "util/str.h"

#define TP_COMMAND_E_USAGE 1

struct tp_command {
	const char *name;
	const char *usage; /* what stands behind the name */
	/*
	 * @argv begins behind the command's name. Records may be left in @out. Returns 0,
	 * TP_COMMAND_E_USAGE or -errno, with @reterr.
	 */
	int (*run)(int argc, char *const *argv, struct tp_str *out, struct tp_err *reterr);
};

extern const struct tp_command tp_command_version;
extern const struct tp_command tp_command_facts;
extern const struct tp_command tp_command_run;
extern const struct tp_command tp_command_status;
extern const struct tp_command tp_command_stop;
extern const struct tp_command tp_command_list;
