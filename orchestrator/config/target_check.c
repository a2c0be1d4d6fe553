/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a schema cannot say about a target; see target_check.h. */
#include "config/target_check.h"

#include <stdlib.h>
#include <string.h>

#include "config/target_schema.h"
#include "config/target_words.h"

/* Which keys go with which kind of their section. */
struct belongs {
	const char *path;
	const char *section; /* its `kind` decides */
	const char *kind;
	bool required;
};

static const struct belongs belongings[] = {
    {"transport.host", "transport", "ssh", true},
    {"transport.user", "transport", "ssh", true},
    {"transport.key", "transport", "ssh", true},
    {"transport.port", "transport", "ssh", false},
    {"transport.host_key", "transport", "ssh", false},
    {"transport.dir", "transport", "fake", true},
    {"power.socket", "power", "qmp", true},
    {"power.start", "power", "qmp", false},
    {"power.reset", "power", "exec", true},
    {"console.path", "console", "file", true},
};

struct kind {
	const char *section;
	const char *words[4];
};

static const struct kind kinds[] = {
    {"transport", {"ssh", "fake"}},
    {"boot", {"grub"}},
    {"power", {"none", "qmp", "exec"}},
    {"console", {"none", "file"}},
};

static const char *kind_of(const struct tp_target_config *c, const char *section)
{
	if (strcmp(section, "transport") == 0)
		return c->transport.kind;
	if (strcmp(section, "boot") == 0)
		return c->boot.kind;
	return strcmp(section, "power") == 0 ? c->power.kind : c->console.kind;
}

static int check_kind(struct tp_doc *doc, const struct tp_target_config *c, const struct kind *k,
		      struct tp_err *reterr)
{
	const char *word = kind_of(c, k->section);
	char path[32];

	for (size_t i = 0; k->words[i]; i++) {
		if (strcmp(k->words[i], word) == 0)
			return 0;
	}
	snprintf(path, sizeof(path), "%s.kind", k->section);
	return tp_doc_error(
	    doc, tp_doc_near(doc, path), reterr, "%s is unknown: \"%.40s\"; known are %s%s%s%s%s",
	    path, word, k->words[0], k->words[1] ? ", " : "", k->words[1] ? k->words[1] : "",
	    k->words[1] && k->words[2] ? ", " : "", k->words[1] && k->words[2] ? k->words[2] : "");
}

static int check_belonging(struct tp_doc *doc, const struct tp_target_config *c,
			   const struct belongs *b, struct tp_err *reterr)
{
	const yaml_node_t *node = tp_doc_find(doc, b->path);
	bool right_kind = strcmp(kind_of(c, b->section), b->kind) == 0;

	if (node && !right_kind)
		return tp_doc_error(doc, node, reterr, "%s goes with %s.kind %s, and this is %s",
				    b->path, b->section, b->kind, kind_of(c, b->section));
	if (!node && right_kind && b->required)
		return tp_doc_error(doc, tp_doc_near(doc, b->path), reterr,
				    "%s is missing; %s.kind %s needs it", b->path, b->section,
				    b->kind);
	return 0;
}

static int check_number(struct tp_doc *doc, struct tp_target_config *c,
			const struct tp_target_number *n, struct tp_err *reterr)
{
	char *at = (char *)c + n->offset;
	const yaml_node_t *node = tp_doc_find(doc, n->path);
	int64_t value;
	int small;

	if (!node) {
		small = (int)n->fallback;
		memcpy(at, n->size == sizeof(int) ? (void *)&small : (void *)&n->fallback, n->size);
		return 0;
	}
	memcpy(&small, at, sizeof(small));
	memcpy(&value, at, n->size == sizeof(int) ? sizeof(small) : sizeof(value));
	if (n->size == sizeof(int))
		value = small;
	if (value < n->min || value > n->max)
		return tp_doc_error(doc, node, reterr, "%s is %lld; it must lie in %lld..%lld",
				    n->path, (long long)value, (long long)n->min,
				    (long long)n->max);
	return 0;
}

static bool set_default(char **at, const char *text)
{
	if (!*at && text)
		*at = strdup(text);
	return *at || !text;
}

static int fill_defaults(struct tp_target_config *c, struct tp_err *reterr)
{
	bool fake = strcmp(c->transport.kind, "fake") == 0;
	bool ok = set_default(&c->boot.kind, "grub") && set_default(&c->boot.dir, "/boot") &&
		  set_default(&c->boot.grub_dir, "/boot/grub") &&
		  set_default(&c->boot.grub_prefix, c->boot.dir) &&
		  set_default(&c->boot.cmdline, fake ? "panic=5" : NULL) &&
		  set_default(&c->power.kind, "none") && set_default(&c->console.kind, "none") &&
		  set_default(&c->work_dir, "/var/lib/triptych");

	return ok ? 0 : tp_err_oom(reterr);
}

static int check_evidence(struct tp_doc *doc, struct tp_target_config *c, struct tp_err *reterr)
{
	const yaml_node_t *node = tp_doc_find(doc, "evidence");
	bool fake = strcmp(c->transport.kind, "fake") == 0;

	if (!node && !fake)
		return tp_doc_error(doc, tp_doc_root(doc), reterr,
				    "the key \"evidence\" is missing; say bare_metal or virtual: "
				    "every result will carry it");
	if (node && fake != (c->evidence == TP_EVIDENCE_FAKE))
		return tp_doc_error(doc, node, reterr,
				    "evidence is fake for a fake transport, and for no other");
	if (fake)
		c->evidence = TP_EVIDENCE_FAKE;
	return 0;
}

int tp_target_check(struct tp_doc *doc, struct tp_target_config *c, struct tp_err *reterr)
{
	int r = fill_defaults(c, reterr);

	for (size_t i = 0; r == 0 && i < TP_ARRAY_SIZE(kinds); i++)
		r = check_kind(doc, c, &kinds[i], reterr);
	for (size_t i = 0; r == 0 && i < TP_ARRAY_SIZE(belongings); i++)
		r = check_belonging(doc, c, &belongings[i], reterr);
	for (size_t i = 0; r == 0 && i < tp_target_n_numbers; i++)
		r = check_number(doc, c, &tp_target_numbers[i], reterr);
	/* A simulated machine is at rest from the start. */
	if (strcmp(c->transport.kind, "fake") == 0 && !tp_doc_find(doc, "contract.settle_ms"))
		c->settle_ms = 0;
	if (r == 0)
		r = check_evidence(doc, c, reterr);
	if (r == 0)
		r = tp_target_check_words(doc, c, reterr);
	return r;
}
