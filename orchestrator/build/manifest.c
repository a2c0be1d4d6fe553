/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of a kernel; see manifest.h. */
#include "build/manifest.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/fd.h"
#include "util/str.h"

/* @verify: its bytes are hashed again before the entry is used. */
static const struct file {
	const char *name;
	bool verify, optional;
} files[] = {
    {"bzImage", true, false},	   {"System.map", true, false},	    {"config", true, false},
    {"vmlinux.zst", false, false}, {"build.log.zst", false, false}, {"modules.tar", true, true},
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static json_t *pack_commit(const struct tp_commit *c)
{
	return json_pack("{ss, ss, ss, si, sI, ss}", "id", c->id, "tree", c->tree, "parent",
			 c->parent, "parents", c->n_parents, "time", (json_int_t)c->time_s,
			 "subject", c->subject);
}

static json_t *pack_patches(const struct tp_kernel_plan *plan)
{
	json_t *list = json_array();

	for (int i = 0; i < plan->n_patches; i++)
		json_array_append_new(list,
				      json_pack("{ss%, ss}", "name", base_name(plan->patches[i]),
						strlen(base_name(plan->patches[i])), "sha256",
						plan->patch_sha256[i]));
	return list;
}

/* "LC_ALL=C" ... as an object. */
static json_t *pack_constants(void)
{
	json_t *object = json_object();

	for (const char *const *c = tp_build_constants; *c; c++) {
		const char *equals = strchr(*c, '=');
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)(equals - *c), *c);
		json_object_set_new(object, name, json_string(equals + 1));
	}
	return object;
}

static json_t *parse(const char *text)
{
	return json_loads(text, 0, NULL);
}

static json_t *pack_config(const struct tp_build *b)
{
	return json_pack("{ss, ss, so, so, ss, ss}", "seed", base_name(b->request->seed),
			 "seed_sha256", b->plan->seed_sha256, "fragments",
			 parse(b->plan->fragments_json), "fragment_symbols_not_taken",
			 parse(b->facts.not_taken_json), "canonical_sha256_before",
			 b->facts.config_before, "canonical_sha256_after", b->facts.config_after);
}

static int pack_file(const char *dir, const struct file *file, json_t *object,
		     struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, file->name);
	char hex[TP_SHA256_HEX];
	struct stat st;
	int r;

	if (!path)
		return tp_err_oom(reterr);
	if (stat(path, &st) < 0) {
		if (file->optional && errno == ENOENT)
			return 0;
		return tp_err_set(reterr, -errno, NULL, "cannot look at %s: %s", path,
				  strerror(errno));
	}
	r = tp_sha256_path(path, hex, reterr);
	if (r < 0)
		return r;
	json_object_set_new(object, file->name,
			    json_pack("{ss, sI}", "sha256", hex, "bytes", (json_int_t)st.st_size));
	return 0;
}

static int pack_files(const char *dir, json_t **ret, struct tp_err *reterr)
{
	json_t *object = json_object();
	int r = object ? 0 : tp_err_oom(reterr);

	for (size_t i = 0; r == 0 && i < TP_ARRAY_SIZE(files); i++)
		r = pack_file(dir, &files[i], object, reterr);
	if (r < 0) {
		json_decref(object);
		return r;
	}
	*ret = object;
	return 0;
}

static json_t *pack_outcome(const struct tp_build *b)
{
	const struct tp_build_facts *f = &b->facts;

	return json_pack("{ss, si, ss, ss, ss, ss, ss, sb, si, sI}", "release", f->release,
			 "release_length", (int)strlen(f->release), "build_id", f->image.build_id,
			 "vmlinux_sha256", f->image.sha256, "canonical_sha256", f->image.canonical,
			 "signing_key_sha256", f->signing_key_sha256, "local_version",
			 b->plan->local_version, "incremental", f->incremental, "files_compiled",
			 f->compiled, "build_ms", (json_int_t)f->build_ms);
}

int tp_manifest_make(const struct tp_build *b, const char *dir, char **ret, struct tp_err *reterr)
{
	json_t *record, *built_files = NULL;
	char *text;
	int r = pack_files(dir, &built_files, reterr);

	if (r < 0)
		return r;
	record = json_pack(
	    "{si, ss, so, so, so, so, so, s{ss, ss}, so, so}", "format", TP_MANIFEST_FORMAT, "key",
	    b->plan->key, "commit", pack_commit(&b->plan->commit), "patches", pack_patches(b->plan),
	    "config", pack_config(b), "toolchain", parse(b->plan->toolchain_json), "constants",
	    pack_constants(), "paths", "source", b->paths.source, "object", b->paths.object,
	    "kernel", pack_outcome(b), "files", built_files);
	text = record ? json_dumps(record, JSON_INDENT(2)) : NULL;
	json_decref(record);
	if (!text)
		return tp_err_set(reterr, -EINVAL, NULL,
				  "the kernel cannot be recorded: a name in it is not UTF-8");
	*ret = text;
	return 0;
}

static int check_file(const json_t *object, const char *dir, const struct file *file)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, file->name);
	const json_t *entry = json_object_get(object, file->name);
	const char *sha256 = json_string_value(json_object_get(entry, "sha256"));
	char hex[TP_SHA256_HEX];
	struct stat st;

	if (!entry)
		return file->optional ? 0 : -EBADMSG;
	if (!path || !sha256 || stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size != json_integer_value(json_object_get(entry, "bytes")))
		return -EBADMSG;
	if (!file->verify)
		return 0;
	return tp_sha256_path(path, hex, NULL) < 0 || strcmp(hex, sha256) ? -EBADMSG : 0;
}

static bool copy_text(const json_t *object, const char *name, char *ret, size_t size)
{
	const char *text = json_string_value(json_object_get(object, name));

	if (!text || strlen(text) >= size)
		return false;
	memcpy(ret, text, strlen(text) + 1);
	return true;
}

static int read_record(const json_t *record, const char *dir, const char *key,
		       struct tp_kernel_result *k)
{
	const json_t *kernel = json_object_get(record, "kernel");
	const json_t *built = json_object_get(record, "files");
	const char *its_key = json_string_value(json_object_get(record, "key"));

	if (json_integer_value(json_object_get(record, "format")) != TP_MANIFEST_FORMAT ||
	    !its_key || strcmp(its_key, key))
		return -EBADMSG;
	for (size_t i = 0; i < TP_ARRAY_SIZE(files); i++) {
		if (check_file(built, dir, &files[i]) < 0)
			return -EBADMSG;
	}
	if (!copy_text(kernel, "release", k->release, sizeof(k->release)) ||
	    !copy_text(kernel, "build_id", k->build_id, sizeof(k->build_id)) ||
	    !copy_text(kernel, "vmlinux_sha256", k->vmlinux_sha256, TP_SHA256_HEX) ||
	    !copy_text(kernel, "canonical_sha256", k->canonical_sha256, TP_SHA256_HEX) ||
	    !copy_text(json_object_get(record, "config"), "canonical_sha256_after",
		       k->config_sha256, TP_SHA256_HEX) ||
	    !copy_text(json_object_get(built, "bzImage"), "sha256", k->image_sha256,
		       TP_SHA256_HEX) ||
	    !copy_text(json_object_get(built, "System.map"), "sha256", k->system_map_sha256,
		       TP_SHA256_HEX))
		return -EBADMSG;
	k->files_compiled = (int)json_integer_value(json_object_get(kernel, "files_compiled"));
	k->build_ms = json_integer_value(json_object_get(kernel, "build_ms"));
	return 0;
}

int tp_manifest_load(const char *text, const char *dir, const char *key,
		     struct tp_kernel_result *ret, struct tp_err *reterr)
{
	struct tp_kernel_result k = {.outcome = TP_BUILD_OK};
	json_t *record = parse(text);
	int r = record ? read_record(record, dir, key, &k) : -EBADMSG;

	json_decref(record);
	if (r < 0)
		return tp_err_set(reterr, r, NULL, "the cached kernel in %s is damaged", dir);
	*ret = k;
	return 0;
}
