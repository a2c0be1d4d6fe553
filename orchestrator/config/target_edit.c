/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes to a description's text; see target_edit.h. */
#include "config/target_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/target_schema.h"
#include "util/str.h"

#define MAX_EDITS 80

struct edit {
	size_t start, end; /* characters, as libyaml counts them */
	const char *value; /* borrowed: written as a quoted scalar */
};

struct edits {
	struct edit list[MAX_EDITS];
	size_t n;
};

/* Byte of the character number @index: libyaml's marks count characters. */
static size_t byte_of(const char *text, size_t index)
{
	const char *p = text;

	while (*p && index > 0) {
		p++;
		while (((unsigned char)*p & 0xc0) == 0x80)
			p++;
		index--;
	}
	return (size_t)(p - text);
}

static int by_start(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void append_scalar(struct tp_str *s, const char *value)
{
	tp_str_append(s, "'");
	for (const char *p = value; *p; p++)
		tp_str_append_n(s, *p == '\'' ? "''" : p, *p == '\'' ? 2 : 1);
	tp_str_append(s, "'");
}

static char *apply(const char *text, struct edits *edits)
{
	_cleanup_(tp_str_deinit) struct tp_str out = {};
	size_t done = 0;

	qsort(edits->list, edits->n, sizeof(edits->list[0]), by_start);
	for (size_t i = 0; i < edits->n; i++) {
		size_t start = byte_of(text, edits->list[i].start);

		tp_str_append_n(&out, text + done, start - done);
		append_scalar(&out, edits->list[i].value);
		done = byte_of(text, edits->list[i].end);
	}
	tp_str_append(&out, text + done);
	return tp_str_take(&out);
}

static int resolve_one(struct tp_doc *doc, const char *folder, const char *path, bool or_name,
		       char **at, struct edits *edits, struct tp_err *reterr)
{
	const yaml_node_t *node = tp_doc_find(doc, path);
	char *absolute;

	if (!node || !*at || (*at)[0] == '/' || (or_name && !strchr(*at, '/')))
		return 0;
	if (!folder)
		return tp_doc_error(doc, node, reterr,
				    "%s is the relative path %.80s; give it from the root", path,
				    *at);
	absolute = tp_strf("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, *at);
	if (!absolute)
		return tp_err_oom(reterr);
	free(*at);
	*at = absolute;
	if (edits->n < MAX_EDITS)
		edits->list[edits->n++] =
		    (struct edit){node->start_mark.index, node->end_mark.index, absolute};
	return 0;
}

int tp_target_resolve(struct tp_doc *doc, const char *folder, struct tp_target_config *c,
		      char **ret_text, struct tp_err *reterr)
{
	struct edits edits = {};
	char *text;
	int r = 0;

	for (size_t i = 0; r == 0 && i < tp_target_n_paths; i++)
		r = resolve_one(doc, folder, tp_target_paths[i].path, tp_target_paths[i].or_name,
				(char **)((char *)c + tp_target_paths[i].offset), &edits, reterr);
	for (unsigned i = 0; r == 0 && i < c->kernel.fragments_count; i++) {
		char path[40];

		snprintf(path, sizeof(path), "kernel.fragments.%u", i);
		r = resolve_one(doc, folder, path, true, &c->kernel.fragments[i], &edits, reterr);
	}
	if (r < 0 || !ret_text)
		return r;
	text = apply(doc->text, &edits);
	if (!text)
		return tp_err_oom(reterr);
	*ret_text = text;
	return 0;
}

/* `host_key` goes in front of the section's first key, in the section's own style. */
static char *insert_host_key(struct tp_doc *doc, const yaml_node_t *transport, const char *host_key)
{
	bool flow = transport->data.mapping.style == YAML_FLOW_MAPPING_STYLE;
	size_t at = byte_of(doc->text, transport->start_mark.index + (flow ? 1 : 0));
	_cleanup_(tp_str_deinit) struct tp_str out = {};

	tp_str_append_n(&out, doc->text, at);
	tp_str_append(&out, "host_key: ");
	append_scalar(&out, host_key);
	if (flow)
		tp_str_append(&out, ", ");
	else
		tp_str_printf(&out, "\n%*s", (int)transport->start_mark.column, "");
	tp_str_append(&out, doc->text + at);
	return tp_str_take(&out);
}

int tp_target_config_pin(const char *text, const char *origin, const char *host_key,
			 char **ret_text, struct tp_err *reterr)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config check = {};
	_cleanup_(tp_doc_deinit) struct tp_doc doc = {};
	_cleanup_(tp_freep) char *pinned = NULL;
	int r = tp_doc_init(&doc, text, strlen(text), origin, reterr);
	const yaml_node_t *transport;

	if (r < 0)
		return r;
	transport = tp_doc_find(&doc, "transport");
	if (!transport || tp_doc_find(&doc, "transport.host_key"))
		return tp_doc_error(&doc, transport ? transport : tp_doc_root(&doc), reterr,
				    "no place for a host key: one is pinned already, or there is "
				    "no transport");
	pinned = insert_host_key(&doc, transport, host_key);
	if (!pinned)
		return tp_err_oom(reterr);
	r = tp_target_config_parse(pinned, origin, &check, reterr);
	if (r == 0)
		*ret_text = TP_TAKE(pinned);
	return r;
}
