/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading single facts out of /proc and /sys, and the groups that facts.c puts together. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/jsonw.h"
#include "util/macro.h"

struct tp_facts {
	const char *root; /* "" for the real one */
};

/* The whole text of a file of at most 4 MiB, or NULL. free() it. */
char *tp_fact_text(const struct tp_facts *f, const char *fmt, ...) TP_PRINTF(2, 3);

/* The same without trailing white space and cut at the first line end. */
char *tp_fact_line(const struct tp_facts *f, const char *fmt, ...) TP_PRINTF(2, 3);

/* Add a file's first line as text or as a number; null when it cannot be read. */
void tp_fact_put_line(const struct tp_facts *f, struct tp_jsonw *w, const char *key,
		      const char *fmt, ...) TP_PRINTF(4, 5);
void tp_fact_put_number(const struct tp_facts *f, struct tp_jsonw *w, const char *key,
			const char *fmt, ...) TP_PRINTF(4, 5);

/* The word in brackets of "always [madvise] never", or NULL. free() it. Pure. */
char *tp_fact_bracketed(const char *text);

/* The value behind "key   :  " in a text of such lines, or NULL. free() it. Pure. */
char *tp_fact_keyed(const char *text, const char *key);

/* 16 hexadecimal digits of FNV-1a; a name for a text, not a protection. Pure. */
void tp_fact_hash(const char *text, char ret[static 17]);

/* The names in a folder of @f, sorted; NULL and 0 when there is none. free() by the next. */
char **tp_fact_names(const struct tp_facts *f, const char *dir, const char *prefix,
		     size_t *ret_count);
void tp_fact_names_free(char **names, size_t count);

typedef void (*tp_facts_group)(const struct tp_facts *f, struct tp_jsonw *w);

/* One group each: the key and its object. */
void tp_facts_kernel(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_load(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_cpu(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_frequency(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_idle(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_clock(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_vulnerabilities(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_memory(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_services(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_firmware(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_thermal(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_interrupts(const struct tp_facts *f, struct tp_jsonw *w);
void tp_facts_dmesg(const struct tp_facts *f, struct tp_jsonw *w);
