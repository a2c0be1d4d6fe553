/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A typed schema against a document; see schema.h. */
#include "config/schema.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define MAX_TEXT 4096

const cyaml_schema_value_t tp_schema_text_entry = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, MAX_TEXT)};

static int check_value(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
		       const char *name, struct tp_err *reterr);

static int known_keys(struct tp_doc *doc, const yaml_node_t *key,
		      const cyaml_schema_field_t *fields, const char *where, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str list = {};

	for (const cyaml_schema_field_t *f = fields; f->key; f++)
		tp_str_printf(&list, "%s%s", f == fields ? "" : ", ", f->key);
	return tp_doc_error(doc, key, reterr, "unknown key \"%.80s\"%s%s; known here: %s",
			    tp_doc_scalar(key), where[0] ? " in " : "", where, tp_str_text(&list));
}

static const cyaml_schema_field_t *field_of(const cyaml_schema_field_t *fields, const char *key)
{
	for (; fields->key; fields++) {
		if (strcmp(fields->key, key) == 0)
			return fields;
	}
	return NULL;
}

static int check_mapping(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
			 const char *name, struct tp_err *reterr)
{
	const cyaml_schema_field_t *fields = schema->mapping.fields;
	const yaml_node_pair_t *p;

	if (node->type != YAML_MAPPING_NODE)
		return tp_doc_error(doc, node, reterr, "%s must hold keys with values", name);
	for (p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
		yaml_node_t *key = tp_doc_node(doc, p->key);
		const cyaml_schema_field_t *f = field_of(fields, tp_doc_scalar(key));
		int r;

		if (!f)
			return known_keys(doc, key, fields, name, reterr);
		r = check_value(doc, tp_doc_node(doc, p->value), &f->value, f->key, reterr);
		if (r < 0)
			return r;
	}
	for (const cyaml_schema_field_t *f = fields; f->key; f++) {
		if (!(f->value.flags & CYAML_FLAG_OPTIONAL) && !tp_doc_get(doc, node, f->key))
			return tp_doc_error(doc, node, reterr, "%s%sthe key \"%s\" is missing",
					    name, name[0] ? ": " : "", f->key);
	}
	return 0;
}

static int check_sequence(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
			  const char *name, struct tp_err *reterr)
{
	size_t n;

	if (node->type != YAML_SEQUENCE_NODE)
		return tp_doc_error(doc, node, reterr, "%s must be a list: [a, b]", name);
	n = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	if (n < schema->sequence.min || n > schema->sequence.max)
		return tp_doc_error(doc, node, reterr, "%s has %zu entries; it takes %u to %u",
				    name, n, schema->sequence.min, schema->sequence.max);
	for (size_t i = 0; i < n; i++) {
		yaml_node_t *item = tp_doc_node(doc, node->data.sequence.items.start[i]);
		int r = check_value(doc, item, schema->sequence.entry, name, reterr);

		if (r < 0)
			return r;
	}
	return 0;
}

/* What YAML calls null is almost always a forgotten value. */
static bool is_null(const yaml_node_t *node)
{
	static const char *const words[] = {"", "~", "null", "Null", "NULL"};

	for (size_t i = 0; i < TP_ARRAY_SIZE(words); i++) {
		if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
		    strcmp(tp_doc_scalar(node), words[i]) == 0)
			return true;
	}
	return false;
}

static int check_scalar(struct tp_doc *doc, yaml_node_t *node, const char *name,
			struct tp_err *reterr)
{
	if (node->type != YAML_SCALAR_NODE)
		return tp_doc_error(doc, node, reterr, "%s must be one plain value", name);
	if (is_null(node))
		return tp_doc_error(doc, node, reterr,
				    "%s has no value; give one or leave the key out", name);
	if (node->data.scalar.length > MAX_TEXT)
		return tp_doc_error(doc, node, reterr, "%s is longer than %d bytes", name,
				    MAX_TEXT);
	return 0;
}

static int check_text(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
		      const char *name, struct tp_err *reterr)
{
	int r = check_scalar(doc, node, name, reterr);

	if (r == 0 && node->data.scalar.length < schema->string.min)
		r = tp_doc_error(doc, node, reterr, "%s must not be empty", name);
	return r;
}

static int check_int(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
		     const char *name, struct tp_err *reterr)
{
	long long max = schema->data_size == sizeof(int) ? INT32_MAX : 1000000000000000LL;
	int r = check_scalar(doc, node, name, reterr);
	const char *text = tp_doc_scalar(node);
	long long value;

	if (r < 0)
		return r;
	/* A leading zero means octal to one reader and decimal to another. */
	if ((text[0] == '0' && text[1]) || tp_parse_i64(text, -max, max, &value) < 0)
		return tp_doc_error(doc, node, reterr,
				    "%s must be a whole decimal number, not \"%.40s\"", name, text);
	return 0;
}

static int check_float(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
		       const char *name, struct tp_err *reterr)
{
	int r = check_scalar(doc, node, name, reterr);
	const char *text = tp_doc_scalar(node);
	char *end;

	(void)schema;
	if (r < 0)
		return r;
	if (strspn(text, "0123456789.eE+-") != strlen(text) || !isfinite(strtod(text, &end)) ||
	    *end)
		return tp_doc_error(doc, node, reterr, "%s must be a decimal number, not \"%.40s\"",
				    name, text);
	return 0;
}

static int check_enum(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
		      const char *name, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str list = {};
	int r = check_scalar(doc, node, name, reterr);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < schema->enumeration.count; i++) {
		const char *word = schema->enumeration.strings[i].str;

		if (strcmp(word, tp_doc_scalar(node)) == 0)
			return 0;
		tp_str_printf(&list, "%s%s", i > 0 ? ", " : "", word);
	}
	return tp_doc_error(doc, node, reterr, "%s must be one of %s, not \"%.40s\"", name,
			    tp_str_text(&list), tp_doc_scalar(node));
}

static int check_nothing(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
			 const char *name, struct tp_err *reterr)
{
	(void)doc;
	(void)node;
	(void)schema;
	(void)name;
	(void)reterr;
	return 0;
}

static int check_value(struct tp_doc *doc, yaml_node_t *node, const cyaml_schema_value_t *schema,
		       const char *name, struct tp_err *reterr)
{
	static int (*const checks[CYAML__TYPE_COUNT])(struct tp_doc *, yaml_node_t *,
						      const cyaml_schema_value_t *, const char *,
						      struct tp_err *) = {
	    [CYAML_INT] = check_int,
	    [CYAML_ENUM] = check_enum,
	    [CYAML_FLOAT] = check_float,
	    [CYAML_STRING] = check_text,
	    [CYAML_MAPPING] = check_mapping,
	    [CYAML_SEQUENCE] = check_sequence,
	    [CYAML_SEQUENCE_FIXED] = check_sequence,
	    [CYAML_IGNORE] = check_nothing,
	};

	assert(checks[schema->type]);
	return checks[schema->type](doc, node, schema, name, reterr);
}

/* libcyaml's first complaint; what follows it is a backtrace of positions. */
static void keep_first(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	char *kept = ctx;

	(void)level;
	if (!kept[0])
		vsnprintf(kept, 256, fmt, args);
}

int tp_schema_load(struct tp_doc *doc, const cyaml_schema_value_t *schema, void **ret,
		   struct tp_err *reterr)
{
	char complaint[256] = "";
	cyaml_config_t config = {
	    .log_fn = keep_first,
	    .log_ctx = complaint,
	    .mem_fn = cyaml_mem, /* realloc() and free(): its memory is everybody's */
	    .log_level = CYAML_LOG_ERROR,
	    .flags = CYAML_CFG_NO_ALIAS,
	};
	void *data = NULL;
	cyaml_err_t err;
	int r = check_value(doc, tp_doc_root(doc), schema, "", reterr);

	if (r < 0)
		return r;
	err = cyaml_load_data((const uint8_t *)doc->text, doc->len, &config, schema, &data, NULL);
	if (err == CYAML_ERR_OOM)
		return tp_err_oom(reterr);
	if (err != CYAML_OK)
		return tp_doc_error(doc, tp_doc_root(doc), reterr, "%s: %s", cyaml_strerror(err),
				    tp_str_chomp(complaint));
	*ret = data;
	return 0;
}
