/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One YAML file as hostile input; see document.h. */
#include "config/document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/document_scan.h"
#include "util/str.h"

int tp_doc_error_at(const struct tp_doc *doc, yaml_mark_t mark, struct tp_err *reterr,
		    const char *fmt, ...)
{
	char sentence[sizeof(reterr->text)];
	char place[32];
	va_list ap;

	snprintf(place, sizeof(place), ":%zu:%zu", mark.line + 1, mark.column + 1);
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	tp_str_sanitize(sentence);
	return tp_err_set(reterr, -EINVAL, doc->origin, "%s%s: %s", doc->origin, place, sentence);
}

yaml_node_t *tp_doc_root(struct tp_doc *doc)
{
	return yaml_document_get_root_node(&doc->yaml);
}

yaml_node_t *tp_doc_node(struct tp_doc *doc, int index)
{
	return yaml_document_get_node(&doc->yaml, index);
}

const char *tp_doc_scalar(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static yaml_node_t *get_n(struct tp_doc *doc, const yaml_node_t *mapping, const char *key, size_t n)
{
	const yaml_node_pair_t *p;

	if (mapping->type != YAML_MAPPING_NODE)
		return NULL;
	for (p = mapping->data.mapping.pairs.start; p < mapping->data.mapping.pairs.top; p++) {
		const char *name = tp_doc_scalar(tp_doc_node(doc, p->key));

		if (strlen(name) == n && memcmp(name, key, n) == 0)
			return tp_doc_node(doc, p->value);
	}
	return NULL;
}

yaml_node_t *tp_doc_get(struct tp_doc *doc, const yaml_node_t *mapping, const char *key)
{
	return get_n(doc, mapping, key, strlen(key));
}

static yaml_node_t *get_item(struct tp_doc *doc, const yaml_node_t *sequence, const char *number)
{
	const yaml_node_item_t *start = sequence->data.sequence.items.start;
	const yaml_node_item_t *top = sequence->data.sequence.items.top;
	long i = strtol(number, NULL, 10);

	return i >= 0 && i < top - start ? tp_doc_node(doc, start[i]) : NULL;
}

static yaml_node_t *walk(struct tp_doc *doc, const char *path, bool near)
{
	yaml_node_t *node = tp_doc_root(doc);

	while (*path) {
		size_t n = strcspn(path, ".");
		yaml_node_t *next = NULL;

		if (node->type == YAML_SEQUENCE_NODE)
			next = get_item(doc, node, path);
		else
			next = get_n(doc, node, path, n);
		if (!next)
			return near ? node : NULL;
		node = next;
		path += n + (path[n] == '.');
	}
	return node;
}

yaml_node_t *tp_doc_find(struct tp_doc *doc, const char *path)
{
	return walk(doc, path, false);
}

yaml_node_t *tp_doc_near(struct tp_doc *doc, const char *path)
{
	return walk(doc, path, true);
}

static int check_duplicates(struct tp_doc *doc, const yaml_node_t *mapping, struct tp_err *reterr)
{
	const yaml_node_pair_t *start = mapping->data.mapping.pairs.start;

	for (const yaml_node_pair_t *p = start; p < mapping->data.mapping.pairs.top; p++) {
		yaml_node_t *key = tp_doc_node(doc, p->key);
		const char *name = tp_doc_scalar(key);

		if (tp_doc_get(doc, mapping, name) != tp_doc_node(doc, p->value))
			return tp_doc_error(doc, key, reterr,
					    "the key \"%.80s\" is here a second time; keep one",
					    name);
	}
	return 0;
}

static int check_all_duplicates(struct tp_doc *doc, struct tp_err *reterr)
{
	yaml_node_t *node;

	for (int i = 1; (node = tp_doc_node(doc, i)); i++) {
		int r = node->type == YAML_MAPPING_NODE ? check_duplicates(doc, node, reterr) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int load(struct tp_doc *doc, struct tp_err *reterr)
{
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser))
		return tp_err_oom(reterr);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)doc->text, doc->len);
	doc->loaded = yaml_parser_load(&parser, &doc->yaml) == 1;
	yaml_parser_delete(&parser);
	/* The scan has read the same bytes without a complaint: only memory is left to lack. */
	return doc->loaded ? 0 : tp_err_oom(reterr);
}

int tp_doc_init(struct tp_doc *ret, const char *text, size_t len, const char *origin,
		struct tp_err *reterr)
{
	struct tp_doc doc = {.text = text, .len = len, .origin = origin};
	int r = tp_doc_scan(&doc, reterr);

	if (r == 0)
		r = load(&doc, reterr);
	if (r == 0 && tp_doc_root(&doc)->type != YAML_MAPPING_NODE)
		r = tp_doc_error(&doc, tp_doc_root(&doc), reterr,
				 "expected lines of the form \"key: value\"");
	if (r == 0)
		r = check_all_duplicates(&doc, reterr);
	if (r < 0) {
		tp_doc_deinit(&doc);
		return r;
	}
	*ret = doc;
	return 0;
}

void tp_doc_deinit(struct tp_doc *doc)
{
	if (doc->loaded)
		yaml_document_delete(&doc->yaml);
	*doc = (struct tp_doc){};
}
