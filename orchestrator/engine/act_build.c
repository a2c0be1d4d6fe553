/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building a kernel of the job, and comparing the configs of those that are built.
 *
 * A build is content-addressed: after a crash it is simply asked for again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build/build.h"
#include "engine/act.h"
#include "util/failpoint.h"
#include "util/str.h"

static void on_build_progress(int done, int expected, const char *what, void *data)
{
	struct tp_progress *progress = data;

	(void)what;
	tp_progress_count(progress, done, expected, false);
}

static const struct tp_request_kernel *asked_kernel(const struct tp_worker *w, const char *key)
{
	return strcmp(w->request.child.key, key) == 0 ? &w->request.child : &w->request.parent;
}

static struct tp_kernel_request build_request(const struct tp_worker *w,
					      const struct tp_request_kernel *asked)
{
	return (struct tp_kernel_request){
	    .repo = w->request.repo,
	    .spec = asked->spec,
	    .seed = w->request.seed,
	    .fragments = (const char *const *)w->request.fragments,
	    .cache_dir = w->paths->kernels,
	    .work_dir = w->paths->work,
	    .jobs = w->request.jobs,
	    .timeout_ms = w->options.build_timeout_ms,
	    .min_free_bytes = w->options.min_free_bytes,
	};
}

/* The recipe must still be the one that the job was planned with. */
static int check_key(const struct tp_kernel_plan *plan, const struct tp_request_kernel *asked,
		     struct tp_err *reterr)
{
	if (strcmp(plan->key, asked->key) == 0)
		return 0;
	return tp_err_set(reterr, -ESTALE, asked->asked,
			  "the toolchain, a config file or a patch changed since this job was "
			  "planned (%.12s is now %.12s); undo the change, or start the job anew",
			  asked->key, plan->key);
}

static struct tp_kernel_row finished_row(int64_t id, struct tp_kernel_result *result)
{
	return (struct tp_kernel_row){
	    .id = id,
	    .state = result->outcome == TP_BUILD_OK ? TP_KERNEL_BUILT : TP_KERNEL_BUILD_FAIL,
	    .release = result->release,
	    .build_id = result->build_id,
	    .config_sha256 = result->config_sha256,
	    .image_sha256 = result->image_sha256,
	    .canonical_sha256 = result->canonical_sha256,
	    .artifact_dir = result->artifact_dir,
	    .manifest_json = result->manifest_json,
	    .first_error = result->first_error,
	    .log_path = result->log_path,
	    .build_ms = result->build_ms,
	};
}

static int record(struct tp_worker *w, int64_t step, const struct tp_kernel_row *row,
		  struct tp_err *reterr)
{
	int64_t now_ms = tp_clock_wall_ms();
	int r = tp_store_begin(w->store, reterr);

	if (r == 0)
		r = tp_store_kernel_finish(w->store, row, reterr);
	if (r == 0)
		r = tp_store_step_finish(w->store, w->epoch, step, TP_STEP_DONE, row->first_error,
					 now_ms, reterr);
	if (r == 0)
		r = tp_store_commit(w->store, reterr);
	if (r != 0)
		tp_store_rollback(w->store);
	return r;
}

static void say_built(struct tp_worker *w, const struct tp_request_kernel *asked,
		      const struct tp_kernel_result *result)
{
	if (result->outcome == TP_BUILD_FAIL)
		tp_act_say(w, "%s does not build: %s (log: %s)", asked->asked,
			   result->first_error ? result->first_error : "no message",
			   result->log_path ? result->log_path : "none");
	else if (result->from_cache)
		tp_act_say(w, "%s: kernel %s is in the cache", asked->asked, result->release);
	else
		tp_act_say(w, "%s: built %s, %d files in %.1f s", asked->asked, result->release,
			   result->files_compiled, (double)result->build_ms / 1000);
}

static int build(struct tp_worker *w, int64_t id, const struct tp_request_kernel *asked,
		 int64_t step, struct tp_err *reterr)
{
	_cleanup_(tp_kernel_plan_deinit) struct tp_kernel_plan plan = {};
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result result = {};
	struct tp_kernel_request request = build_request(w, asked);
	struct tp_kernel_row row;
	int r = tp_kernel_plan_make(&request, &plan, reterr);

	if (r == 0)
		r = check_key(&plan, asked, reterr);
	if (r == 0)
		r = tp_kernel_build(&request, &plan, on_build_progress, &w->progress, &result,
				    reterr);
	if (r != 0)
		return r;
	tp_failpoint("act:built");
	row = finished_row(id, &result);
	r = record(w, step, &row, reterr);
	if (r == 0)
		say_built(w, asked, &result);
	return r;
}

int tp_act_build(struct tp_worker *w, const struct tp_plan_kernel *kernel, struct tp_err *reterr)
{
	_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row row = {};
	const struct tp_request_kernel *asked;
	struct tp_err ignored;
	int64_t step;
	int r = tp_store_kernel_get(w->store, kernel->id, &row, reterr);

	if (r != 0)
		return r;
	asked = asked_kernel(w, row.key);
	tp_progress_activity(&w->progress, "building %s", asked->asked);
	r = tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, kernel->id, 0,
				tp_clock_wall_ms(), &step, reterr);
	if (r != 0)
		return r;
	r = build(w, kernel->id, asked, step, reterr);
	if (r != 0 && tp_store_step_finish(w->store, w->epoch, step, TP_STEP_FAILED, reterr->text,
					   tp_clock_wall_ms(), &ignored) != 0)
		tp_act_say(w, "the failed build could not be recorded: %s", ignored.text);
	return r;
}

int tp_act_config_diff(struct tp_worker *w, const struct tp_snapshot *snapshot, char **ret,
		       struct tp_err *reterr)
{
	_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row a = {};
	_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row b = {};
	_cleanup_(tp_freep) char *path_a = NULL;
	_cleanup_(tp_freep) char *path_b = NULL;
	int r = tp_store_kernel_get(w->store, snapshot->kernels[0].id, &a, reterr);

	if (r == 0)
		r = tp_store_kernel_get(w->store, snapshot->kernels[1].id, &b, reterr);
	if (r != 0)
		return r;
	path_a = tp_strf("%s/config", a.artifact_dir);
	path_b = tp_strf("%s/config", b.artifact_dir);
	if (!path_a || !path_b)
		return tp_err_oom(reterr);
	return tp_config_diff(path_a, path_b,
			      (const char *const *)w->target.kernel.allow_config_differences, ret,
			      reterr);
}
