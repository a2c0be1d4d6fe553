/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the artefact cache; see artifact.h. */
#include "build/artifact.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "build/manifest.h"
#include "util/fd.h"
#include "util/str.h"

#define MANIFEST_MAX (1u << 20)

void tp_kernel_result_deinit(struct tp_kernel_result *result)
{
	free(result->artifact_dir);
	free(result->manifest_json);
	free(result->first_error);
	free(result->log_path);
	*result = (struct tp_kernel_result){};
}

/* A key comes from a database or a command line: it must not lead out of the cache. */
static bool is_key(const char *key)
{
	return strlen(key) == 64 && strspn(key, "0123456789abcdef") == 64;
}

int tp_artifact_load(const char *cache_dir, const char *key, struct tp_kernel_result *ret,
		     struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *dir = tp_strf("%s/%s", cache_dir, key);
	_cleanup_(tp_freep) char *path = dir ? tp_strf("%s/manifest.json", dir) : NULL;
	_cleanup_(tp_freep) char *log = dir ? tp_strf("%s/build.log.zst", dir) : NULL;
	_cleanup_(tp_freep) char *text = NULL;
	struct tp_kernel_result k;
	int r;

	if (!is_key(key))
		return tp_err_set(reterr, -EINVAL, NULL, "%s is not a kernel's key", key);
	if (!path || !log)
		return tp_err_oom(reterr);
	r = tp_file_read(path, MANIFEST_MAX, &text, NULL, reterr);
	if (r == 0)
		r = tp_manifest_load(text, dir, key, &k, reterr);
	if (r < 0)
		return r;
	k.from_cache = true;
	k.artifact_dir = TP_TAKE(dir);
	k.manifest_json = TP_TAKE(text);
	k.log_path = TP_TAKE(log);
	*ret = k;
	return 0;
}

bool tp_kernel_cached(const char *cache_dir, const char *key)
{
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result result = {};

	return tp_artifact_load(cache_dir, key, &result, NULL) == 0;
}

/* ".tmp-KEY-PID" whose process is no more. */
static bool is_orphan(const char *name)
{
	const char *dash = strrchr(name, '-');
	long long pid;

	if (!tp_str_starts(name, ".tmp-") || tp_parse_i64(dash + 1, 1, 1 << 30, &pid) < 0)
		return false;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static void sweep_one(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_(tp_freep) char *orphan = NULL;

		if (!is_orphan(entry->d_name))
			continue;
		orphan = tp_strf("%s/%s", path, entry->d_name);
		if (orphan && tp_dir_remove(orphan, NULL) < 0)
			errno = 0; /* it costs room, nothing else */
	}
	if (dir)
		closedir(dir);
}

void tp_artifact_sweep(const char *cache_dir)
{
	_cleanup_(tp_freep) char *failed = tp_strf("%s/failed", cache_dir);

	sweep_one(cache_dir);
	if (failed)
		sweep_one(failed);
}
