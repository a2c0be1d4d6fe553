/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file on its way here; see incoming.h. */
#include "target/incoming.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

static int fail(const char *what, const char *path, int code, struct tp_err *reterr)
{
	return tp_err_set(reterr, code, NULL, "cannot %s %s: %s", what, path, strerror(-code));
}

int tp_incoming_open(struct tp_incoming *ret, const char *path, int64_t max_bytes,
		     struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *temp = tp_strf("%s.tmp.XXXXXX", path);
	int fd;

	if (!temp)
		return tp_err_oom(reterr);
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return fail("create a file beside", path, -errno, reterr);
	*ret = (struct tp_incoming){.fd = fd, .path = path, .max_bytes = max_bytes};
	ret->temp = TP_TAKE(temp);
	return 0;
}

int tp_incoming_write(struct tp_incoming *in, const void *data, size_t len, struct tp_err *reterr)
{
	int r;

	if ((int64_t)len > in->max_bytes - in->got)
		return tp_err_set(
		    reterr, -EFBIG, NULL,
		    "the target's file for %s is larger than %lld bytes; it was refused", in->path,
		    (long long)in->max_bytes);
	r = tp_fd_write_all(in->fd, data, len);
	if (r < 0)
		return fail("write", in->path, r, reterr);
	in->got += (int64_t)len;
	return 0;
}

int tp_incoming_commit(struct tp_incoming *in, struct tp_err *reterr)
{
	if (fchmod(in->fd, 0640) < 0 || fsync(in->fd) < 0 || rename(in->temp, in->path) < 0)
		return fail("write", in->path, -errno, reterr);
	free(TP_TAKE(in->temp));
	tp_fd_closep(&in->fd);
	return 0;
}

void tp_incoming_deinit(struct tp_incoming *in)
{
	tp_fd_closep(&in->fd);
	if (in->temp)
		unlink(in->temp);
	free(in->temp);
	*in = (struct tp_incoming){.fd = -1};
}
