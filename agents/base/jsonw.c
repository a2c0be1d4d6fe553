/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A JSON writer; see jsonw.h. */
#include "base/jsonw.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct tp_jsonw tp_jsonw_on(struct tp_str *out)
{
	return (struct tp_jsonw){.out = out};
}

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Length of the well-formed UTF-8 sequence at @p (RFC 3629: no surrogates, no overlong), or 0. */
static size_t sequence_len(const unsigned char *p)
{
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		return is_continuation(p[1]) ? 2 : 0;
	if ((p[0] & 0xf0) == 0xe0) {
		if (!is_continuation(p[1]) || !is_continuation(p[2]))
			return 0;
		if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))
			return 0;
		return 3;
	}
	if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		if (!is_continuation(p[1]) || !is_continuation(p[2]) || !is_continuation(p[3]))
			return 0;
		if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
			return 0;
		return 4;
	}
	return 0;
}

static size_t append_escaped(struct tp_str *out, const unsigned char *p)
{
	size_t n = sequence_len(p);

	if (n == 0) {
		tp_str_append(out, "\\ufffd");
		return 1;
	}
	if (*p == '"' || *p == '\\')
		tp_str_printf(out, "\\%c", *p);
	else if (*p < 0x20 || *p == 0x7f)
		tp_str_printf(out, "\\u%04x", *p);
	else
		tp_str_append_n(out, p, n);
	return n;
}

static void append_quoted(struct tp_str *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	tp_str_append(out, "\"");
	while (*p)
		p += append_escaped(out, p);
	tp_str_append(out, "\"");
}

/* Comma and key: everything in front of a value. */
static void lead(struct tp_jsonw *w, const char *key)
{
	if (w->comma)
		tp_str_append(w->out, ",");
	w->comma = true;
	if (key) {
		append_quoted(w->out, key);
		tp_str_append(w->out, ":");
	}
}

static void begin(struct tp_jsonw *w, const char *key, const char *bracket)
{
	lead(w, key);
	tp_str_append(w->out, bracket);
	w->comma = false;
}

static void end(struct tp_jsonw *w, const char *bracket)
{
	tp_str_append(w->out, bracket);
	w->comma = true;
}

void tp_jsonw_object(struct tp_jsonw *w, const char *key)
{
	begin(w, key, "{");
}

void tp_jsonw_object_end(struct tp_jsonw *w)
{
	end(w, "}");
}

void tp_jsonw_array(struct tp_jsonw *w, const char *key)
{
	begin(w, key, "[");
}

void tp_jsonw_array_end(struct tp_jsonw *w)
{
	end(w, "]");
}

void tp_jsonw_text(struct tp_jsonw *w, const char *key, const char *text)
{
	lead(w, key);
	if (text)
		append_quoted(w->out, text);
	else
		tp_str_append(w->out, "null");
}

void tp_jsonw_int(struct tp_jsonw *w, const char *key, int64_t value)
{
	lead(w, key);
	tp_str_printf(w->out, "%" PRId64, value);
}

void tp_jsonw_bool(struct tp_jsonw *w, const char *key, bool value)
{
	lead(w, key);
	tp_str_append(w->out, value ? "true" : "false");
}

void tp_jsonw_null(struct tp_jsonw *w, const char *key)
{
	lead(w, key);
	tp_str_append(w->out, "null");
}

/* The JSON grammar without exponents: -?(0|[1-9][0-9]*)(\.[0-9]+)? */
static bool is_number(const char *text)
{
	const char *p = text + (*text == '-');

	if (!isdigit((unsigned char)*p) || (p[0] == '0' && isdigit((unsigned char)p[1])))
		return false;
	p += strspn(p, "0123456789");
	if (*p == '.') {
		size_t digits = strspn(p + 1, "0123456789");

		if (digits == 0)
			return false;
		p += 1 + digits;
	}
	return *p == '\0';
}

void tp_jsonw_number_text(struct tp_jsonw *w, const char *key, const char *text)
{
	lead(w, key);
	tp_str_append(w->out, text && is_number(text) ? text : "null");
}
