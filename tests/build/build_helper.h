/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Toy kernels built from DIR/repo into DIR/cache, with DIR/seed and fragments beside it. */
#pragma once

#include "git_helper.h"

#include <jansson.h>
#include <unistd.h>
#include <zstd.h>

#include "build/build.h"

struct toy {
	const char *dir;
	char *repo, *seed, *cache, *work;
	char *fragments[5];
	struct tp_kernel_request request;
	int64_t timeout_ms;
};

/* @fragments: names in DIR; NULL-ended. */
static inline struct toy toy_of(const char *dir, const char *const *fragments)
{
	struct toy t = {.dir = dir,
			.repo = tp_strf("%s/repo", dir),
			.seed = tp_strf("%s/seed", dir),
			.cache = tp_strf("%s/cache", dir),
			.work = tp_strf("%s/work", dir),
			.timeout_ms = 60000};

	for (int i = 0; fragments && fragments[i]; i++)
		t.fragments[i] = tp_strf("%s/%s", dir, fragments[i]);
	return t;
}

static inline void toy_deinit(struct toy *t)
{
	free(t->repo);
	free(t->seed);
	free(t->cache);
	free(t->work);
	for (char **f = t->fragments; *f; f++)
		free(*f);
}

static inline struct tp_kernel_request request_of(const struct toy *t, const char *spec)
{
	return (struct tp_kernel_request){.repo = t->repo,
					  .spec = spec,
					  .seed = t->seed,
					  .fragments = (const char *const *)t->fragments,
					  .cache_dir = t->cache,
					  .work_dir = t->work,
					  .jobs = 2,
					  .timeout_ms = t->timeout_ms,
					  .min_free_bytes = 1};
}

/* Toy history, a seed, a compiler without a cache. */
static inline int build_setup(void **state)
{
	if (toy_setup(state) < 0)
		return -1;
	setenv("CCACHE_DISABLE", "1", 1);
	run(*state,
	    "printf 'CONFIG_SMP=y\\nCONFIG_HZ=100\\nCONFIG_LOCALVERSION=\"-seed\"\\n' >seed;"
	    "printf '# CONFIG_IKCONFIG is not set\\nCONFIG_BUILD_SALT=\"\"\\n"
	    "CONFIG_PREEMPT_DYNAMIC=y\\nCONFIG_RANDSTRUCT_NONE=y\\n' >normalise.config");
	return 0;
}

#define build_test(fn) cmocka_unit_test_setup_teardown(fn, build_setup, scratch_teardown)
#define FRAGMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NORMALISED     FRAGMENTS("normalise.config")

static inline int try_build(const struct toy *t, const char *spec, struct tp_kernel_result *ret,
			    struct tp_err *err)
{
	struct tp_kernel_request request = request_of(t, spec);
	struct tp_kernel_plan plan = {};
	int r = tp_kernel_plan_make(&request, &plan, err);

	if (r == 0)
		r = tp_kernel_build(&request, &plan, NULL, NULL, ret, err);
	tp_kernel_plan_deinit(&plan);
	return r;
}

/* Build and insist on a kernel. */
static inline struct tp_kernel_result built(const struct toy *t, const char *spec)
{
	struct tp_kernel_result k = {};
	struct tp_err err = {};

	if (try_build(t, spec, &k, &err) < 0)
		fail_msg("%s: %s", spec, err.text);
	if (k.outcome != TP_BUILD_OK)
		fail_msg("%s: %s", spec, k.first_error);
	return k;
}

/* Build and insist that we fail with @code and a sentence that has @words. */
static inline void assert_fault(const struct toy *t, const char *spec, int code, const char *words)
{
	struct tp_kernel_result k = {};
	struct tp_err err = {};
	int r = try_build(t, spec, &k, &err);

	if (r != code)
		fail_msg("%d instead of %d: %s", r, code, r < 0 ? err.text : k.first_error);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" lacks \"%s\"", err.text, words);
}

/* A commit NAME on top of @base, made by @script in the repository. */
static inline void variant(const char *dir, const char *name, const char *base, const char *script)
{
	_cleanup_(tp_freep) char *text =
	    tp_strf("export DIR=$1; cd repo; git checkout -q -B '%s' '%s'; %s; git add -A;"
		    "git commit -q -m '%s'; git checkout -q master",
		    name, base, script, name);

	run(dir, text);
}

/* A value of the manifest by path "kernel.incremental", as JSON text. */
static inline char *manifest_value(const struct tp_kernel_result *k, const char *path)
{
	json_t *record = json_loads(k->manifest_json, 0, NULL);
	const json_t *at = record;
	_cleanup_(tp_freep) char *copy = strdup(path);
	char *save = NULL, *text;

	for (char *name = strtok_r(copy, ".", &save); name; name = strtok_r(NULL, ".", &save))
		at = json_object_get(at, name);
	text = at ? json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT) : strdup("none");
	json_decref(record);
	return text;
}

static inline void assert_manifest(const struct tp_kernel_result *k, const char *path,
				   const char *wanted)
{
	_cleanup_(tp_freep) char *text = manifest_value(k, path);

	assert_string_equal(text, wanted);
}

/* The text of a compressed log. */
static inline char *unpacked(const char *path)
{
	_cleanup_(tp_freep) char *packed = NULL;
	size_t len, max = 1 << 20, n;
	char *text = malloc(max + 1);

	assert_int_equal(tp_file_read(path, max, &packed, &len, NULL), 0);
	n = ZSTD_decompress(text, max, packed, len);
	assert_false(ZSTD_isError(n));
	text[n] = '\0';
	return text;
}

static inline void assert_contains(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" lacks \"%s\"", text, words);
}
