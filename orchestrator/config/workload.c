/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workload of a protocol; see workload.h. */
#include "config/workload.h"

#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define MAX_PAIRS  64
#define MAX_LENGTH 1024
#define LOWER	   "abcdefghijklmnopqrstuvwxyz"
#define WORD	   LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/=+-"

/* Given to the agent by the program itself. */
static const char *const reserved[] = {"warmup", "rounds",   "out",	   "run-id",
				       "detach", "quiet-ms", "deadline-ms"};

static int check_key(struct tp_doc *doc, const yaml_node_t *node, struct tp_err *reterr)
{
	const char *key = tp_doc_scalar(node);
	size_t n = strlen(key);

	for (size_t i = 0; i < TP_ARRAY_SIZE(reserved); i++) {
		if (strcmp(key, reserved[i]) == 0)
			return tp_doc_error(doc, node, reterr,
					    "\"%s\" is no parameter of a workload: it is given to "
					    "the agent from the protocol itself",
					    key);
	}
	if (n > 0 && n <= 64 && strchr(LOWER, key[0]) && strspn(key, LOWER "0123456789_-") == n)
		return 0;
	return tp_doc_error(doc, node, reterr,
			    "the parameter \"%.80s\" must be named by lower-case letters, digits, "
			    "'-' and '_'",
			    key);
}

/* A list's items may hold no comma: it would read as two. */
static int append_word(struct tp_doc *doc, const yaml_node_t *node, bool item, struct tp_str *out,
		       struct tp_err *reterr)
{
	const char *text = tp_doc_scalar(node);
	size_t n = text ? strlen(text) : 0;

	if (!text)
		return tp_doc_error(doc, node, reterr,
				    "a parameter is one value or a list of values");
	if (n == 0)
		return tp_doc_error(doc, node, reterr, "this parameter has no value");
	if (text[0] == '-' || strspn(text, item ? WORD : WORD ",") != n)
		return tp_doc_error(doc, node, reterr,
				    "\"%.80s\" cannot be a parameter's value: letters, digits and "
				    ". _ : / = + - only, not beginning with '-'",
				    text);
	if (out->len + n > MAX_LENGTH)
		return tp_doc_error(doc, node, reterr, "a parameter is longer than %d bytes",
				    MAX_LENGTH);
	tp_str_append(out, text);
	return 0;
}

static int read_value(struct tp_doc *doc, const yaml_node_t *node, char **ret,
		      struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str out = {};
	const yaml_node_item_t *item;
	int r = 0;

	if (node->type != YAML_SEQUENCE_NODE) {
		r = append_word(doc, node, false, &out, reterr);
	} else {
		const yaml_node_item_t *start = node->data.sequence.items.start;

		if (start == node->data.sequence.items.top)
			return tp_doc_error(doc, node, reterr, "this list is empty");
		for (item = start; r == 0 && item < node->data.sequence.items.top; item++) {
			if (item > start)
				tp_str_append(&out, ",");
			r = append_word(doc, tp_doc_node(doc, *item), true, &out, reterr);
		}
	}
	if (r < 0)
		return r;
	*ret = tp_str_take(&out);
	return *ret ? 0 : tp_err_oom(reterr);
}

static int read_pair(struct tp_doc *doc, const yaml_node_pair_t *pair, struct tp_workload *w,
		     struct tp_err *reterr)
{
	const yaml_node_t *key = tp_doc_node(doc, pair->key);
	const yaml_node_t *value = tp_doc_node(doc, pair->value);
	char *text;
	int r;

	if (strcmp(tp_doc_scalar(key), "agent") == 0) {
		r = read_value(doc, value, &text, reterr);
		if (r == 0)
			w->agent = text;
		return r;
	}
	r = check_key(doc, key, reterr);
	if (r < 0)
		return r;
	w->params[w->n_params] = tp_strf("--%s", tp_doc_scalar(key));
	if (!w->params[w->n_params++])
		return tp_err_oom(reterr);
	r = read_value(doc, value, &text, reterr);
	if (r == 0)
		w->params[w->n_params++] = text;
	return r;
}

static int check_agent(struct tp_doc *doc, const struct tp_workload *w, struct tp_err *reterr)
{
	if (!w->agent)
		return tp_doc_error(doc, tp_doc_near(doc, "workload"), reterr,
				    "workload.agent is missing; it names what the agent runs");
	if (strspn(w->agent, LOWER "0123456789-") == strlen(w->agent))
		return 0;
	return tp_doc_error(
	    doc, tp_doc_near(doc, "workload.agent"), reterr,
	    "workload.agent is \"%.80s\"; it must be the name of a workload such as "
	    "inotify-watch",
	    w->agent);
}

int tp_workload_read(struct tp_doc *doc, struct tp_workload *ret, struct tp_err *reterr)
{
	const yaml_node_t *node = tp_doc_near(doc, "workload");
	const yaml_node_pair_t *start = node->data.mapping.pairs.start;
	size_t n;

	if (node->type != YAML_MAPPING_NODE)
		return tp_doc_error(doc, node, reterr,
				    "workload must hold the key \"agent\" and its parameters");
	n = (size_t)(node->data.mapping.pairs.top - start);
	if (n > MAX_PAIRS)
		return tp_doc_error(doc, node, reterr, "workload has more than %d keys", MAX_PAIRS);
	ret->params = calloc(2 * n + 1, sizeof(char *));
	if (!ret->params)
		return tp_err_oom(reterr);
	for (size_t i = 0; i < n; i++) {
		int r = read_pair(doc, &start[i], ret, reterr);

		if (r < 0)
			return r;
	}
	return check_agent(doc, ret, reterr);
}
