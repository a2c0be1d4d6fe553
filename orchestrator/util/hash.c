/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256; see hash.h. libcrypto's digest calls fail only without memory or provider. */
#include "util/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"

struct tp_sha256 {
	EVP_MD_CTX *ctx;
};

struct tp_sha256 *tp_sha256_new(void)
{
	struct tp_sha256 *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->ctx = EVP_MD_CTX_new();
	if (!s->ctx || EVP_DigestInit_ex(s->ctx, EVP_sha256(), NULL) != 1)
		return tp_sha256_free(s);
	return s;
}

struct tp_sha256 *tp_sha256_free(struct tp_sha256 *s)
{
	if (s) {
		EVP_MD_CTX_free(s->ctx);
		free(s);
	}
	return NULL;
}

void tp_sha256_update(struct tp_sha256 *s, const void *data, size_t len)
{
	if (EVP_DigestUpdate(s->ctx, data, len) != 1)
		abort();
}

static void to_hex(const unsigned char *raw, size_t n, char *ret_hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		ret_hex[2 * i] = digits[raw[i] >> 4];
		ret_hex[2 * i + 1] = digits[raw[i] & 15];
	}
	ret_hex[2 * n] = '\0';
}

void tp_sha256_final(struct tp_sha256 *s, char ret_hex[static TP_SHA256_HEX])
{
	unsigned char raw[32];

	if (EVP_DigestFinal_ex(s->ctx, raw, NULL) != 1)
		abort();
	to_hex(raw, sizeof(raw), ret_hex);
}

void tp_sha256_bytes(const void *data, size_t len, char ret_hex[static TP_SHA256_HEX])
{
	unsigned char raw[32];

	if (EVP_Digest(data, len, raw, NULL, EVP_sha256(), NULL) != 1)
		abort();
	to_hex(raw, sizeof(raw), ret_hex);
}

int tp_sha256_path(const char *path, char ret_hex[static TP_SHA256_HEX], struct tp_err *reterr)
{
	_cleanup_(tp_sha256_freep) struct tp_sha256 *s = tp_sha256_new();
	_cleanup_(tp_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char block[65536];
	ssize_t n;

	if (!s)
		return tp_err_oom(reterr);
	if (fd < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot open %s: %s", path,
				  strerror(errno));
	while ((n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tp_err_set(reterr, -errno, NULL, "cannot read %s: %s", path,
					  strerror(errno));
		tp_sha256_update(s, block, (size_t)n);
	}
	tp_sha256_final(s, ret_hex);
	return 0;
}
