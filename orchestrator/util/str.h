/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growable string, and the small string helpers that libc lacks.
 *
 * After an allocation failed the string is "broken": appends do nothing and tp_str_take()
 * returns NULL, so a chain of appends needs one check at its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "util/macro.h"

struct tp_str {
	char *data; /* NUL-terminated once anything was appended; NULL before */
	size_t len;
	size_t cap;
	bool broken;
};

void tp_str_deinit(struct tp_str *s);
void tp_str_reset(struct tp_str *s); /* empty, memory kept */
void tp_str_append(struct tp_str *s, const char *text);
void tp_str_append_n(struct tp_str *s, const void *bytes, size_t n);
void tp_str_printf(struct tp_str *s, const char *fmt, ...) TP_PRINTF(2, 3);

/* The text so far, "" when nothing was appended; owned by @s. */
const char *tp_str_text(const struct tp_str *s);

/* Hand the buffer over (free() it); NULL when broken. An empty string yields "". */
char *tp_str_take(struct tp_str *s);

/* printf into a new string; NULL when out of memory. */
char *tp_strf(const char *fmt, ...) TP_PRINTF(1, 2);

/* Append @arg quoted for a POSIX shell: the far side of an SSH exec is one. */
void tp_str_append_quoted(struct tp_str *s, const char *arg);

bool tp_str_starts(const char *text, const char *prefix);
bool tp_str_ends(const char *text, const char *suffix);

/* Remove trailing white space in place; returns @text. */
char *tp_str_chomp(char *text);

/* Replace control bytes and invalid UTF-8 by '?', in place: hostile output on a terminal. */
void tp_str_sanitize(char *text);

/* Parse a whole decimal integer within [min, max]. Returns 0 or -EINVAL / -ERANGE. */
TP_MUST_CHECK int tp_parse_i64(const char *text, long long min, long long max, long long *ret);

/* free() through a cleanup attribute, for any pointer type. */
static inline void tp_freep(void *p)
{
	extern void free(void *);
	free(*(void **)p);
	*(void **)p = NULL;
}
