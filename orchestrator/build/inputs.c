/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes of what goes into a kernel; see inputs.h. */
#include "build/inputs.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/str.h"

#define RECIPE "triptych-kernel-1"

const char *const tp_build_constants[] = {
    "LC_ALL=C",
    "TZ=UTC",
    "KBUILD_BUILD_TIMESTAMP=Sat Jan  1 00:00:00 UTC 2000",
    "SOURCE_DATE_EPOCH=946684800",
    "KBUILD_BUILD_USER=triptych",
    "KBUILD_BUILD_HOST=triptych",
    "KBUILD_BUILD_VERSION=1",
    NULL,
};

static char *absolute(const char *path)
{
	_cleanup_(tp_freep) char *cwd = NULL;
	char *copy;

	if (path[0] == '/') {
		copy = strdup(path);
	} else {
		cwd = getcwd(NULL, 0);
		copy = cwd ? tp_strf("%s/%s", cwd, path) : NULL;
	}
	/* One spelling for one folder, as far as that goes without touching the disk. */
	for (size_t n = copy ? strlen(copy) : 0; n > 1 && copy[n - 1] == '/'; n--)
		copy[n - 1] = '\0';
	return copy;
}

int tp_build_paths_init(struct tp_build_paths *ret, const struct tp_kernel_request *request,
			struct tp_err *reterr)
{
	struct tp_build_paths p = {.work = absolute(request->work_dir),
				   .cache = absolute(request->cache_dir)};

	p.source = p.work ? tp_strf("%s/src", p.work) : NULL;
	p.object = p.work ? tp_strf("%s/obj", p.work) : NULL;
	if (!p.work || !p.cache || !p.source || !p.object) {
		tp_build_paths_deinit(&p);
		return tp_err_oom(reterr);
	}
	/* make splits its variables at blanks and the kernel's own Makefile refuses colons. */
	if (strpbrk(p.work, " \t\n:%$#\\'\"")) {
		int r = tp_err_set(reterr, -EINVAL, NULL,
				   "kernels cannot be built in %s: a path with blanks or one of "
				   ": %% $ # \\ ' \" does not survive make; choose another folder",
				   p.work);

		tp_build_paths_deinit(&p);
		return r;
	}
	*ret = p;
	return 0;
}

void tp_build_paths_deinit(struct tp_build_paths *paths)
{
	free(paths->work);
	free(paths->source);
	free(paths->object);
	free(paths->cache);
	*paths = (struct tp_build_paths){};
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int hash_fragments(const char *const *fragments, char **ret, struct tp_err *reterr)
{
	json_t *list = json_array();
	char hex[TP_SHA256_HEX];
	int r = list ? 0 : tp_err_oom(reterr);

	for (; r == 0 && fragments && *fragments; fragments++) {
		r = tp_sha256_path(*fragments, hex, reterr);
		if (r == 0 &&
		    json_array_append_new(list, json_pack("{ss, ss}", "name", base_name(*fragments),
							  "sha256", hex)) < 0)
			r = tp_err_set(reterr, -EINVAL, NULL,
				       "the fragment %s cannot be recorded: its name is not UTF-8",
				       *fragments);
	}
	if (r == 0) {
		*ret = json_dumps(list, JSON_COMPACT);
		r = *ret ? 0 : tp_err_oom(reterr);
	}
	json_decref(list);
	return r;
}

int tp_inputs_hash(const struct tp_kernel_request *request, struct tp_kernel_plan *plan,
		   struct tp_err *reterr)
{
	int r = tp_sha256_path(request->seed, plan->seed_sha256, reterr);

	if (r == 0)
		r = hash_fragments(request->fragments, &plan->fragments_json, reterr);
	if (r < 0 || plan->n_patches == 0)
		return r;
	plan->patch_sha256 = calloc((size_t)plan->n_patches, sizeof(*plan->patch_sha256));
	if (!plan->patch_sha256)
		return tp_err_oom(reterr);
	for (int i = 0; r == 0 && i < plan->n_patches; i++)
		r = tp_sha256_path(plan->patches[i], plan->patch_sha256[i], reterr);
	return r;
}

static int changed(const char *what, struct tp_err *reterr)
{
	return tp_err_set(reterr, -ESTALE, NULL,
			  "%s changed after this kernel was planned; start the job again", what);
}

int tp_inputs_verify(const struct tp_kernel_request *request, const struct tp_kernel_plan *plan,
		     struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *fragments = NULL;
	char hex[TP_SHA256_HEX];
	int r = tp_sha256_path(request->seed, hex, reterr);

	if (r < 0)
		return r;
	if (strcmp(hex, plan->seed_sha256))
		return changed(request->seed, reterr);
	r = hash_fragments(request->fragments, &fragments, reterr);
	if (r < 0)
		return r;
	if (strcmp(fragments, plan->fragments_json))
		return changed("a configuration fragment", reterr);
	for (int i = 0; i < plan->n_patches; i++) {
		r = tp_sha256_path(plan->patches[i], hex, reterr);
		if (r < 0)
			return r;
		if (strcmp(hex, plan->patch_sha256[i]))
			return changed(plan->patches[i], reterr);
	}
	return 0;
}

int tp_inputs_key(const struct tp_toolchain *tc, const struct tp_build_paths *paths,
		  struct tp_kernel_plan *plan, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str s = {};

	tp_str_append(&s, RECIPE "\n");
	for (const char *const *c = tp_build_constants; *c; c++)
		tp_str_printf(&s, "constant %s\n", *c);
	tp_str_printf(&s, "source %s\nobject %s\n", paths->source, paths->object);
	tp_str_printf(&s, "commit %s\ntree %s\n", plan->commit.id, plan->commit.tree);
	for (int i = 0; i < plan->n_patches; i++)
		tp_str_printf(&s, "patch %s\n", plan->patch_sha256[i]);
	tp_str_printf(&s, "seed %s\nfragments %s\n", plan->seed_sha256, plan->fragments_json);
	for (int i = 0; i < tc->n; i++) {
		if (tc->tools[i].in_key)
			tp_str_printf(&s, "tool %s %s %s\n", tc->tools[i].name,
				      tc->tools[i].version, tc->tools[i].sha256);
	}
	if (s.broken)
		return tp_err_oom(reterr);
	tp_sha256_bytes(tp_str_text(&s), s.len, plan->key);
	snprintf(plan->local_version, sizeof(plan->local_version), "-tp-%.12s", plan->key);
	return 0;
}
