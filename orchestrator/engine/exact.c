/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making the job `exact`; see exact.h. */
#include "engine/exact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/build.h"
#include "config/protocol.h"
#include "config/target.h"
#include "engine/enroll.h"
#include "engine/request.h"
#include "util/clock.h"
#include "util/str.h"

struct draft {
	struct tp_request request;
	struct tp_protocol protocol;
	char *protocol_text;
	struct tp_target_row target_row;
	struct tp_target_config target;
	struct tp_kernel_plan parent, child;
};

static void draft_deinit(struct draft *d)
{
	tp_request_deinit(&d->request);
	tp_protocol_deinit(&d->protocol);
	free(d->protocol_text);
	tp_target_row_deinit(&d->target_row);
	tp_target_config_deinit(&d->target);
	tp_kernel_plan_deinit(&d->parent);
	tp_kernel_plan_deinit(&d->child);
}

static int draft_target(struct draft *d, struct tp_store *store, const char *name,
			struct tp_err *reterr)
{
	int r = tp_enroll_find(store, name, &d->target_row, reterr);

	if (r != 0)
		return r;
	tp_sha256_bytes(d->target_row.yaml, strlen(d->target_row.yaml), d->request.target_sha256);
	return tp_target_config_parse(d->target_row.yaml, name, &d->target, reterr);
}

static int draft_recipe(struct draft *d, const struct tp_paths *paths, struct tp_err *reterr)
{
	unsigned n = d->target.kernel.fragments_count;
	int r;

	if (!d->target.kernel.seed)
		return tp_err_set(reterr, -EINVAL, d->target.name,
				  "target %s names no kernel.seed: say which kernel configuration "
				  "boots this machine",
				  d->target.name);
	r = tp_paths_kconfig(paths, d->target.kernel.seed, &d->request.seed, reterr);
	d->request.jobs = d->target.kernel.jobs;
	d->request.fragments = calloc(n + 1, sizeof(char *));
	if (!d->request.fragments)
		return tp_err_oom(reterr);
	for (unsigned i = 0; r == 0 && i < n; i++)
		r = tp_paths_kconfig(paths, d->target.kernel.fragments[i], &d->request.fragments[i],
				     reterr);
	return r;
}

static int draft_kernel(struct draft *d, const struct tp_paths *paths, const char *spec,
			struct tp_kernel_plan *ret, struct tp_err *reterr)
{
	struct tp_kernel_request request = {
	    .repo = d->request.repo,
	    .spec = spec,
	    .seed = d->request.seed,
	    .fragments = (const char *const *)d->request.fragments,
	    .cache_dir = paths->kernels,
	    .work_dir = paths->work,
	};

	return tp_kernel_plan_make(&request, ret, reterr);
}

/* <full id>[+PATCH...]: what the stored request names, whatever a branch does later. */
static char *resolved_spec(const char *id, char *const *patches, int n_patches)
{
	struct tp_str spec = {};

	tp_str_append(&spec, id);
	for (int i = 0; i < n_patches; i++)
		tp_str_printf(&spec, "+%s", patches[i]);
	return tp_str_take(&spec);
}

/* The parent: the first parent of REV, or the same kernel without its last patch. */
static int draft_parent(struct draft *d, const struct tp_paths *paths, const char *asked,
			struct tp_err *reterr)
{
	const struct tp_kernel_plan *child = &d->child;
	int n = child->n_patches;

	if (n == 0 && child->commit.n_parents == 0)
		return tp_err_set(reterr, -EINVAL, asked,
				  "commit %.12s has no parent to compare it with",
				  child->commit.id);
	d->request.child.spec = resolved_spec(child->commit.id, child->patches, n);
	d->request.child.asked = strdup(asked);
	d->request.parent.spec = n ? resolved_spec(child->commit.id, child->patches, n - 1)
				   : strdup(child->commit.parent);
	d->request.parent.asked =
	    n ? tp_strf("%s without its last patch", asked) : tp_strf("parent of %s", asked);
	if (!d->request.child.spec || !d->request.child.asked || !d->request.parent.spec ||
	    !d->request.parent.asked)
		return tp_err_oom(reterr);
	return draft_kernel(d, paths, d->request.parent.spec, &d->parent, reterr);
}

static int draft_make(struct draft *d, struct tp_store *store, const struct tp_paths *paths,
		      const struct tp_exact *exact, struct tp_err *reterr)
{
	int r = draft_target(d, store, exact->target, reterr);

	if (r == 0)
		r = tp_protocol_load(exact->protocol, paths->data, &d->protocol, &d->protocol_text,
				     d->request.protocol_sha256, reterr);
	if (r == 0)
		r = draft_recipe(d, paths, reterr);
	if (r != 0)
		return r;
	d->request.repo = realpath(exact->repo, NULL);
	if (!d->request.repo)
		return tp_err_set(reterr, -errno, exact->repo, "cannot find the repository %s: %s",
				  exact->repo, strerror(errno));
	r = draft_kernel(d, paths, exact->spec, &d->child, reterr);
	if (r == 0)
		r = draft_parent(d, paths, exact->spec, reterr);
	if (r != 0)
		return r;
	memcpy(d->request.parent.key, d->parent.key, TP_SHA256_HEX);
	memcpy(d->request.child.key, d->child.key, TP_SHA256_HEX);
	return 0;
}

static int put_kernel(struct tp_store *store, const struct tp_kernel_plan *plan, const char *spec,
		      int64_t *ret, struct tp_err *reterr)
{
	return tp_store_kernel_put(store, plan->key, spec, plan->commit.id, plan->commit.tree,
				   plan->commit.subject, tp_clock_wall_ms(), ret, reterr);
}

static int create_job(struct draft *d, struct tp_store *store, const char *key, int64_t *ret,
		      struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *json = tp_request_to_json(&d->request);
	const char *user = getenv("SUDO_USER") ? getenv("SUDO_USER") : getenv("USER");
	struct tp_job_new job = {
	    .kind = TP_JOB_EXACT,
	    .request_json = json,
	    .request_key = key,
	    .asked_by = user ? user : "unknown",
	    .target_id = d->target_row.id,
	    .max_boot_attempts = d->target.max_boot_attempts,
	    .max_infra_attempts = d->target.max_infra_attempts,
	    .n_points = 3,
	};
	int64_t parent, child;
	int r = json ? 0 : tp_err_oom(reterr);

	if (r == 0)
		r = tp_store_protocol_put(store, d->protocol.name, d->request.protocol_sha256,
					  d->protocol_text, tp_clock_wall_ms(), &job.protocol_id,
					  reterr);
	if (r == 0)
		r = put_kernel(store, &d->parent, d->request.parent.asked, &parent, reterr);
	if (r == 0)
		r = put_kernel(store, &d->child, d->request.child.asked, &child, reterr);
	if (r != 0)
		return r;
	job.points[0].role = TP_ROLE_PARENT_A;
	job.points[0].kernel_id = parent;
	job.points[0].asked = d->request.parent.asked;
	job.points[1].asked = d->request.child.asked;
	job.points[2].asked = d->request.parent.asked;
	job.points[1].role = TP_ROLE_CHILD;
	job.points[1].kernel_id = child;
	job.points[2].role = TP_ROLE_PARENT_B;
	job.points[2].kernel_id = parent;
	return tp_store_job_create(store, &job, tp_clock_wall_ms(), ret, reterr);
}

/* 0 with *ret_job set when an older job serves; TP_STORE_E_NOT_FOUND to make a new one. */
static int find_job(struct tp_store *store, const char *key, bool again, int64_t *ret_job,
		    bool *ret_done, struct tp_err *reterr)
{
	_cleanup_(tp_job_row_deinit) struct tp_job_row row = {};
	int64_t id;
	int r = tp_store_job_find(store, key, &id, reterr);

	if (r == 0)
		r = tp_store_job_get(store, id, &row, reterr);
	if (r != 0)
		return r;
	if (row.state == TP_JOB_CANCELLED || (row.state == TP_JOB_DONE && again))
		return TP_STORE_E_NOT_FOUND;
	*ret_job = id;
	*ret_done = row.state == TP_JOB_DONE;
	return 0;
}

int tp_exact_prepare(struct tp_store *store, const struct tp_paths *paths,
		     const struct tp_exact *exact, int64_t *ret_job, bool *ret_done,
		     struct tp_err *reterr)
{
	_cleanup_(draft_deinit) struct draft d = {};
	char key[TP_SHA256_HEX];
	int r = draft_make(&d, store, paths, exact, reterr);

	if (r != 0)
		return tp_err_as_errno(r, reterr);
	tp_request_key(&d.request, "exact", exact->target, key);
	r = find_job(store, key, exact->again, ret_job, ret_done, reterr);
	if (r != TP_STORE_E_NOT_FOUND)
		return tp_err_as_errno(r, reterr);
	*ret_done = false;
	r = create_job(&d, store, key, ret_job, reterr);
	return tp_err_as_errno(r, reterr);
}
