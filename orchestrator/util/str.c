/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growable string and small string helpers; see str.h. */
#include "util/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tp_str_deinit(struct tp_str *s)
{
	free(s->data);
	*s = (struct tp_str){};
}

void tp_str_reset(struct tp_str *s)
{
	s->len = 0;
	s->broken = false;
	if (s->data)
		s->data[0] = '\0';
}

static bool reserve(struct tp_str *s, size_t more)
{
	size_t cap = s->cap ? s->cap : 64;
	size_t want;
	char *data;

	if (s->broken)
		return false;
	if (more > SIZE_MAX / 2 - 1 - s->len) {
		s->broken = true;
		return false;
	}
	want = s->len + more + 1;
	if (want <= s->cap)
		return true;
	while (cap < want)
		cap *= 2;
	data = realloc(s->data, cap);
	if (!data) {
		s->broken = true;
		return false;
	}
	s->data = data;
	s->cap = cap;
	return true;
}

void tp_str_append_n(struct tp_str *s, const void *bytes, size_t n)
{
	if (!reserve(s, n))
		return;
	if (n > 0)
		memcpy(s->data + s->len, bytes, n);
	s->len += n;
	s->data[s->len] = '\0';
}

void tp_str_append(struct tp_str *s, const char *text)
{
	tp_str_append_n(s, text, strlen(text));
}

void tp_str_printf(struct tp_str *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		s->broken = true;
	if (n < 0 || !reserve(s, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(s->data + s->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	s->len += (size_t)n;
}

const char *tp_str_text(const struct tp_str *s)
{
	return s->data ? s->data : "";
}

char *tp_str_take(struct tp_str *s)
{
	char *data;

	tp_str_append_n(s, "", 0);
	if (s->broken) {
		tp_str_deinit(s);
		return NULL;
	}
	data = s->data;
	*s = (struct tp_str){};
	return data;
}

char *tp_strf(const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : text;
}

void tp_str_append_quoted(struct tp_str *s, const char *arg)
{
	tp_str_append(s, "'");
	for (const char *p = arg; *p; p++) {
		if (*p == '\'')
			tp_str_append(s, "'\\''");
		else
			tp_str_append_n(s, p, 1);
	}
	tp_str_append(s, "'");
}

bool tp_str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool tp_str_ends(const char *text, const char *suffix)
{
	size_t n = strlen(text);
	size_t m = strlen(suffix);

	return n >= m && strcmp(text + n - m, suffix) == 0;
}

char *tp_str_chomp(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
	return text;
}

/*
 * Length of the well-formed UTF-8 sequence at @p, 0 when there is none. The second byte's range
 * leaves out overlong forms, surrogates and what lies beyond U+10FFFF (Unicode, table 3-7).
 */
static size_t utf8_len(const unsigned char *p)
{
	unsigned char low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
	unsigned char high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

void tp_str_sanitize(char *text)
{
	unsigned char *p = (unsigned char *)text;

	while (*p) {
		size_t n = utf8_len(p);
		bool control = (n == 1 && (*p < 0x20 || *p == 0x7f) && *p != '\n' && *p != '\t') ||
			       (n == 2 && p[0] == 0xc2 && p[1] < 0xa0);

		if (n == 0 || control) {
			*p++ = '?';
			continue;
		}
		p += n;
	}
}

int tp_parse_i64(const char *text, long long min, long long max, long long *ret)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || isspace((unsigned char)text[0]))
		return -EINVAL;
	if (errno == ERANGE || value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}
