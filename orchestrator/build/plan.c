/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A request resolved and hashed; see build.h. */
#include "build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build/inputs.h"
#include "build/toolchain.h"
#include "util/fd.h"
#include "util/str.h"
#include "vcs/worktree.h"

/* How long a look at the patches may take; they are applied to an index in memory only. */
#define PATCH_CHECK_MS (5 * 60 * 1000)

void tp_kernel_plan_deinit(struct tp_kernel_plan *plan)
{
	for (char **p = plan->patches; p && *p; p++)
		free(*p);
	free(plan->patches);
	free(plan->patch_sha256);
	free(plan->fragments_json);
	free(plan->toolchain_json);
	*plan = (struct tp_kernel_plan){};
}

/* Absolute, so that a change of folder between planning and building does not matter. */
static int resolve_patches(struct tp_kernel_plan *plan, struct tp_err *reterr)
{
	for (int i = 0; i < plan->n_patches; i++) {
		char *real = realpath(plan->patches[i], NULL);

		if (!real)
			return tp_err_set(reterr, -errno, NULL, "cannot read the patch %s: %s",
					  plan->patches[i], strerror(errno));
		free(plan->patches[i]);
		plan->patches[i] = real;
	}
	return 0;
}

/* Minutes of building are not spent on a patch that does not apply. */
static int check_patches(const struct tp_repo *repo, const struct tp_build_paths *paths,
			 const struct tp_kernel_plan *plan, struct tp_err *reterr)
{
	int r;

	if (plan->n_patches == 0)
		return 0;
	r = tp_dir_make(paths->work, 0750, reterr);
	if (r < 0)
		return r;
	r = tp_worktree_check_patches(tp_repo_git_dir(repo), paths->source, plan->commit.id,
				      (const char *const *)plan->patches,
				      tp_deadline_in(PATCH_CHECK_MS), reterr);
	return r == TP_WORKTREE_E_PATCH ? -EINVAL : r;
}

static int check_config_files(const struct tp_kernel_request *request, struct tp_err *reterr)
{
	if (!tp_path_exists(request->seed))
		return tp_err_set(reterr, -ENOENT, NULL, "there is no configuration seed %s",
				  request->seed);
	for (const char *const *f = request->fragments; f && *f; f++) {
		if (!tp_path_exists(*f))
			return tp_err_set(reterr, -ENOENT, NULL,
					  "there is no configuration fragment %s", *f);
	}
	return 0;
}

static int fill(const struct tp_kernel_request *request, struct tp_kernel_plan *plan,
		struct tp_err *reterr)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = NULL;
	_cleanup_(tp_build_paths_deinit) struct tp_build_paths paths = {};
	_cleanup_(tp_freep) char *rev = NULL;
	const struct tp_toolchain *tc;
	int r = tp_kernel_spec_parse(request->spec, &rev, &plan->patches, &plan->n_patches, reterr);

	if (r == 0)
		r = tp_build_paths_init(&paths, request, reterr);
	if (r == 0)
		r = check_config_files(request, reterr);
	if (r == 0)
		r = tp_repo_open(request->repo, &repo, reterr);
	if (r == 0)
		r = tp_repo_resolve(repo, rev, &plan->commit, reterr);
	if (r == 0)
		r = resolve_patches(plan, reterr);
	if (r == 0)
		r = tp_toolchain_get(&tc, reterr);
	if (r == 0)
		r = tp_inputs_hash(request, plan, reterr);
	if (r == 0)
		r = check_patches(repo, &paths, plan, reterr);
	if (r < 0)
		return r;
	plan->toolchain_json = tp_toolchain_json(tc);
	if (!plan->toolchain_json)
		return tp_err_oom(reterr);
	return tp_inputs_key(tc, &paths, plan, reterr);
}

int tp_kernel_plan_make(const struct tp_kernel_request *request, struct tp_kernel_plan *ret,
			struct tp_err *reterr)
{
	struct tp_kernel_plan plan = {};
	int r = fill(request, &plan, reterr);

	if (r < 0) {
		tp_kernel_plan_deinit(&plan);
		return r;
	}
	*ret = plan;
	return 0;
}
