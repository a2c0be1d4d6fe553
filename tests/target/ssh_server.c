/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A real sshd for tests; see ssh_server.h. */
#include "ssh_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/child.h"
#include "util/fd.h"
#include "util/str.h"

#define SSHD "/usr/sbin/sshd"

bool ssh_server_available(void)
{
	return access(SSHD, X_OK) == 0 && access("/usr/bin/ssh-keygen", X_OK) == 0;
}

int ssh_server_keygen(const char *path, const char *type, const char *passphrase)
{
	const char *argv[] = {"ssh-keygen", "-q",   "-t", type, "-N", passphrase,
			      "-C",	    "test", "-f", path, NULL};
	const struct tp_child child = {
	    .argv = argv, .log_fd = -1, .deadline = tp_deadline_in(60000)};
	struct tp_err err = {};

	if (tp_child_check(&child, NULL, &err) == 0)
		return 0;
	fprintf(stderr, "ssh-keygen: %s\n", err.text);
	return -1;
}

static int listen_any(int *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, 16) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		return -1;
	*ret_port = ntohs(address.sin_port);
	return fd;
}

static int connect_local(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				      .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int write_config(struct ssh_server *s)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/sshd_config", s->dir);
	_cleanup_(tp_freep) char *text = tp_strf(
	    "Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/authorized\n"
	    "PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\n"
	    "PasswordAuthentication no\nKbdInteractiveAuthentication no\nLogLevel QUIET\n"
	    "MaxStartups 100\nPrintMotd no\nSubsystem sftp internal-sftp\n",
	    s->port, s->dir, s->dir);

	return path && text ? tp_file_write(path, text, strlen(text), 0600, NULL) : -1;
}

static int make_keys(struct ssh_server *s, const char *type)
{
	_cleanup_(tp_freep) char *host = tp_strf("%s/host", s->dir);
	_cleanup_(tp_freep) char *host_pub = tp_strf("%s/host.pub", s->dir);
	_cleanup_(tp_freep) char *user_pub = tp_strf("%s/user.pub", s->dir);
	_cleanup_(tp_freep) char *authorized = tp_strf("%s/authorized", s->dir);
	char *comment;

	if (ssh_server_keygen(host, type, "") < 0 ||
	    ssh_server_keygen(s->user_key, "ed25519", "") < 0 ||
	    tp_file_copy(user_pub, authorized, 0600, NULL) < 0 ||
	    tp_file_read(host_pub, 65536, &s->host_key, NULL, NULL) < 0)
		return -1;
	comment = strchr(strchr(s->host_key, ' ') + 1, ' ');
	if (comment)
		*comment = '\0';
	return 0;
}

static int await_port(int port)
{
	for (int i = 0; i < 200; i++) {
		int fd = connect_local(port);

		if (fd >= 0) {
			close(fd);
			return 0;
		}
		usleep(25000);
	}
	return -1;
}

int ssh_server_start(struct ssh_server *s, const char *dir, const char *type)
{
	_cleanup_(tp_freep) char *config = tp_strf("%s/sshd_config", dir);
	int fd;

	*s = (struct ssh_server){.pid = -1, .relay = -1};
	s->dir = strdup(dir);
	s->user_key = tp_strf("%s/user", dir);
	fd = listen_any(&s->port);
	if (fd < 0)
		return -1;
	close(fd);
	if (tp_dir_make(dir, 0700, NULL) < 0 || make_keys(s, type) < 0 || write_config(s) < 0)
		return -1;
	if (geteuid() == 0)
		mkdir("/run/sshd", 0755);
	s->pid = fork();
	if (s->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execl(SSHD, SSHD, "-D", "-e", "-f", config, NULL);
		_exit(127);
	}
	return await_port(s->port);
}

static void stop_process(pid_t *pid)
{
	if (*pid <= 0)
		return;
	kill(*pid, SIGCONT);
	kill(*pid, SIGTERM);
	waitpid(*pid, NULL, 0);
	*pid = -1;
}

void ssh_server_stop(struct ssh_server *s)
{
	stop_process(&s->relay);
	stop_process(&s->pid);
	free(s->dir);
	free(s->user_key);
	free(s->host_key);
	*s = (struct ssh_server){.pid = -1, .relay = -1};
}

#define MAX_PAIRS 16

static bool pass_on(int from, int to)
{
	char block[65536];
	ssize_t n = read(from, block, sizeof(block));

	return n > 0 && tp_fd_write_all(to, block, (size_t)n) == 0;
}

static void relay_loop(int listener, int port)
{
	struct pollfd fds[1 + 2 * MAX_PAIRS] = {{.fd = listener, .events = POLLIN}};
	nfds_t n = 1;

	for (;;) {
		poll(fds, n, -1);
		for (nfds_t i = 1; i < n; i++) {
			nfds_t other = i % 2 ? i + 1 : i - 1;

			if (fds[i].fd < 0 || !fds[i].revents || pass_on(fds[i].fd, fds[other].fd))
				continue;
			close(fds[i].fd);
			close(fds[other].fd);
			fds[i].fd = fds[other].fd = -1;
		}
		if ((fds[0].revents & POLLIN) && n + 2 <= TP_ARRAY_SIZE(fds)) {
			fds[n] =
			    (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
			fds[n + 1] = (struct pollfd){.fd = connect_local(port), .events = POLLIN};
			n += 2;
		}
	}
}

int ssh_server_relay(struct ssh_server *s)
{
	int fd = listen_any(&s->relay_port);

	if (fd < 0)
		return -1;
	s->relay = fork();
	if (s->relay == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		signal(SIGPIPE, SIG_IGN);
		relay_loop(fd, s->port);
		_exit(0);
	}
	close(fd);
	return s->relay > 0 ? 0 : -1;
}

pid_t ssh_server_cut_later(struct ssh_server *s, int ms, int signal_number)
{
	pid_t pid = fork();

	if (pid == 0) {
		usleep((useconds_t)ms * 1000);
		kill(s->relay, signal_number);
		_exit(0);
	}
	return pid;
}

struct tp_target_config ssh_server_config(const struct ssh_server *s)
{
	static char name[] = "test", kind[] = "ssh", host[] = "127.0.0.1";
	static char user[64];
	struct passwd *pw = getpwuid(geteuid());
	struct tp_target_config config = {.name = name};

	snprintf(user, sizeof(user), "%s", pw ? pw->pw_name : "root");
	config.transport.kind = kind;
	config.transport.host = host;
	config.transport.port = s->relay_port ? s->relay_port : s->port;
	config.transport.user = user;
	config.transport.key = s->user_key;
	config.transport.host_key = s->host_key;
	return config;
}
