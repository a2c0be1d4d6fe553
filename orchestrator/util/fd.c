/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and descriptors; see fd.h. */
#include "util/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/str.h"

void tp_fd_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void tp_file_closep(FILE **f)
{
	if (*f)
		fclose(*f);
	*f = NULL;
}

static int path_error(struct tp_err *reterr, const char *what, const char *path)
{
	int code = -errno;

	return tp_err_set(reterr, code, NULL, "cannot %s %s: %s", what, path, strerror(-code));
}

int tp_file_read(const char *path, size_t max, char **ret, size_t *ret_len, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	_cleanup_(tp_str_deinit) struct tp_str text = {};
	char block[65536];
	char *data;
	size_t len;
	ssize_t n;

	if (fd < 0)
		return path_error(reterr, "open", path);
	while ((n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return path_error(reterr, "read", path);
		if (text.len + (size_t)n > max)
			return tp_err_set(reterr, -EFBIG, NULL, "%s is larger than %zu bytes", path,
					  max);
		tp_str_append_n(&text, block, (size_t)n);
	}
	len = text.len;
	data = tp_str_take(&text);
	if (!data)
		return tp_err_oom(reterr);
	if (ret_len)
		*ret_len = len;
	*ret = data;
	return 0;
}

int tp_fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Make the rename itself durable; file systems that refuse fsync on folders are fine. */
static void sync_parent(const char *path)
{
	_cleanup_(tp_freep) char *copy = strdup(path);
	_cleanup_(tp_fd_closep) int fd = -1;

	if (!copy)
		return;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
}

static int commit_temp(int fd, const char *temp, const char *path, mode_t mode,
		       struct tp_err *reterr)
{
	if (fchmod(fd, mode) < 0 || fsync(fd) < 0 || rename(temp, path) < 0) {
		int code = path_error(reterr, "write", path);

		unlink(temp);
		return code;
	}
	sync_parent(path);
	return 0;
}

int tp_file_write(const char *path, const void *data, size_t len, mode_t mode,
		  struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *temp = tp_strf("%s.tmp.XXXXXX", path);
	_cleanup_(tp_fd_closep) int fd = -1;
	int r;

	if (!temp)
		return tp_err_oom(reterr);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return path_error(reterr, "create a file beside", path);
	r = tp_fd_write_all(fd, data, len);
	if (r < 0) {
		errno = -r;
		r = path_error(reterr, "write", path);
		unlink(temp);
		return r;
	}
	return commit_temp(fd, temp, path, mode, reterr);
}

static int copy_bytes(int from, int to)
{
	char block[65536];
	ssize_t n;

	while ((n = read(from, block, sizeof(block))) != 0) {
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		r = tp_fd_write_all(to, block, (size_t)n);
		if (r < 0)
			return r;
	}
	return 0;
}

int tp_file_copy(const char *from, const char *to, mode_t mode, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int in = open(from, O_RDONLY | O_CLOEXEC);
	_cleanup_(tp_freep) char *temp = tp_strf("%s.tmp.XXXXXX", to);
	_cleanup_(tp_fd_closep) int out = -1;
	int r;

	if (in < 0)
		return path_error(reterr, "open", from);
	if (!temp)
		return tp_err_oom(reterr);
	out = mkostemp(temp, O_CLOEXEC);
	if (out < 0)
		return path_error(reterr, "create a file beside", to);
	r = copy_bytes(in, out);
	if (r < 0) {
		errno = -r;
		r = path_error(reterr, "write", to);
		unlink(temp);
		return r;
	}
	return commit_temp(out, temp, to, mode, reterr);
}

/* mkdir, content with a folder (or a link to one) that is there already. */
static int make_one(const char *path, mode_t mode)
{
	struct stat st;

	if (mkdir(path, mode) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0)
		errno = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	return errno ? -1 : 0;
}

int tp_dir_make(const char *path, mode_t mode, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *copy = strdup(path);

	if (!copy)
		return tp_err_oom(reterr);
	if (!*copy)
		return tp_err_set(reterr, -EINVAL, NULL, "cannot create a folder without a name");
	for (char *p = copy + 1;; p++) {
		char keep = *p;

		if (keep != '/' && keep != '\0')
			continue;
		*p = '\0';
		if (make_one(copy, mode) < 0)
			return path_error(reterr, "create the folder", copy);
		*p = keep;
		if (keep == '\0')
			return 0;
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int tp_dir_remove(const char *path, struct tp_err *reterr)
{
	if (!tp_path_exists(path))
		return 0;
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0)
		return path_error(reterr, "remove", path);
	return 0;
}

bool tp_path_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

int64_t tp_disk_free(const char *path)
{
	struct statvfs fs;

	if (statvfs(path, &fs) < 0)
		return -errno;
	return (int64_t)fs.f_bavail * (int64_t)fs.f_frsize;
}

int tp_lock_file(const char *path, bool wait, struct tp_err *reterr)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);
	int code;

	if (fd < 0)
		return path_error(reterr, "open the lock", path);
	while (flock(fd, LOCK_EX | (wait ? 0 : LOCK_NB)) < 0) {
		if (errno == EINTR)
			continue;
		code = path_error(reterr, "take the lock", path);
		close(fd);
		return code;
	}
	return fd;
}
