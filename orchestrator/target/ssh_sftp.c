/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SFTP: the subsystem's start, and files on their way here. */
#include "target/ssh.h"

#include <errno.h>
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdlib.h>
#include <string.h>

#include "target/incoming.h"
#include "util/str.h"

#define READ_BYTES 262144
#define CLOSE_MS   10000

int tp_ssh_sftp_start(struct tp_ssh *ssh, struct tp_deadline deadline, struct tp_err *reterr)
{
	int r;

	if (ssh->dead)
		return tp_err_set(reterr, TP_TRANSPORT_E_LOST, ssh->origin,
				  "the connection was lost before this file was moved");
	while (!ssh->sftp) {
		ssh->sftp = libssh2_sftp_init(ssh->session);
		if (ssh->sftp)
			break;
		r = libssh2_session_last_errno(ssh->session);
		if (r == LIBSSH2_ERROR_CHANNEL_FAILURE || r == LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED)
			return tp_err_set(
			    reterr, -EPROTONOSUPPORT, ssh->origin,
			    "the target's SSH server has no SFTP; install the package "
			    "openssh-sftp-server there");
		if (r != LIBSSH2_ERROR_EAGAIN)
			return tp_ssh_lost(ssh, r, "starting SFTP", reterr);
		r = tp_ssh_wait(ssh, deadline, "starting SFTP", reterr);
		if (r)
			return r;
	}
	return 0;
}

static int open_remote(struct tp_ssh *ssh, const char *remote, struct tp_deadline deadline,
		       LIBSSH2_SFTP_HANDLE **ret, struct tp_err *reterr)
{
	LIBSSH2_SFTP_HANDLE *handle = NULL;
	unsigned long why;
	int r;

	while (!(handle = libssh2_sftp_open_ex(ssh->sftp, remote, (unsigned int)strlen(remote),
					       LIBSSH2_FXF_READ, 0, LIBSSH2_SFTP_OPENFILE))) {
		r = libssh2_session_last_errno(ssh->session);
		if (r == LIBSSH2_ERROR_EAGAIN) {
			r = tp_ssh_wait(ssh, deadline, "opening a file", reterr);
			if (r)
				return r;
			continue;
		}
		if (r != LIBSSH2_ERROR_SFTP_PROTOCOL)
			return tp_ssh_lost(ssh, r, "opening a file", reterr);
		why = libssh2_sftp_last_error(ssh->sftp);
		return tp_err_set(reterr, why == LIBSSH2_FX_NO_SUCH_FILE ? -ENOENT : -EACCES,
				  ssh->origin, "the target's file %s cannot be read: %s", remote,
				  why == LIBSSH2_FX_NO_SUCH_FILE ? "it is not there"
								 : "it is not readable");
	}
	*ret = handle;
	return 0;
}

static void close_remote(struct tp_ssh *ssh, LIBSSH2_SFTP_HANDLE *handle,
			 struct tp_deadline deadline)
{
	deadline = tp_deadline_min(deadline, CLOSE_MS);
	while (libssh2_sftp_close_handle(handle) == LIBSSH2_ERROR_EAGAIN) {
		if (tp_ssh_wait(ssh, deadline, "closing a file", NULL))
			return;
	}
}

static int read_remote(struct tp_ssh *ssh, LIBSSH2_SFTP_HANDLE *handle, struct tp_incoming *in,
		       struct tp_deadline deadline, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *block = malloc(READ_BYTES);

	if (!block)
		return tp_err_oom(reterr);
	for (;;) {
		ssize_t n = libssh2_sftp_read(handle, block, READ_BYTES);
		int r;

		if (n == 0)
			return 0;
		if (n > 0)
			r = tp_incoming_write(in, block, (size_t)n, reterr);
		else if (n == LIBSSH2_ERROR_EAGAIN)
			r = tp_ssh_wait(ssh, deadline, "reading a file", reterr);
		else
			r = tp_ssh_lost(ssh, (int)n, "reading a file", reterr);
		if (r)
			return r;
		if (tp_deadline_passed(deadline))
			return tp_ssh_lost(ssh, -ETIMEDOUT,
					   "reading a file, too slowly for its "
					   "deadline",
					   reterr);
	}
}

int tp_ssh_download(struct tp_transport *t, const char *remote, const char *local,
		    int64_t max_bytes, struct tp_deadline deadline, struct tp_err *reterr)
{
	struct tp_ssh *ssh = (struct tp_ssh *)t;
	_cleanup_(tp_incoming_deinit) struct tp_incoming in = {.fd = -1};
	LIBSSH2_SFTP_HANDLE *handle = NULL;
	int r = tp_ssh_sftp_start(ssh, deadline, reterr);

	if (r == 0)
		r = open_remote(ssh, remote, deadline, &handle, reterr);
	if (r)
		return r;
	r = tp_incoming_open(&in, local, max_bytes, reterr);
	if (r == 0)
		r = read_remote(ssh, handle, &in, deadline, reterr);
	close_remote(ssh, handle, deadline);
	return r ? r : tp_incoming_commit(&in, reterr);
}
