/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A JSON writer: compact, one line, no parser. Commas are its own business.
 *
 * Every text is escaped so that hostile bytes (controls, quotes, invalid UTF-8) leave
 * well-formed JSON behind; an invalid byte becomes U+FFFD. A NULL text becomes null.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "util/str.h"

struct tp_jsonw {
	struct tp_str *out; /* not owned */
	bool comma;	    /* the next value needs a comma in front of it */
};

struct tp_jsonw tp_jsonw_on(struct tp_str *out);

/* @key is NULL inside an array and for the outermost value. */
void tp_jsonw_object(struct tp_jsonw *w, const char *key);
void tp_jsonw_object_end(struct tp_jsonw *w);
void tp_jsonw_array(struct tp_jsonw *w, const char *key);
void tp_jsonw_array_end(struct tp_jsonw *w);

void tp_jsonw_text(struct tp_jsonw *w, const char *key, const char *text);
void tp_jsonw_int(struct tp_jsonw *w, const char *key, int64_t value);
void tp_jsonw_bool(struct tp_jsonw *w, const char *key, bool value);
void tp_jsonw_null(struct tp_jsonw *w, const char *key);

/* Text that should be a number ("0.52", "800000"): written as one when it is, else as null. */
void tp_jsonw_number_text(struct tp_jsonw *w, const char *key, const char *text);
