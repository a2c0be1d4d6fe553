/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One YAML file as hostile input: bounded, plain, with a position for every value.
 *
 * Refused before anything is built from it: more than 1 MiB, NUL bytes, deep nesting, very many
 * values, anchors, aliases, tags, several documents, keys that are not plain words or occur
 * twice. The rest of config/ looks values up here to say where something is wrong.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>
#include "util/err.h"
#include "util/macro.h"

#define TP_DOC_MAX_BYTES (1024 * 1024)
#define TP_DOC_MAX_DEPTH 8
#define TP_DOC_MAX_NODES 10000

struct tp_doc {
	const char *text; /* borrowed */
	size_t len;
	const char *origin; /* borrowed: the file's name in errors */
	yaml_document_t yaml;
	bool loaded;
};

/* Read @text (@len bytes) whole; its top is a mapping. -EINVAL with the position. */
TP_MUST_CHECK int tp_doc_init(struct tp_doc *doc, const char *text, size_t len, const char *origin,
			      struct tp_err *reterr);
void tp_doc_deinit(struct tp_doc *doc);

yaml_node_t *tp_doc_root(struct tp_doc *doc);
yaml_node_t *tp_doc_node(struct tp_doc *doc, int index);

/* The text of a scalar; NULL for any other node. */
const char *tp_doc_scalar(const yaml_node_t *node);

/* Value of @key in a mapping, NULL when there is none. */
yaml_node_t *tp_doc_get(struct tp_doc *doc, const yaml_node_t *mapping, const char *key);

/* The value at a path like "transport.port" or "metrics.2.name"; NULL when it is not there. */
yaml_node_t *tp_doc_find(struct tp_doc *doc, const char *path);

/* The same, but the innermost value around it that is there: a place to point at. */
yaml_node_t *tp_doc_near(struct tp_doc *doc, const char *path);

/* Fill @reterr with "ORIGIN:LINE:COLUMN: sentence"; returns -EINVAL. */
int tp_doc_error_at(const struct tp_doc *doc, yaml_mark_t mark, struct tp_err *reterr,
		    const char *fmt, ...) TP_PRINTF(4, 5);
#define tp_doc_error(doc, node, reterr, ...)                                                       \
	tp_doc_error_at(doc, (node)->start_mark, reterr, __VA_ARGS__)
