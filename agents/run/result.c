/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result file; see result.h. */
#include "run/result.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"

/* Kept free behind the records: on a disk that is full the end record still fits. */
#define END_RESERVE 4096

struct tp_result {
	char *path, *part;
	int fd;
	int64_t records;
	off_t whole;	/* bytes of whole records */
	off_t reserved; /* bytes that the file system has promised */
};

struct tp_result *tp_result_free(struct tp_result *result)
{
	if (!result)
		return NULL;
	tp_fd_closep(&result->fd);
	free(result->path);
	free(result->part);
	free(result);
	return NULL;
}

static int exists(const char *path, struct tp_err *reterr)
{
	return tp_err_set(reterr, -EEXIST, NULL,
			  "%s exists already: an earlier run owns it; remove it or choose another "
			  "--out",
			  path);
}

static int open_part(struct tp_result *result, struct tp_err *reterr)
{
	if (access(result->path, F_OK) == 0)
		return exists(result->path, reterr);
	result->fd = open(result->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (result->fd >= 0)
		return 0;
	if (errno == EEXIST)
		return exists(result->part, reterr);
	return tp_err_set(reterr, -errno, NULL, "cannot create %s: %s", result->part,
			  strerror(errno));
}

int tp_result_create(const char *path, struct tp_result **ret, struct tp_err *reterr)
{
	_cleanup_(tp_result_freep) struct tp_result *result = calloc(1, sizeof(*result));
	int r;

	if (!result)
		return tp_err_oom(reterr);
	*result =
	    (struct tp_result){.path = strdup(path), .part = tp_strf("%s.part", path), .fd = -1};
	if (!result->path || !result->part)
		return tp_err_oom(reterr);
	r = open_part(result, reterr);
	if (r == 0)
		*ret = TP_TAKE(result);
	return r;
}

static int64_t count_lines(const struct tp_str *text)
{
	int64_t lines = 0;

	for (size_t i = 0; i < text->len; i++)
		lines += text->data[i] == '\n';
	return lines;
}

/* File systems that cannot promise room are used without a promise. */
static int reserve(struct tp_result *result, off_t upto)
{
	off_t from = result->reserved;

	if (upto <= from)
		return 0;
	if (fallocate(result->fd, FALLOC_FL_KEEP_SIZE, from, upto - from) < 0 &&
	    (errno == ENOSPC || errno == EDQUOT))
		return -errno;
	result->reserved = upto;
	return 0;
}

static void take_back(struct tp_result *result)
{
	if (ftruncate(result->fd, result->whole) < 0 ||
	    lseek(result->fd, result->whole, SEEK_SET) < 0)
		errno = 0;
	result->reserved = result->whole;
}

static int append_text(struct tp_result *result, struct tp_str *text)
{
	int r = tp_fd_write_all(result->fd, text->data, text->len);

	if (r < 0) {
		take_back(result);
		return r;
	}
	result->records += count_lines(text);
	result->whole += (off_t)text->len;
	return 0;
}

static int append(struct tp_result *result, struct tp_str *text, off_t behind,
		  struct tp_err *reterr)
{
	int r = text->broken ? -ENOMEM : 0;

	if (r == 0 && behind > 0)
		r = reserve(result, result->whole + (off_t)text->len + behind);
	if (r == 0)
		r = append_text(result, text);
	tp_str_reset(text);
	if (r < 0)
		tp_err_set(reterr, r, NULL, "cannot write %s: %s%s", result->part, strerror(-r),
			   r == -ENOSPC ? "; make room there" : "");
	return r;
}

int tp_result_append(struct tp_result *result, struct tp_str *text, struct tp_err *reterr)
{
	return append(result, text, END_RESERVE, reterr);
}

int64_t tp_result_records(const struct tp_result *result)
{
	return result->records;
}

/* Old kernels and some file systems know no RENAME_NOREPLACE. */
static int rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (access(to, F_OK) == 0)
		return -EEXIST;
	return rename(from, to) < 0 ? -errno : 0;
}

static void sync_folder(const char *path)
{
	_cleanup_(tp_freep) char *copy = strdup(path);
	_cleanup_(tp_fd_closep) int fd = -1;

	if (copy)
		fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
}

int tp_result_commit(struct tp_result *result, struct tp_str *end, struct tp_err *reterr)
{
	int r = append(result, end, 0, reterr);

	if (r < 0)
		return r;
	if (ftruncate(result->fd, result->whole) < 0 || fsync(result->fd) < 0)
		r = -errno;
	if (r == 0)
		r = rename_new(result->part, result->path);
	if (r < 0)
		return tp_err_set(reterr, r, NULL, "cannot finish %s: %s", result->path,
				  strerror(-r));
	sync_folder(result->path);
	return 0;
}
