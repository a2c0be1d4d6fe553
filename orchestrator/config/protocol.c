/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol file; see protocol.h. */
#include "config/protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/protocol_check.h"
#include "config/schema.h"
#include "config/workload.h"
#include "util/fd.h"
#include "util/str.h"

#define MAX_TEXT    4096
#define MAX_METRICS 64

static const cyaml_strval_t location_words[] = {
    {"median", TP_LOCATION_MEDIAN},
    {"mean", TP_LOCATION_MEAN},
};
static const cyaml_strval_t drop_first_words[] = {
    {"sensitivity", TP_DROP_FIRST_SENSITIVITY},
    {"primary", TP_DROP_FIRST_PRIMARY},
    {"off", TP_DROP_FIRST_OFF},
};
static const cyaml_strval_t better_words[] = {
    {"lower", TP_BETTER_LOWER},
    {"higher", TP_BETTER_HIGHER},
};
static const cyaml_strval_t role_words[] = {
    {"primary", TP_METRIC_PRIMARY},
    {"auxiliary", TP_METRIC_AUXILIARY},
    {"control", TP_METRIC_CONTROL},
};
static_assert(TP_ARRAY_SIZE(location_words) == _TP_LOCATION_MAX, "one word for each value");
static_assert(TP_ARRAY_SIZE(drop_first_words) == _TP_DROP_FIRST_MAX, "one word for each value");
static_assert(TP_ARRAY_SIZE(better_words) == _TP_BETTER_MAX, "one word for each value");
static_assert(TP_ARRAY_SIZE(role_words) == _TP_METRIC_ROLE_MAX, "one word for each value");

#define WORD(structure, member, words)                                                             \
	CYAML_FIELD_ENUM(#member, CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, structure, member,      \
			 words, TP_ARRAY_SIZE(words))

/* `paired` fills the numerator and, beside it, the denominator. */
static_assert(offsetof(struct tp_metric_def, paired_den) ==
		  offsetof(struct tp_metric_def, paired_num) + sizeof(char *),
	      "a pair is two neighbours");

static const cyaml_schema_field_t metric_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct tp_metric_def, name, 1, MAX_TEXT),
    WORD(struct tp_metric_def, better, better_words),
    WORD(struct tp_metric_def, role, role_words),
    {
	.key = "paired",
	.data_offset = offsetof(struct tp_metric_def, paired_num),
	.value = {CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_OPTIONAL, char *, &tp_schema_text_entry,
					     2)},
    },
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t metric_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct tp_metric_def, metric_fields)};

#define GATE(key) CYAML_FIELD_FLOAT(#key, CYAML_FLAG_OPTIONAL, struct tp_gates, key)
static const cyaml_schema_field_t gates_fields[] = {
    GATE(signal_pct),  GATE(drift_pct),	 GATE(cv_pct),	  GATE(floor_pct),
    GATE(quantum_pct), GATE(steady_pct), CYAML_FIELD_END,
};

static const cyaml_schema_value_t look_entry = {CYAML_VALUE_INT(CYAML_FLAG_DEFAULT, int)};
static const cyaml_schema_field_t boots_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("looks", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct tp_protocol, looks, n_looks, &look_entry, 1, 16),
    CYAML_FIELD_FLOAT("alpha", CYAML_FLAG_OPTIONAL, struct tp_protocol, alpha),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t protocol_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct tp_protocol, name, 1, MAX_TEXT),
    /* Its parameters are the workload's own affair: read by workload.c. */
    CYAML_FIELD_IGNORE("workload", CYAML_FLAG_DEFAULT),
    CYAML_FIELD_INT("warmup", CYAML_FLAG_DEFAULT, struct tp_protocol, warmup),
    CYAML_FIELD_INT("rounds", CYAML_FLAG_DEFAULT, struct tp_protocol, rounds),
    WORD(struct tp_protocol, location, location_words),
    WORD(struct tp_protocol, drop_first, drop_first_words),
    CYAML_FIELD_MAPPING("gates", CYAML_FLAG_OPTIONAL, struct tp_protocol, gates, gates_fields),
    {
	.key = "boots",
	.data_offset = 0,
	.value = {CYAML_VALUE_MAPPING(CYAML_FLAG_OPTIONAL, struct tp_protocol, boots_fields)},
    },
    CYAML_FIELD_SEQUENCE_COUNT("metrics", CYAML_FLAG_POINTER, struct tp_protocol, metrics,
			       n_metrics, &metric_entry, 1, MAX_METRICS),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t protocol_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct tp_protocol, protocol_fields)};

static int parse(const char *text, size_t len, const char *origin, struct tp_protocol *ret,
		 struct tp_err *reterr)
{
	_cleanup_(tp_protocol_deinit) struct tp_protocol protocol = {};
	_cleanup_(tp_doc_deinit) struct tp_doc doc = {};
	struct tp_protocol *loaded;
	void *data;
	int r = tp_doc_init(&doc, text, len, origin, reterr);

	if (r == 0)
		r = tp_schema_load(&doc, &protocol_schema, &data, reterr);
	if (r < 0)
		return r;
	loaded = data;
	protocol = *loaded;
	free(loaded);
	r = tp_workload_read(&doc, &protocol.workload, reterr);
	if (r == 0)
		r = tp_protocol_check(&doc, &protocol, reterr);
	if (r < 0)
		return r;
	*ret = protocol;
	protocol = (struct tp_protocol){};
	return 0;
}

int tp_protocol_parse(const char *text, const char *origin, struct tp_protocol *ret,
		      struct tp_err *reterr)
{
	return parse(text, strlen(text), origin, ret, reterr);
}

static int find(const char *name_or_path, const char *data_dir, char **ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = NULL;

	if (strchr(name_or_path, '/') || tp_str_ends(name_or_path, ".yaml"))
		path = strdup(name_or_path);
	else
		path = tp_strf("%s/protocols/%s.yaml", data_dir, name_or_path);
	if (!path)
		return tp_err_oom(reterr);
	if (!tp_path_exists(path))
		return tp_err_set(reterr, -ENOENT, name_or_path,
				  "there is no protocol %s: %s does not exist", name_or_path, path);
	*ret = TP_TAKE(path);
	return 0;
}

int tp_protocol_load(const char *name_or_path, const char *data_dir, struct tp_protocol *ret,
		     char **ret_text, char ret_sha256[static TP_SHA256_HEX], struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = NULL;
	_cleanup_(tp_freep) char *text = NULL;
	size_t len;
	int r = find(name_or_path, data_dir, &path, reterr);

	if (r == 0)
		r = tp_file_read(path, TP_DOC_MAX_BYTES, &text, &len, reterr);
	if (r == 0)
		r = parse(text, len, path, ret, reterr);
	if (r < 0)
		return r;
	tp_sha256_bytes(text, len, ret_sha256);
	*ret_text = TP_TAKE(text);
	return 0;
}
