/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Base64; see base64.h. */
#include "target/base64.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_value(char c)
{
	const char *at = c ? strchr(alphabet, c) : NULL;

	return at ? (int)(at - alphabet) : -1;
}

int tp_base64_decode(const char *text, size_t len, unsigned char **ret, size_t *ret_len)
{
	unsigned char *data = malloc(len / 4 * 3 + 4);
	uint32_t bits = 0;
	size_t n = 0;
	int have = 0;

	if (!data)
		return -ENOMEM;
	for (size_t i = 0; i < len && text[i] != '='; i++) {
		int value = digit_value(text[i]);

		if (isspace((unsigned char)text[i]))
			continue;
		if (value < 0) {
			free(data);
			return -EINVAL;
		}
		bits = bits << 6 | (uint32_t)value;
		have += 6;
		if (have >= 8) {
			have -= 8;
			data[n++] = (unsigned char)(bits >> have);
		}
	}
	data[n] = '\0';
	*ret = data;
	*ret_len = n;
	return 0;
}

char *tp_base64_encode(const void *data, size_t len, bool padding)
{
	const unsigned char *in = data;
	char *text = malloc((len + 2) / 3 * 4 + 1);
	char *out = text;

	if (!text)
		return NULL;
	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t bits = (uint32_t)in[i] << 16;

		if (n > 1)
			bits |= (uint32_t)in[i + 1] << 8;
		if (n > 2)
			bits |= in[i + 2];
		for (size_t k = 0; k < 4; k++) {
			if (k <= n)
				*out++ = alphabet[bits >> (18 - 6 * k) & 63];
			else if (padding)
				*out++ = '=';
		}
	}
	*out = '\0';
	return text;
}
