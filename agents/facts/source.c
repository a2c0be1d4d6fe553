/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading single facts; see source.h. */
#include "facts/source.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fd.h"

#define FACT_BYTES (4 << 20)

static char *vread(const struct tp_facts *f, const char *fmt, va_list ap)
{
	char name[256], path[512];
	char *text = NULL;

	vsnprintf(name, sizeof(name), fmt, ap);
	if (snprintf(path, sizeof(path), "%s%s", f->root, name) >= (int)sizeof(path))
		return NULL;
	return tp_file_read(path, FACT_BYTES, &text, NULL, NULL) == 0 ? text : NULL;
}

static char *first_line(char *text)
{
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		tp_str_chomp(text);
	}
	return text;
}

char *tp_fact_text(const struct tp_facts *f, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = vread(f, fmt, ap);
	va_end(ap);
	return text;
}

char *tp_fact_line(const struct tp_facts *f, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = vread(f, fmt, ap);
	va_end(ap);
	return first_line(text);
}

void tp_fact_put_line(const struct tp_facts *f, struct tp_jsonw *w, const char *key,
		      const char *fmt, ...)
{
	_cleanup_(tp_freep) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = first_line(vread(f, fmt, ap));
	va_end(ap);
	tp_jsonw_text(w, key, text);
}

void tp_fact_put_number(const struct tp_facts *f, struct tp_jsonw *w, const char *key,
			const char *fmt, ...)
{
	_cleanup_(tp_freep) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = first_line(vread(f, fmt, ap));
	va_end(ap);
	tp_jsonw_number_text(w, key, text);
}

char *tp_fact_bracketed(const char *text)
{
	const char *open = text ? strpbrk(text, "[(") : NULL;
	const char *close = open ? strpbrk(open, "])") : NULL;

	return close ? strndup(open + 1, (size_t)(close - open - 1)) : NULL;
}

char *tp_fact_keyed(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) == 0) {
			const char *p = line + n + strspn(line + n, " \t");

			if (*p == ':') {
				p += 1 + strspn(p + 1, " \t");
				return strndup(p, strcspn(p, "\n"));
			}
		}
	}
	return NULL;
}

void tp_fact_hash(const char *text, char ret[static 17])
{
	uint64_t hash = 0xcbf29ce484222325;

	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		hash = (hash ^ *p) * 0x100000001b3;
	snprintf(ret, 17, "%016" PRIx64, hash);
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(char ***names, size_t *count, const char *name)
{
	char **more = reallocarray(*names, *count + 1, sizeof(*more));

	if (!more)
		return false;
	*names = more;
	more[*count] = strdup(name);
	*count += more[*count] != NULL;
	return true;
}

char **tp_fact_names(const struct tp_facts *f, const char *dir, const char *prefix,
		     size_t *ret_count)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s%s", f->root, dir);
	DIR *stream = path ? opendir(path) : NULL;
	struct dirent *entry;
	char **names = NULL;
	size_t count = 0;

	while (stream && (entry = readdir(stream))) {
		if (entry->d_name[0] == '.' || !tp_str_starts(entry->d_name, prefix))
			continue;
		if (!add_name(&names, &count, entry->d_name))
			break;
	}
	if (stream)
		closedir(stream);
	if (count > 1)
		qsort(names, count, sizeof(*names), compare_names);
	*ret_count = count;
	return names;
}

void tp_fact_names_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}
