/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing to the artefact cache; see artifact.h. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/artifact.h"
#include "build/attempt.h"
#include "build/manifest.h"
#include "build/compress.h"
#include "util/failpoint.h"
#include "util/fd.h"
#include "util/str.h"

static int sync_dir(const char *path, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot sync %s: %s", path,
				  strerror(errno));
	return 0;
}

/* Make PARENT/.tmp-KEY-PID, empty. */
static int make_temp(const char *parent, const char *key, char **ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *dir = tp_strf("%s/.tmp-%s-%d", parent, key, (int)getpid());
	int r = dir ? tp_dir_remove(dir, reterr) : tp_err_oom(reterr);

	if (r == 0)
		r = tp_dir_make(dir, 0750, reterr);
	if (r == 0)
		*ret = TP_TAKE(dir);
	return r;
}

/* An entry that is already there is damaged or older: it goes. */
static int put_in_place(const char *temp, const char *parent, const char *key,
			struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *dir = tp_strf("%s/%s", parent, key);
	int r = dir ? sync_dir(temp, reterr) : tp_err_oom(reterr);

	if (r == 0)
		r = tp_dir_remove(dir, reterr);
	if (r < 0)
		return r;
	tp_failpoint("build-before-rename");
	if (rename(temp, dir) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot put %s in place: %s", dir,
				  strerror(errno));
	tp_failpoint("build-after-rename");
	return sync_dir(parent, reterr);
}

static int copy_one(char *from, const char *dir, const char *name, bool compress,
		    struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *owned = from;
	_cleanup_(tp_freep) char *to = tp_strf("%s/%s", dir, name);

	if (!owned || !to)
		return tp_err_oom(reterr);
	if (compress)
		return tp_compress_file(owned, to, reterr);
	return tp_file_copy(owned, to, 0640, reterr);
}

static int fill_artifact(struct tp_build *b, const char *dir, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *manifest = NULL;
	_cleanup_(tp_freep) char *path = tp_strf("%s/manifest.json", dir);
	int r = copy_one(tp_attempt_image(b), dir, "bzImage", false, reterr);

	if (r == 0)
		r = copy_one(tp_attempt_file(b, "System.map"), dir, "System.map", false, reterr);
	if (r == 0)
		r = copy_one(tp_attempt_file(b, ".config"), dir, "config", false, reterr);
	if (r == 0)
		r = copy_one(tp_attempt_file(b, "vmlinux"), dir, "vmlinux.zst", true, reterr);
	if (r == 0 && b->facts.has_modules)
		r = copy_one(tp_strf("%s/modules.tar", b->paths.work), dir, "modules.tar", false,
			     reterr);
	if (r == 0)
		r = copy_one(strdup(b->log_path), dir, "build.log.zst", true, reterr);
	tp_failpoint("build-artifacts-copied");
	if (r == 0)
		r = tp_manifest_make(b, dir, &manifest, reterr);
	if (r < 0)
		return r;
	return path ? tp_file_write(path, manifest, strlen(manifest), 0640, reterr)
		    : tp_err_oom(reterr);
}

static int discard(const char *dir, int code)
{
	if (tp_dir_remove(dir, NULL) < 0)
		errno = 0; /* swept by a later build */
	return code;
}

int tp_artifact_publish(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *temp = NULL;
	int r = make_temp(b->paths.cache, b->plan->key, &temp, reterr);

	if (r < 0)
		return r;
	r = fill_artifact(b, temp, reterr);
	if (r == 0)
		r = put_in_place(temp, b->paths.cache, b->plan->key, reterr);
	return r < 0 ? discard(temp, r) : 0;
}

static int write_failure(struct tp_build *b, const char *why, const char *dir,
			 struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/failure.json", dir);
	json_t *record =
	    json_pack("{si, ss, ss, ss, si}", "format", TP_MANIFEST_FORMAT, "key", b->plan->key,
		      "commit", b->plan->commit.id, "why", why, "files_compiled", b->scan.compiled);
	_cleanup_(tp_freep) char *text = record ? json_dumps(record, JSON_INDENT(2)) : NULL;

	json_decref(record);
	if (!path || !text)
		return tp_err_oom(reterr);
	return tp_file_write(path, text, strlen(text), 0640, reterr);
}

int tp_artifact_keep_failure(struct tp_build *b, const char *why, char **ret_log,
			     struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *failed = tp_strf("%s/failed", b->paths.cache);
	_cleanup_(tp_freep) char *temp = NULL;
	char *log = failed ? tp_strf("%s/%s/build.log.zst", failed, b->plan->key) : NULL;
	int r = log ? tp_dir_make(failed, 0750, reterr) : tp_err_oom(reterr);

	if (r == 0)
		r = make_temp(failed, b->plan->key, &temp, reterr);
	if (r == 0)
		r = copy_one(strdup(b->log_path), temp, "build.log.zst", true, reterr);
	if (r == 0)
		r = write_failure(b, why, temp, reterr);
	if (r == 0)
		r = put_in_place(temp, failed, b->plan->key, reterr);
	if (r < 0) {
		free(log);
		return temp ? discard(temp, r) : r;
	}
	*ret_log = log;
	return 0;
}
