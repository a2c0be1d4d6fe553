/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside build/: reading a build's output line by line: how far it is, and why it failed.
 *
 * The output is hostile and long; what is kept is bounded. The question that matters: does the
 * source not build, or did this machine fail it?
 */
#pragma once

#include <stdbool.h>

#define TP_SCAN_LINE 512

/* Why a build stopped. Everything but TP_FAULT_SOURCE is ours. */
enum tp_build_fault {
	TP_FAULT_SOURCE,
	TP_FAULT_NO_SPACE,
	TP_FAULT_NO_MEMORY,
	TP_FAULT_KILLED,
	TP_FAULT_MISSING_TOOL,
	_TP_BUILD_FAULT_MAX,
};

struct tp_build_scan {
	const char *source_prefix; /* "WORK/src/": cut off in front of file names; borrowed */
	const char *object_prefix;
	int compiled;
	char what[128];		  /* the object that was started last */
	char error[TP_SCAN_LINE]; /* first line that names a cause; "" for none */
	char stop[TP_SCAN_LINE];  /* first "make: ***" line */
	char last[TP_SCAN_LINE];
	enum tp_build_fault fault; /* the first one that is ours, else TP_FAULT_SOURCE */
	char fault_line[TP_SCAN_LINE];
	const char *missing; /* TP_FAULT_MISSING_TOOL: what, and in which Debian package */
	const char *missing_pkg;
};

/* Feed one line. Returns true when it reported a compilation. */
bool tp_scan_line(struct tp_build_scan *scan, const char *line);

/* The first error as one sentence; "" when nothing was seen. Owned by @scan. */
const char *tp_scan_first_error(const struct tp_build_scan *scan);

/* Inside the scanner: does @line name the cause of a failure? */
bool tp_scan_is_error(const char *line);
