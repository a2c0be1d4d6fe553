/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a person asked for, frozen; see request.h. */
#include "engine/request.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

static void kernel_deinit(struct tp_request_kernel *k)
{
	free(k->spec);
	free(k->asked);
}

void tp_request_deinit(struct tp_request *r)
{
	free(r->repo);
	free(r->seed);
	for (char **f = r->fragments; f && *f; f++)
		free(*f);
	free(r->fragments);
	kernel_deinit(&r->parent);
	kernel_deinit(&r->child);
	*r = (struct tp_request){};
}

static json_t *kernel_json(const struct tp_request_kernel *k)
{
	return json_pack("{s:s, s:s, s:s}", "spec", k->spec, "asked", k->asked, "key", k->key);
}

char *tp_request_to_json(const struct tp_request *r)
{
	json_t *fragments = json_array();
	json_t *root;
	char *text;

	for (char **f = r->fragments; f && *f; f++)
		json_array_append_new(fragments, json_string(*f));
	root = json_pack("{s:i, s:s, s:s, s:o, s:i, s:s, s:s, s:o, s:o}", "version", 1, "repo",
			 r->repo, "seed", r->seed, "fragments", fragments, "jobs", r->jobs,
			 "target_sha256", r->target_sha256, "protocol_sha256", r->protocol_sha256,
			 "parent", kernel_json(&r->parent), "child", kernel_json(&r->child));
	text = root ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	return text;
}

static int read_kernel(json_t *object, struct tp_request_kernel *ret)
{
	const char *spec, *asked, *key;

	if (json_unpack(object, "{s:s, s:s, s:s}", "spec", &spec, "asked", &asked, "key", &key) < 0)
		return -EINVAL;
	if (strlen(key) != TP_SHA256_HEX - 1)
		return -EINVAL;
	ret->spec = strdup(spec);
	ret->asked = strdup(asked);
	memcpy(ret->key, key, TP_SHA256_HEX);
	return ret->spec && ret->asked ? 0 : -ENOMEM;
}

static int read_fragments(json_t *array, struct tp_request *r)
{
	size_t n = json_array_size(array);

	r->fragments = calloc(n + 1, sizeof(char *));
	if (!r->fragments)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (!text)
			return -EINVAL;
		r->fragments[i] = strdup(text);
		if (!r->fragments[i])
			return -ENOMEM;
	}
	return 0;
}

static int read_request(json_t *root, struct tp_request *r)
{
	const char *repo, *seed, *target, *protocol;
	json_t *fragments, *parent, *child;
	int version, err;

	if (json_unpack(root, "{s:i, s:s, s:s, s:o, s:i, s:s, s:s, s:o, s:o}", "version", &version,
			"repo", &repo, "seed", &seed, "fragments", &fragments, "jobs", &r->jobs,
			"target_sha256", &target, "protocol_sha256", &protocol, "parent", &parent,
			"child", &child) < 0 ||
	    version != 1 || strlen(target) != 64 || strlen(protocol) != 64)
		return -EINVAL;
	r->repo = strdup(repo);
	r->seed = strdup(seed);
	memcpy(r->target_sha256, target, TP_SHA256_HEX);
	memcpy(r->protocol_sha256, protocol, TP_SHA256_HEX);
	if (!r->repo || !r->seed)
		return -ENOMEM;
	err = read_fragments(fragments, r);
	if (err == 0)
		err = read_kernel(parent, &r->parent);
	if (err == 0)
		err = read_kernel(child, &r->child);
	return err;
}

int tp_request_from_json(const char *text, struct tp_request *ret, struct tp_err *reterr)
{
	struct tp_request r = {};
	json_error_t where;
	json_t *root = json_loads(text, 0, &where);
	int err = root ? read_request(root, &r) : -EINVAL;

	json_decref(root);
	if (err < 0) {
		tp_request_deinit(&r);
		return tp_err_set(
		    reterr, err, NULL,
		    "the job's stored request cannot be read; the database comes from "
		    "another version or was edited");
	}
	*ret = r;
	return 0;
}

void tp_request_key(const struct tp_request *r, const char *kind, const char *target,
		    char ret[static TP_SHA256_HEX])
{
	_cleanup_(tp_str_deinit) struct tp_str text = {};

	tp_str_printf(&text, "%s\n%s\n%s\n%s\n%s\n%s\n", kind, target, r->parent.key, r->child.key,
		      r->target_sha256, r->protocol_sha256);
	tp_sha256_bytes(tp_str_text(&text), text.len, ret);
}
