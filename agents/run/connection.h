/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SSH connection that started this run, and whether it is gone.
 *
 * Its end is work for this machine: until the last packet is answered, a measured round would
 * be disturbed by it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tp_connection {
	uint32_t own_port, peer_port;
};

/*
 * The connection that sshd names in SSH_CONNECTION, "PEER PEER_PORT OWN OWN_PORT". Returns false
 * when @text is NULL or something else.
 */
bool tp_connection_parse(const char *text, struct tp_connection *ret);

/* Whether @line, one of /proc/net/tcp or tcp6, is @c in any state but TIME_WAIT and CLOSE. */
bool tp_connection_is(const char *line, const struct tp_connection *c);

/* Whether the kernel still has @c. Reads /proc/net/tcp and tcp6; false when they are not there. */
bool tp_connection_open(const struct tp_connection *c);
