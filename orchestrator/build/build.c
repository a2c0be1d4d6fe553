/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a plan to a kernel in the cache; see build.h. */
#include "build/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "build/artifact.h"
#include "build/attempt.h"
#include "build/make.h"
#include "build/objtree.h"
#include "build/state.h"
#include "util/failpoint.h"
#include "util/fd.h"
#include "util/str.h"
#include "vcs/worktree.h"

#define DEFAULT_TIMEOUT_MS (4ll * 3600 * 1000)
#define DEFAULT_MIN_FREE   (2ll << 30)
#define LOCK_LOOK_MS	   200

static void build_deinit(struct tp_build *b)
{
	tp_build_paths_deinit(&b->paths);
	free(b->facts.not_taken_json);
	free(b->log_path);
	tp_fd_closep(&b->log_fd);
	tp_fd_closep(&b->lock_fd);
}

static int check_room(const char *path, int64_t least, struct tp_err *reterr)
{
	int64_t room = tp_disk_free(path);

	if (room < 0)
		return tp_err_set(reterr, (int)room, NULL, "cannot look at the disk of %s: %s",
				  path, strerror((int)-room));
	if (room >= least)
		return 0;
	return tp_err_set(
	    reterr, -ENOSPC, NULL,
	    "only %.1f GiB are free on the disk of %s and a kernel build should begin "
	    "with %.1f GiB; free some room or put the state folder on another disk",
	    (double)room / (1 << 30), path, (double)least / (1 << 30));
}

static int check_rooms(const struct tp_build *b, struct tp_err *reterr)
{
	int64_t least = b->request->min_free_bytes;
	int r;

	if (least <= 0)
		least = DEFAULT_MIN_FREE;
	r = check_room(b->paths.work, least, reterr);
	return r < 0 ? r : check_room(b->paths.cache, least, reterr);
}

/*
 * The descriptor is handed down to make and to every compiler: after a kill of this process the
 * lock lasts until the last of them is gone, so that never two builds write to one tree.
 */
static int take_lock(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/lock", b->paths.work);

	if (!path)
		return tp_err_oom(reterr);
	for (;;) {
		struct tp_err why = {};
		int fd = tp_lock_file(path, false, &why);

		if (fd >= 0) {
			b->lock_fd = fd;
			return 0;
		}
		if (fd != -EWOULDBLOCK)
			return tp_err_set(reterr, fd, NULL, "%s", why.text);
		tp_build_tell(b, "waiting for another build", false);
		if (!tp_deadline_sleep(b->deadline, LOCK_LOOK_MS))
			return tp_err_set(reterr, -ETIMEDOUT, NULL,
					  "another build holds %s and did not end within the time "
					  "limit",
					  b->paths.work);
	}
}

static int open_log(struct tp_build *b, struct tp_err *reterr)
{
	b->log_path = tp_strf("%s/build.log", b->paths.work);
	if (!b->log_path)
		return tp_err_oom(reterr);
	b->log_fd = open(b->log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0640);
	if (b->log_fd < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot write %s: %s", b->log_path,
				  strerror(errno));
	return 0;
}

static int prepare_source(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_repo_closep) struct tp_repo *repo = NULL;
	int r = tp_repo_open(b->request->repo, &repo, reterr);

	if (r < 0)
		return r;
	tp_build_tell(b, "checking out", true);
	r = tp_worktree_prepare(tp_repo_git_dir(repo), b->paths.source, b->plan->commit.id,
				(const char *const *)b->plan->patches, b->deadline, reterr);
	return r == TP_WORKTREE_E_PATCH ? -EINVAL : r;
}

static void reset_scan(struct tp_build *b)
{
	const char *source = b->scan.source_prefix, *object = b->scan.object_prefix;

	b->scan = (struct tp_build_scan){.source_prefix = source, .object_prefix = object};
}

/*
 * "Does not build" is evidence about a commit. A kept object tree can fail on its own account
 * (a stale generated header, an object that a power cut truncated): the same source is asked
 * again from an empty tree before that is said. The kept tree survives when the answer is no.
 */
static int confirm_failure(struct tp_build *b, struct tp_err *reterr)
{
	int r = tp_objtree_set_aside(b, reterr);

	if (r < 0)
		return r;
	tp_build_tell(b, "failed; asking again from an empty tree", true);
	reset_scan(b);
	r = tp_attempt_run(b, reterr);
	if (r == 0)
		return tp_objtree_drop_aside(b, reterr);
	if (r == TP_MAKE_E_SOURCE) {
		int back = tp_objtree_bring_back(b, reterr);

		return back < 0 ? back : r;
	}
	return r;
}

static int attempt(struct tp_build *b, struct tp_err *reterr)
{
	int r = tp_attempt_run(b, reterr);

	if (r == TP_MAKE_E_SOURCE && b->facts.incremental)
		r = confirm_failure(b, reterr);
	return r;
}

static int report_failure(struct tp_build *b, struct tp_kernel_result *ret, struct tp_err *reterr)
{
	struct tp_kernel_result k = {.outcome = TP_BUILD_FAIL,
				     .files_compiled = b->facts.compiled,
				     .build_ms = b->facts.build_ms};
	int r;

	k.first_error = strdup(tp_scan_first_error(&b->scan));
	if (!k.first_error)
		return tp_err_oom(reterr);
	r = tp_artifact_keep_failure(b, k.first_error, &k.log_path, reterr);
	if (r < 0) {
		tp_kernel_result_deinit(&k);
		return r;
	}
	*ret = k;
	return 0;
}

/* Keep the log of a build that we failed, and say where; the first failure is what is reported. */
static int report_fault(struct tp_build *b, int code, const struct tp_err *why,
			struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *log = NULL;

	/* Give back at once what the failed attempt took, or the next one has no room to begin. */
	if (code == -ENOSPC && tp_objtree_mend(b, NULL) < 0)
		errno = 0;
	if (b->scan.last[0] && tp_artifact_keep_failure(b, why->text, &log, NULL) == 0)
		return tp_err_set(reterr, code, b->plan->commit.id, "%s (log: %s)", why->text, log);
	return tp_err_set(reterr, code, b->plan->commit.id, "%s", why->text);
}

static int build_locked(struct tp_build *b, struct tp_kernel_result *ret, struct tp_err *reterr)
{
	int64_t start = tp_clock_mono_ms();
	struct tp_err why = {};
	int r = tp_inputs_verify(b->request, b->plan, &why);

	tp_artifact_sweep(b->paths.cache);
	if (r == 0)
		r = open_log(b, &why);
	if (r == 0)
		r = prepare_source(b, &why);
	tp_failpoint("build-source-ready");
	if (r == 0)
		r = tp_objtree_mend(b, &why);
	if (r == 0)
		r = attempt(b, &why);
	tp_failpoint("build-made");
	b->facts.build_ms = tp_clock_mono_ms() - start;
	if (r == TP_MAKE_E_SOURCE)
		return report_failure(b, ret, reterr);
	if (r == 0)
		r = tp_artifact_publish(b, &why);
	if (r < 0)
		return report_fault(b, r, &why, reterr);
	r = tp_artifact_load(b->paths.cache, b->plan->key, ret, reterr);
	if (r == 0)
		ret->from_cache = false;
	return r;
}

static int build_init(struct tp_build *b, struct tp_err *reterr)
{
	int64_t timeout = b->request->timeout_ms;
	int r = tp_build_paths_init(&b->paths, b->request, reterr);

	b->deadline = tp_deadline_in(timeout > 0 ? timeout : DEFAULT_TIMEOUT_MS);
	if (r == 0)
		r = tp_toolchain_get(&b->toolchain, reterr);
	if (r == 0)
		r = tp_dir_make(b->paths.work, 0750, reterr);
	if (r == 0)
		r = tp_dir_make(b->paths.cache, 0750, reterr);
	return r;
}

int tp_kernel_build(const struct tp_kernel_request *request, const struct tp_kernel_plan *plan,
		    tp_build_progress_fn progress, void *data, struct tp_kernel_result *ret,
		    struct tp_err *reterr)
{
	_cleanup_(build_deinit) struct tp_build b = {.request = request,
						     .plan = plan,
						     .lock_fd = -1,
						     .log_fd = -1,
						     .progress = progress,
						     .progress_data = data};
	_cleanup_(tp_freep) char *source = NULL, *object = NULL;
	int r = build_init(&b, reterr);

	if (r < 0)
		return r;
	if (tp_artifact_load(b.paths.cache, plan->key, ret, NULL) == 0)
		return 0;
	r = check_rooms(&b, reterr);
	if (r == 0)
		r = take_lock(&b, reterr);
	if (r < 0)
		return r;
	/* Whoever held the lock may have built the same kernel. */
	if (tp_artifact_load(b.paths.cache, plan->key, ret, NULL) == 0)
		return 0;
	source = tp_strf("%s/", b.paths.source);
	object = tp_strf("%s/", b.paths.object);
	if (!source || !object)
		return tp_err_oom(reterr);
	b.scan.source_prefix = source;
	b.scan.object_prefix = object;
	return build_locked(&b, ret, reterr);
}
