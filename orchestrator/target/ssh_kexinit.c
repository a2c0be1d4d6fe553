/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a server offers as host keys, read from its first packet (RFC 4253, 4.2 and 7.1).
 *
 * libssh2 says no more than "key exchange failed" when no algorithm is common; a person needs to
 * know which ones there are. The packet is not authenticated: its text is for a sentence only.
 */
#include "target/ssh.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define LIMIT	     32768
#define MSG_KEXINIT  20
#define COOKIE_BYTES 16

static uint32_t get_u32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Offset behind the identification line, 0 when it has not come whole. */
static size_t skip_greeting(const unsigned char *data, size_t len)
{
	size_t start = 0;

	for (size_t i = 0; i < len; i++) {
		if (data[i] != '\n')
			continue;
		if (i - start >= 4 && memcmp(data + start, "SSH-", 4) == 0)
			return i + 1;
		start = i + 1; /* lines before the identification are allowed */
	}
	return 0;
}

/* The second name-list of a whole KEXINIT packet: the host key algorithms. */
static char *parse_packet(const unsigned char *p, size_t len)
{
	uint32_t packet = len >= 6 ? get_u32(p) : 0;
	size_t at = 6 + COOKIE_BYTES;
	uint32_t first, second;

	if (packet < 2 + COOKIE_BYTES + 8 || packet > LIMIT || len < 4 + (size_t)packet ||
	    p[5] != MSG_KEXINIT)
		return NULL;
	len = 4 + (size_t)packet;
	first = get_u32(p + at);
	if (first > len - at - 8)
		return NULL;
	at += 4 + (size_t)first;
	second = get_u32(p + at);
	if (second > len - at - 4)
		return NULL;
	return strndup((const char *)p + at + 4, second);
}

static char *read_offer(int fd, struct tp_deadline deadline)
{
	_cleanup_(tp_str_deinit) struct tp_str in = {};
	char block[4096];

	while (in.len < LIMIT && tp_ssh_poll(fd, POLLIN, deadline) == 0) {
		ssize_t n = recv(fd, block, sizeof(block), 0);
		size_t at;
		char *list;

		if (n <= 0)
			return NULL;
		tp_str_append_n(&in, block, (size_t)n);
		if (in.broken)
			return NULL;
		at = skip_greeting((unsigned char *)in.data, in.len);
		list = at ? parse_packet((unsigned char *)in.data + at, in.len - at) : NULL;
		if (list) {
			tp_str_sanitize(list);
			return list;
		}
	}
	return NULL;
}

char *tp_ssh_offered_host_keys(const struct tp_target_config *config, struct tp_deadline deadline)
{
	static const char hello[] = "SSH-2.0-triptych\r\n";
	_cleanup_(tp_fd_closep) int fd = -1;

	if (tp_ssh_connect(config, deadline, &fd, NULL) != 0)
		return NULL;
	if (send(fd, hello, sizeof(hello) - 1, MSG_NOSIGNAL) != sizeof(hello) - 1)
		return NULL;
	return read_offer(fd, deadline);
}
