/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The connection that started the run; see connection.h. */
#include "run/connection.h"

#include <stdio.h>

#define TCP_TIME_WAIT 6
#define TCP_CLOSE     7
#define LINE_BYTES    512

bool tp_connection_parse(const char *text, struct tp_connection *ret)
{
	struct tp_connection c;

	if (!text || sscanf(text, "%*63s %5u %*63s %5u", &c.peer_port, &c.own_port) != 2)
		return false;
	*ret = c;
	return true;
}

bool tp_connection_is(const char *line, const struct tp_connection *c)
{
	unsigned own, peer, state;

	if (sscanf(line, " %*u: %*32[0-9A-Fa-f]:%x %*32[0-9A-Fa-f]:%x %x", &own, &peer, &state) !=
	    3)
		return false;
	return own == c->own_port && peer == c->peer_port && state != TCP_TIME_WAIT &&
	       state != TCP_CLOSE;
}

static bool listed_in(const char *path, const struct tp_connection *c)
{
	FILE *table = fopen(path, "re");
	char line[LINE_BYTES];
	bool found = false;

	if (!table)
		return false;
	while (!found && fgets(line, sizeof(line), table))
		found = tp_connection_is(line, c);
	fclose(table);
	return found;
}

bool tp_connection_open(const struct tp_connection *c)
{
	return listed_in("/proc/net/tcp", c) || listed_in("/proc/net/tcp6", c);
}
