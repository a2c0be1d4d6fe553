/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things are: the state folder (database, kernels, logs) and the program's own data
 * (kconfigs, protocols, agent). A program that runs from its build tree finds the source tree's.
 */
#pragma once

#include "util/err.h"

struct tp_paths {
	char *
	    state; /* --state, $TRIPTYCH_STATE, $XDG_STATE_HOME/triptych, ~/.local/state/triptych */
	char *database; /* STATE/triptych.db */
	char *kernels;	/* STATE/kernels: artefact cache */
	char *work;	/* STATE/work: source and object trees */
	char *logs;	/* STATE/logs: consoles and raw agent records, by boot */
	char *lab;	/* STATE/lab: the demo's history and virtual machine */
	char *data;	/* holds kconfigs/ and protocols/ */
	char *scripts;	/* holds lab/make-vm and lab/make-history */
	char *agent;	/* the agent's program file */
};

/* @state and @data may be NULL (defaults). Makes the state folder (0750) and those below it. */
TP_MUST_CHECK int tp_paths_init(struct tp_paths *ret, const char *state, const char *data,
				struct tp_err *reterr);
void tp_paths_deinit(struct tp_paths *paths);

/* Path of a kconfig fragment by name ("normalise") or path; malloc()ed. */
TP_MUST_CHECK int tp_paths_kconfig(const struct tp_paths *paths, const char *name, char **ret,
				   struct tp_err *reterr);
