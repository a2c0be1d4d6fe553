/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes of a vmlinux; see image.h. */
#include "build/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/build_id.h"
#include "util/fd.h"
#include "util/str.h"

#define WINDOW (1u << 20)
#define KEEP   63 /* bytes carried over: one less than the longest needle may have */

struct needle {
	const void *bytes;
	size_t len;
};

/* @raw is searched, @masked is what gets hashed: a mask must not hide another needle. */
struct window {
	unsigned char raw[WINDOW + KEEP], masked[WINDOW + KEEP];
	size_t len;
};

static void mask(struct window *w, const struct needle *needle)
{
	unsigned char *at = w->raw;

	while ((at = memmem(at, w->len - (size_t)(at - w->raw), needle->bytes, needle->len))) {
		memset(w->masked + (at - w->raw), 0, needle->len);
		at++;
	}
}

/* Hash all but the last @keep bytes, which move to the front. */
static void advance(struct window *w, struct tp_sha256 *plain, struct tp_sha256 *masked,
		    size_t keep)
{
	size_t n = w->len > keep ? w->len - keep : 0;

	tp_sha256_update(plain, w->raw, n);
	tp_sha256_update(masked, w->masked, n);
	memmove(w->raw, w->raw + n, w->len - n);
	memmove(w->masked, w->masked + n, w->len - n);
	w->len -= n;
}

static int hash_masked(int fd, const struct needle needles[2], struct tp_sha256 *plain,
		       struct tp_sha256 *masked)
{
	_cleanup_(tp_freep) struct window *w = calloc(1, sizeof(*w));
	ssize_t n;

	if (!w)
		return -ENOMEM;
	while ((n = read(fd, w->raw + w->len, WINDOW)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		memcpy(w->masked + w->len, w->raw + w->len, (size_t)n);
		w->len += (size_t)n;
		mask(w, &needles[0]);
		mask(w, &needles[1]);
		advance(w, plain, masked, KEEP);
	}
	advance(w, plain, masked, 0);
	return 0;
}

static void to_hex(const unsigned char *bytes, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
}

int tp_image_hash(const char *vmlinux, const char *tag, struct tp_image_hashes *ret,
		  struct tp_err *reterr)
{
	_cleanup_(tp_sha256_freep) struct tp_sha256 *plain = tp_sha256_new();
	_cleanup_(tp_sha256_freep) struct tp_sha256 *masked = tp_sha256_new();
	_cleanup_(tp_fd_closep) int fd = open(vmlinux, O_RDONLY | O_CLOEXEC);
	unsigned char id[TP_BUILD_ID_MAX];
	struct needle needles[2] = {{tag, strlen(tag)}, {id, 0}};
	struct tp_image_hashes h = {};
	int r;

	static_assert(TP_BUILD_ID_MAX <= KEEP + 1, "a needle on the border is seen whole");
	if (!plain || !masked)
		return tp_err_oom(reterr);
	if (needles[0].len == 0 || needles[0].len > KEEP + 1)
		return tp_err_set(reterr, -EINVAL, NULL, "\"%s\" cannot be masked", tag);
	r = tp_elf_build_id(vmlinux, id, reterr);
	if (r < 0)
		return r;
	needles[1].len = (size_t)r;
	to_hex(id, needles[1].len, h.build_id);
	if (fd < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot open %s", vmlinux);
	r = hash_masked(fd, needles, plain, masked);
	if (r < 0)
		return tp_err_set(reterr, r, NULL, "cannot read %s: %s", vmlinux, strerror(-r));
	tp_sha256_final(plain, h.sha256);
	tp_sha256_final(masked, h.canonical);
	*ret = h;
	return 0;
}
