/* SPDX-License-Identifier: GPL-2.0-or-later */
/* First pass over hostile YAML; see document_scan.h. */
#include "config/document_scan.h"

#include <string.h>

struct scan {
	const struct tp_doc *doc;
	yaml_parser_t parser;
	struct {
		bool mapping;
		bool at_value; /* in a mapping: the key has been seen */
	} open[TP_DOC_MAX_DEPTH + 1];
	int depth;
	int n_nodes;
	int n_documents;
};

#define fail(s, event, reterr, ...)                                                                \
	tp_doc_error_at((s)->doc, (event)->start_mark, reterr, __VA_ARGS__)

static int broken(struct scan *s, struct tp_err *reterr)
{
	const yaml_parser_t *p = &s->parser;
	yaml_mark_t mark = p->problem_mark;

	if (p->error == YAML_MEMORY_ERROR)
		return tp_err_oom(reterr);
	/* The reader knows bytes only; where it stopped is the closest there is. */
	if (p->error == YAML_READER_ERROR)
		mark = p->mark;
	return tp_doc_error_at(s->doc, mark, reterr, "this is not YAML: %s%s%s",
			       p->problem ? p->problem : "unknown problem", p->context ? " " : "",
			       p->context ? p->context : "");
}

/* Count one value where it stands: bounded, and a key only where a key may be. */
static int count_node(struct scan *s, const yaml_event_t *event, bool scalar, struct tp_err *reterr)
{
	if (++s->n_nodes > TP_DOC_MAX_NODES)
		return fail(s, event, reterr, "more than %d values; this is no configuration",
			    TP_DOC_MAX_NODES);
	if (s->depth == 0 || !s->open[s->depth].mapping)
		return 0;
	if (!s->open[s->depth].at_value && !scalar)
		return fail(s, event, reterr, "a key must be a plain word");
	s->open[s->depth].at_value = !s->open[s->depth].at_value;
	return 0;
}

static int open_node(struct scan *s, const yaml_event_t *event, bool mapping, struct tp_err *reterr)
{
	int r = count_node(s, event, false, reterr);

	if (r < 0)
		return r;
	if (s->depth == TP_DOC_MAX_DEPTH)
		return fail(s, event, reterr, "nested more than %d deep", TP_DOC_MAX_DEPTH);
	s->depth++;
	s->open[s->depth].mapping = mapping;
	s->open[s->depth].at_value = false;
	return 0;
}

static int refuse_marks(struct scan *s, const yaml_event_t *event, const yaml_char_t *anchor,
			const yaml_char_t *tag, struct tp_err *reterr)
{
	if (anchor)
		return fail(s, event, reterr, "anchors (&%.40s) are not used here; write it out",
			    (const char *)anchor);
	if (tag)
		return fail(s, event, reterr, "tags (%.40s) are not used here; remove it",
			    (const char *)tag);
	return 0;
}

static int take_scalar(struct scan *s, const yaml_event_t *event, struct tp_err *reterr)
{
	const char *text = (const char *)event->data.scalar.value;
	int r = refuse_marks(s, event, event->data.scalar.anchor, event->data.scalar.tag, reterr);

	if (r < 0)
		return r;
	if (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
	    event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE)
		return fail(s, event, reterr, "block texts (| and >) are not used here; quote it");
	for (size_t i = 0; i < event->data.scalar.length; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return fail(s, event, reterr,
				    "a value may hold no line breaks and no control characters");
	}
	return count_node(s, event, true, reterr);
}

static int take(struct scan *s, const yaml_event_t *event, struct tp_err *reterr)
{
	int r = 0;

	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return fail(s, event, reterr, "aliases (*%.40s) are not used here; write it out",
			    (const char *)event->data.alias.anchor);
	case YAML_SCALAR_EVENT:
		return take_scalar(s, event, reterr);
	case YAML_SEQUENCE_START_EVENT:
		r = refuse_marks(s, event, event->data.sequence_start.anchor,
				 event->data.sequence_start.tag, reterr);
		return r < 0 ? r : open_node(s, event, false, reterr);
	case YAML_MAPPING_START_EVENT:
		r = refuse_marks(s, event, event->data.mapping_start.anchor,
				 event->data.mapping_start.tag, reterr);
		return r < 0 ? r : open_node(s, event, true, reterr);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		s->depth--;
		return 0;
	case YAML_DOCUMENT_START_EVENT:
		if (++s->n_documents > 1)
			return fail(s, event, reterr, "a second document begins; keep one");
		return 0;
	case YAML_STREAM_END_EVENT:
		if (s->n_documents == 0)
			return fail(s, event, reterr, "the file is empty");
		return 0;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return 0;
	}
	return 0;
}

static int take_all(struct scan *s, struct tp_err *reterr)
{
	bool end = false;

	while (!end) {
		yaml_event_t event;
		int r;

		if (!yaml_parser_parse(&s->parser, &event))
			return broken(s, reterr);
		end = event.type == YAML_STREAM_END_EVENT;
		r = take(s, &event, reterr);
		yaml_event_delete(&event);
		if (r < 0)
			return r;
	}
	return 0;
}

int tp_doc_scan(const struct tp_doc *doc, struct tp_err *reterr)
{
	struct scan s = {.doc = doc};
	int r;

	if (doc->len > TP_DOC_MAX_BYTES)
		return tp_doc_error_at(doc, (yaml_mark_t){}, reterr, "larger than %d bytes",
				       TP_DOC_MAX_BYTES);
	if (memchr(doc->text, '\0', doc->len))
		return tp_doc_error_at(doc, (yaml_mark_t){}, reterr,
				       "holds NUL bytes; this is no text file");
	if (!yaml_parser_initialize(&s.parser))
		return tp_err_oom(reterr);
	yaml_parser_set_encoding(&s.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&s.parser, (const unsigned char *)doc->text, doc->len);
	r = take_all(&s, reterr);
	yaml_parser_delete(&s.parser);
	return r;
}
