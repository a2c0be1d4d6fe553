/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders, files and links for workloads; see fixture.h. */
#include "workloads/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/fd.h"

/* Longest name that is appended to a folder: "/tp-agent-XXXXXX" and "/d00000". */
#define NAMES_MAX 32

static bool is_tmpfs(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

static int choose_dir(const char *dir, bool any_fs, const char **ret, struct tp_err *reterr)
{
	static const char *const candidates[] = {"/dev/shm", "/tmp"};

	if (dir && access(dir, W_OK | X_OK) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot use the folder %s: %s", dir,
				  strerror(errno));
	if (dir && !any_fs && !is_tmpfs(dir))
		return tp_err_set(reterr, -EINVAL, NULL,
				  "%s is not on tmpfs: mount one there, or add --allow-any-fs yes",
				  dir);
	for (size_t i = 0; !dir && i < TP_ARRAY_SIZE(candidates); i++) {
		if (is_tmpfs(candidates[i]) && access(candidates[i], W_OK | X_OK) == 0)
			dir = candidates[i];
	}
	if (!dir && any_fs)
		dir = "/tmp";
	if (!dir)
		return tp_err_set(reterr, -ENOENT, NULL,
				  "neither /dev/shm nor /tmp is a writable tmpfs: mount one, or "
				  "name a folder with --dir and --allow-any-fs yes");
	*ret = dir;
	return 0;
}

int tp_fixture_open(struct tp_fixture *fixture, const char *dir, bool any_fs, struct tp_err *reterr)
{
	char path[TP_FIXTURE_PATH];
	int r = choose_dir(dir, any_fs, &dir, reterr);

	if (r < 0)
		return r;
	if (strlen(dir) > sizeof(path) - NAMES_MAX)
		return tp_err_set(reterr, -ENAMETOOLONG, NULL, "the name of --dir is too long");
	snprintf(path, sizeof(path), "%s/tp-agent-XXXXXX", dir);
	if (!mkdtemp(path))
		return tp_err_set(reterr, -errno, NULL, "cannot make a folder in %s: %s", dir,
				  strerror(errno));
	memcpy(fixture->dir, path, sizeof(path));
	return 0;
}

void tp_fixture_close(struct tp_fixture *fixture)
{
	struct tp_err ignored;

	if (fixture->dir[0] && tp_dir_remove(fixture->dir, &ignored) < 0)
		errno = 0;
	fixture->dir[0] = '\0';
}

static int make_file(const char *path, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : tp_fd_write_all(fd, "x", 1);

	if (r < 0)
		return tp_err_set(reterr, r, NULL, "cannot create %s: %s", path, strerror(-r));
	return 0;
}

static tp_path *name_paths(const struct tp_fixture *fixture, char prefix, size_t count)
{
	tp_path *paths = calloc(count, sizeof(*paths));

	for (size_t i = 0; paths && i < count; i++)
		snprintf(paths[i], sizeof(paths[i]), "%.*s/%c%05zu", TP_FIXTURE_PATH - NAMES_MAX,
			 fixture->dir, prefix, i);
	return paths;
}

int tp_fixture_files(const struct tp_fixture *fixture, char prefix, size_t count,
		     tp_path **ret_paths, struct tp_err *reterr)
{
	tp_path *paths = name_paths(fixture, prefix, count);

	if (!paths)
		return tp_err_oom(reterr);
	for (size_t i = 0; i < count; i++) {
		int r = make_file(paths[i], reterr);

		if (r < 0) {
			free(paths);
			return r;
		}
	}
	*ret_paths = paths;
	return 0;
}

int tp_fixture_links(const struct tp_fixture *fixture, char prefix, size_t count,
		     tp_path **ret_paths, struct tp_err *reterr)
{
	tp_path *paths = name_paths(fixture, prefix, count);
	int r = paths ? make_file(paths[0], reterr) : tp_err_oom(reterr);

	for (size_t i = 1; r == 0 && i < count; i++) {
		if (link(paths[0], paths[i]) < 0)
			r = tp_err_set(reterr, -errno, NULL, "cannot link %s: %s", paths[i],
				       strerror(errno));
	}
	if (r < 0) {
		free(paths);
		return r;
	}
	*ret_paths = paths;
	return 0;
}
