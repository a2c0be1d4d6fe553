/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A build's output, line by line; see scan.h. */
#include "build/scan.h"

#include <stdio.h>
#include <string.h>

#include "util/macro.h"
#include "util/str.h"

/* What a kernel build calls or includes on the host, and the Debian package that has it. */
static const struct host_need {
	const char *name, *package;
} programs[] = {
    {"bc", "bc"},	   {"flex", "flex"},	   {"bison", "bison"},
    {"perl", "perl"},	   {"python3", "python3"}, {"cpio", "cpio"},
    {"rsync", "rsync"},	   {"tar", "tar"},	   {"xz", "xz-utils"},
    {"lz4", "lz4"},	   {"lz4c", "lz4"},	   {"lzop", "lzop"},
    {"lzma", "xz-utils"},  {"zstd", "zstd"},	   {"bzip2", "bzip2"},
    {"gzip", "gzip"},	   {"openssl", "openssl"}, {"depmod", "kmod"},
    {"pahole", "dwarves"}, {"gawk", "gawk"},	   {"awk", "mawk"},
    {"m4", "m4"},	   {"xxd", "xxd"},	   {"pkg-config", "pkg-config"},
    {"gcc", "gcc"},	   {"as", "binutils"},	   {"ld", "binutils"},
    {"nm", "binutils"},	   {"ar", "binutils"},	   {"objcopy", "binutils"},
    {"strip", "binutils"}, {"ccache", "ccache"},   {"file", "file"},
};

static const struct host_need headers[] = {
    {"gelf.h", "libelf-dev"},  {"libelf.h", "libelf-dev"},   {"openssl/", "libssl-dev"},
    {"zlib.h", "zlib1g-dev"},  {"gmp.h", "libgmp-dev"},	     {"stdio.h", "libc6-dev"},
    {"stdlib.h", "libc6-dev"}, {"sys/types.h", "libc6-dev"},
};

/* "  CC [M]  fs/fat/inode.o": the object, NULL when the line reports no compilation. */
static const char *compiled_object(const char *line)
{
	static const char *const verbs[] = {"CC", "AS", "HOSTCC"};

	if (!tp_str_starts(line, "  "))
		return NULL;
	line += 2;
	for (size_t i = 0; i < TP_ARRAY_SIZE(verbs); i++) {
		size_t n = strlen(verbs[i]);

		if (strncmp(line, verbs[i], n) || line[n] != ' ')
			continue;
		line += n + strspn(line + n, " ");
		if (tp_str_starts(line, "[M]") || tp_str_starts(line, "[U]"))
			line += 3;
		line += strspn(line, " ");
		return *line ? line : NULL;
	}
	return NULL;
}

/* Folders of ours say nothing to a person: fs/inode.c, not /.../work/src/fs/inode.c. */
static void copy_line(const struct tp_build_scan *scan, const char *line,
		      char ret[static TP_SCAN_LINE])
{
	const char *prefixes[] = {scan->source_prefix, scan->object_prefix};
	size_t n = 0;

	while (*line && n < TP_SCAN_LINE - 1) {
		size_t skip = 0;

		for (size_t i = 0; skip == 0 && i < TP_ARRAY_SIZE(prefixes); i++) {
			if (prefixes[i] && tp_str_starts(line, prefixes[i]))
				skip = strlen(prefixes[i]);
		}
		if (skip)
			line += skip;
		else
			ret[n++] = *line++;
	}
	ret[n] = '\0';
	tp_str_sanitize(ret);
}

static bool has_any(const char *line, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strstr(line, words[i]))
			return true;
	}
	return false;
}

/* "sh: 1: bc: not found", "bash: line 1: bc: command not found", "make: bc: No such file ..." */
static const struct host_need *missing_program(const char *line)
{
	static const char *const endings[] = {": not found", ": command not found"};
	bool from_make =
	    tp_str_starts(line, "make") && tp_str_ends(line, ": No such file or directory");
	size_t end = 0;

	for (size_t i = 0; i < TP_ARRAY_SIZE(endings); i++) {
		if (tp_str_ends(line, endings[i]))
			end = strlen(line) - strlen(endings[i]);
	}
	if (from_make)
		end = strlen(line) - strlen(": No such file or directory");
	for (size_t i = 0; end && i < TP_ARRAY_SIZE(programs); i++) {
		size_t n = strlen(programs[i].name);

		if (end >= n + 2 && !memcmp(line + end - n, programs[i].name, n) &&
		    !memcmp(line + end - n - 2, ": ", 2))
			return &programs[i];
	}
	return NULL;
}

static const struct host_need *missing_header(const char *line)
{
	static const char error[] = ": fatal error: ";
	const char *name = strstr(line, error);

	if (!name || !tp_str_ends(line, ": No such file or directory"))
		return NULL;
	name += strlen(error);
	for (size_t i = 0; i < TP_ARRAY_SIZE(headers); i++) {
		if (tp_str_starts(name, headers[i].name))
			return &headers[i];
	}
	return NULL;
}

static enum tp_build_fault find_fault(struct tp_build_scan *scan, const char *line)
{
	static const char *const space[] = {"No space left on device", "Disk quota exceeded"};
	static const char *const memory[] = {"virtual memory exhausted", "Cannot allocate memory",
					     "memory exhausted", "out of memory allocating"};
	static const char *const killed[] = {"Killed signal terminated program",
					     "Terminated signal terminated program",
					     "internal compiler error: Killed",
					     "] Killed",
					     "] Terminated",
					     "] Error 137"};
	const struct host_need *need = missing_program(line);

	if (!need)
		need = missing_header(line);
	if (need) {
		scan->missing = need->name;
		scan->missing_pkg = need->package;
		return TP_FAULT_MISSING_TOOL;
	}
	if (has_any(line, space, TP_ARRAY_SIZE(space)))
		return TP_FAULT_NO_SPACE;
	if (has_any(line, memory, TP_ARRAY_SIZE(memory)))
		return TP_FAULT_NO_MEMORY;
	if (has_any(line, killed, TP_ARRAY_SIZE(killed)))
		return TP_FAULT_KILLED;
	return TP_FAULT_SOURCE;
}

bool tp_scan_line(struct tp_build_scan *scan, const char *line)
{
	const char *object = compiled_object(line);

	if (object) {
		char text[TP_SCAN_LINE];

		scan->compiled++;
		copy_line(scan, object, text);
		snprintf(scan->what, sizeof(scan->what), "%.*s", (int)sizeof(scan->what) - 1, text);
		return true;
	}
	copy_line(scan, line, scan->last);
	if (scan->fault == TP_FAULT_SOURCE) {
		scan->fault = find_fault(scan, line);
		if (scan->fault != TP_FAULT_SOURCE)
			memcpy(scan->fault_line, scan->last, sizeof(scan->last));
	}
	if (!scan->error[0] && tp_scan_is_error(line))
		memcpy(scan->error, scan->last, sizeof(scan->last));
	if (!scan->stop[0] && strstr(line, "*** "))
		memcpy(scan->stop, scan->last, sizeof(scan->last));
	return false;
}

const char *tp_scan_first_error(const struct tp_build_scan *scan)
{
	if (scan->error[0])
		return scan->error;
	return scan->stop[0] ? scan->stop : scan->last;
}
