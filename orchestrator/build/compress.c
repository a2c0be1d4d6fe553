/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressing a file; see compress.h. */
#include "build/compress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "util/fd.h"
#include "util/str.h"

#define LEVEL 3

struct codec {
	ZSTD_CCtx *ctx;
	char *in, *out;
	size_t in_size, out_size;
};

static void codec_deinit(struct codec *c)
{
	ZSTD_freeCCtx(c->ctx);
	free(c->in);
	free(c->out);
}

static int codec_init(struct codec *c)
{
	c->ctx = ZSTD_createCCtx();
	c->in_size = ZSTD_CStreamInSize();
	c->out_size = ZSTD_CStreamOutSize();
	c->in = malloc(c->in_size);
	c->out = malloc(c->out_size);
	if (!c->ctx || !c->in || !c->out)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(c->ctx, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(c->ctx, ZSTD_c_checksumFlag, 1);
	return 0;
}

static int write_block(struct codec *c, size_t n, bool last, int to)
{
	ZSTD_inBuffer in = {.src = c->in, .size = n};
	size_t left;

	do {
		ZSTD_outBuffer out = {.dst = c->out, .size = c->out_size};
		int r;

		left = ZSTD_compressStream2(c->ctx, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -EIO;
		r = tp_fd_write_all(to, c->out, out.pos);
		if (r < 0)
			return r;
	} while (last ? left != 0 : in.pos < in.size);
	return 0;
}

static int compress_all(struct codec *c, int from, int to)
{
	ssize_t n;
	int r;

	do {
		n = read(from, c->in, c->in_size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		r = write_block(c, (size_t)n, n == 0, to);
		if (r < 0)
			return r;
	} while (n != 0);
	return fsync(to) < 0 ? -errno : 0;
}

int tp_compress_file(const char *from, const char *to, struct tp_err *reterr)
{
	_cleanup_(codec_deinit) struct codec codec = {};
	_cleanup_(tp_fd_closep) int in = open(from, O_RDONLY | O_CLOEXEC);
	_cleanup_(tp_fd_closep) int out = -1;
	int r = codec_init(&codec);

	if (r < 0)
		return tp_err_oom(reterr);
	if (in < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot open %s: %s", from,
				  strerror(errno));
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (out < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot create %s: %s", to,
				  strerror(errno));
	r = compress_all(&codec, in, out);
	if (r < 0) {
		unlink(to);
		return tp_err_set(reterr, r, NULL, "cannot compress %s to %s: %s", from, to,
				  strerror(-r));
	}
	return 0;
}
