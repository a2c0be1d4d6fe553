/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Consoles; see console.h. The one kind is a file that somebody else appends to. */
#include "target/console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

static const char *file_path(const struct tp_target_config *config)
{
	return config->console.kind && strcmp(config->console.kind, "file") == 0
		   ? config->console.path
		   : NULL;
}

int64_t tp_console_mark(const struct tp_target_config *config)
{
	const char *path = file_path(config);
	struct stat st;

	return path && stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

/* A file that shrank was begun anew. */
static off_t start_offset(int fd, int64_t mark)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return 0;
	if (mark < 0 || mark > st.st_size)
		mark = 0;
	return st.st_size - mark > TP_CONSOLE_MAX ? st.st_size - TP_CONSOLE_MAX : (off_t)mark;
}

static char *read_from(int fd, off_t offset)
{
	char *text = malloc(TP_CONSOLE_MAX + 1);
	size_t len = 0;
	ssize_t n;

	if (!text)
		return NULL;
	while (len < TP_CONSOLE_MAX &&
	       (n = pread(fd, text + len, TP_CONSOLE_MAX - len, offset + (off_t)len)) > 0)
		len += (size_t)n;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\0')
			text[i] = '?';
	}
	text[len] = '\0';
	return text;
}

static void drop_returns(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\r')
			*to++ = *from;
	}
	*to = '\0';
}

/* Cut to the boot whose command line carries @token; everything when it is not there. */
static void cut_to_boot(char *text, const char *token)
{
	char *at = token ? strstr(text, token) : NULL;
	char *banner = NULL;

	if (!at)
		return;
	for (char *p = text; (p = strstr(p, "Linux version ")) && p < at; p++)
		banner = p;
	while (banner && banner > text && banner[-1] != '\n')
		banner--;
	if (banner)
		memmove(text, banner, strlen(banner) + 1);
}

char *tp_console_since(const struct tp_target_config *config, int64_t mark, const char *token)
{
	const char *path = file_path(config);
	_cleanup_(tp_fd_closep) int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	char *text = fd >= 0 ? read_from(fd, start_offset(fd, mark)) : NULL;

	if (!text)
		return NULL;
	drop_returns(text);
	tp_str_sanitize(text);
	if (mark < 0)
		cut_to_boot(text, token);
	return text;
}

static void copy_line(const char *line, char *ret, size_t size)
{
	snprintf(ret, size, "%.*s", (int)strcspn(line, "\n"), line);
}

bool tp_console_last_words(const char *console, char *ret, size_t size)
{
	static const char *const marks[] = {"Kernel panic - not syncing", "BUG: ", "Oops: "};
	const char *line = console, *last = "";

	ret[0] = '\0';
	if (!console)
		return false;
	for (size_t i = 0; i < TP_ARRAY_SIZE(marks); i++) {
		const char *at = strstr(console, marks[i]);

		if (at) {
			copy_line(at, ret, size);
			return true;
		}
	}
	while (*line) {
		if (line[strspn(line, " \t\n")] && *line != '\n')
			last = line;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	copy_line(last, ret, size);
	return false;
}

int tp_console_check(const struct tp_target_config *config, struct tp_err *reterr)
{
	const char *path = file_path(config);

	if (!path || access(path, R_OK) == 0)
		return 0;
	return tp_err_set(reterr, -errno, config->name, "the console's file %s cannot be read: %s",
			  path, strerror(errno));
}
