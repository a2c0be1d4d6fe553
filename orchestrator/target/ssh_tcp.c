/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP below SSH: name to addresses, connect under a deadline, and dead peers found by the
 * kernel (SO_KEEPALIVE, TCP_USER_TIMEOUT) because libssh2's own keepalive corrupts sessions.
 */
#include "target/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/child.h"
#include "util/fd.h"
#include "util/str.h"

#define MAX_ADDRESSES	8
#define USER_TIMEOUT_MS 30000 /* sent bytes that nobody acknowledges for so long: dead */
#define IDLE_S		10    /* silence before the first probe, then every INTERVAL_S */
#define INTERVAL_S	5
#define PROBES		4

int tp_ssh_poll(int fd, short events, struct tp_deadline deadline)
{
	struct pollfd p = {.fd = fd, .events = events};

	while (!tp_deadline_passed(deadline)) {
		int n = poll(&p, 1, tp_deadline_left_ms(deadline));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n <= 0)
			continue;
		/* What was sent before the hang-up is still to be read. */
		if ((p.revents & (POLLERR | POLLHUP | POLLNVAL)) && !(p.revents & POLLIN))
			return -ECONNRESET;
		return 0;
	}
	return -ETIMEDOUT;
}

static void set_options(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
	    {SOL_SOCKET, SO_KEEPALIVE, 1},	 {IPPROTO_TCP, TCP_NODELAY, 1},
	    {IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S}, {IPPROTO_TCP, TCP_KEEPINTVL, INTERVAL_S},
	    {IPPROTO_TCP, TCP_KEEPCNT, PROBES},	 {IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS},
	};

	/* An option that this kernel lacks costs time at a failure, nothing else. */
	for (size_t i = 0; i < TP_ARRAY_SIZE(options); i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			   sizeof(options[i].value));
}

static int connect_one(const struct addrinfo *address, struct tp_deadline deadline, int *ret_fd)
{
	_cleanup_(tp_fd_closep) int fd =
	    socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int code = 0;
	socklen_t len = sizeof(code);

	if (fd < 0)
		return -errno;
	set_options(fd);
	if (connect(fd, address->ai_addr, address->ai_addrlen) < 0) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		int n = 0;

		if (errno != EINPROGRESS)
			return -errno;
		while (n <= 0 && !tp_deadline_passed(deadline)) {
			n = poll(&p, 1, tp_deadline_left_ms(deadline));
			if (n < 0 && errno != EINTR)
				return -errno;
		}
		if (n <= 0)
			return -ETIMEDOUT;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) < 0)
			return -errno;
		if (code)
			return -code;
	}
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* getaddrinfo() of a name knows no deadline; of a number it cannot block. */
static int resolve_numeric(const char *host, int port, struct addrinfo **ret)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	_cleanup_(tp_freep) char *service = tp_strf("%d", port);

	return service && getaddrinfo(host, service, &hints, ret) == 0 ? 0 : -ENOENT;
}

/* Ask the name service through getent, which can be killed when it hangs. */
static int resolve_name(const char *host, struct tp_deadline deadline, char **ret,
			struct tp_err *reterr)
{
	const char *argv[] = {"getent", "ahosts", "--", host, NULL};
	const struct tp_child child = {.argv = argv, .log_fd = -1, .deadline = deadline};

	if (tp_child_check(&child, ret, NULL) < 0)
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_UNREACHABLE, NULL,
		    "the name service does not know the host \"%s\" (or did not answer "
		    "in time); correct transport.host or use its address",
		    host);
	return 0;
}

struct attempt {
	int fd;
	int code; /* of the last address tried */
};

static bool try_address(const char *address, int port, struct tp_deadline deadline,
			struct attempt *attempt)
{
	struct addrinfo *info = NULL;
	int r = resolve_numeric(address, port, &info);

	if (r == 0)
		r = connect_one(info, deadline, &attempt->fd);
	if (info)
		freeaddrinfo(info);
	attempt->code = r;
	return r == 0;
}

/* Lines of getent: address, kind, name. An address comes once for each kind. */
static bool try_all(char *lines, int port, struct tp_deadline deadline, struct attempt *attempt)
{
	char *save = NULL;
	const char *last = "";
	int tried = 0;

	for (char *line = strtok_r(lines, "\n", &save); line && tried < MAX_ADDRESSES;
	     line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, " \t")] = '\0';
		if (strcmp(line, last) == 0)
			continue;
		last = line;
		tried++;
		if (try_address(line, port, deadline, attempt))
			return true;
	}
	return false;
}

int tp_ssh_connect(const struct tp_target_config *config, struct tp_deadline deadline, int *ret_fd,
		   struct tp_err *reterr)
{
	const char *host = config->transport.host;
	int port = config->transport.port ? config->transport.port : 22;
	_cleanup_(tp_freep) char *lines = NULL;
	struct attempt attempt = {.fd = -1, .code = -ENOENT};
	int r;

	if (!host || !*host)
		return tp_err_set(reterr, -EINVAL, config->name,
				  "transport.host is empty; name the target's host");
	if (!try_address(host, port, deadline, &attempt) && attempt.code == -ENOENT) {
		r = resolve_name(host, deadline, &lines, reterr);
		if (r)
			return r;
		try_all(lines, port, deadline, &attempt);
	}
	if (attempt.fd < 0)
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_UNREACHABLE, config->name,
		    "cannot reach %s port %d: %s; is the machine on, and does its SSH "
		    "server listen there?",
		    host, port, strerror(-attempt.code));
	*ret_fd = attempt.fd;
	return 0;
}

bool tp_ssh_answers(const struct tp_target_config *config, struct tp_deadline deadline)
{
	_cleanup_(tp_fd_closep) int fd = -1;
	char greeting[4];

	if (tp_ssh_connect(config, deadline, &fd, NULL) != 0 ||
	    tp_ssh_poll(fd, POLLIN, deadline) < 0)
		return false;
	return recv(fd, greeting, sizeof(greeting), MSG_PEEK) == sizeof(greeting) &&
	       memcmp(greeting, "SSH-", sizeof(greeting)) == 0;
}
