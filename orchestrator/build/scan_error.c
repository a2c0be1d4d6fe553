/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which line of a build's output names the cause of a failure; see scan.h. */
#include "build/scan.h"

#include <ctype.h>
#include <string.h>

#include "util/macro.h"
#include "util/str.h"

static bool is_linker_remark(const char *line)
{
	return strstr(line, "warning:") || strstr(line, "in function `") ||
	       strstr(line, "In function `") || strstr(line, "NOTE:");
}

/* "ld: fs/inode.o: ..." or "/usr/bin/ld: ..." */
static bool is_linker_error(const char *line)
{
	const char *at = strstr(line, "ld: ");

	return at && (at == line || at[-1] == '/' || at[-1] == '-' || at[-1] == '.') &&
	       !is_linker_remark(line);
}

/* "fs/Kconfig:12: syntax error": a file named Kconfig*, a line number, no warning. */
static bool is_kconfig_error(const char *line)
{
	const char *at = strstr(line, "Kconfig");
	const char *colon;

	if (!at || strstr(line, "warning:"))
		return false;
	colon = strchr(at, ':');
	if (!colon || memchr(at, ' ', (size_t)(colon - at)))
		return false;
	return isdigit((unsigned char)colon[1]) && strchr(colon + 1, ':');
}

bool tp_scan_is_error(const char *line)
{
	static const char *const words[] = {
	    ": error: ",
	    ":error: ",
	    ": fatal error: ",
	    ": Error: ",
	    "undefined reference to ",
	    "multiple definition of ",
	    "internal compiler error",
	    "ERROR: modpost: ",
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(words); i++) {
		if (strstr(line, words[i]))
			return true;
	}
	return tp_str_starts(line, "ERROR: ") || is_linker_error(line) || is_kconfig_error(line);
}
