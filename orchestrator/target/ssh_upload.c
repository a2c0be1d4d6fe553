/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files on their way to the target: SFTP in blocks of 1 MiB (four times as fast as 32 KiB) to
 * a temporary name, then one command there syncs, compares the hash and renames.
 */
#include "target/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/remote.h"
#include "util/fd.h"
#include "util/hash.h"
#include "util/str.h"

#define BLOCK_BYTES (1 << 20)
#define CLOSE_MS    10000

struct upload {
	struct tp_ssh *ssh;
	struct tp_deadline deadline;
	const char *local, *remote;
	char *temp;
	int fd;
	int64_t size, sent;
	char sha256[TP_SHA256_HEX];
	LIBSSH2_SFTP_HANDLE *handle;
	bool refused; /* the far side wrote less than it was given */
};

static int open_temp(struct upload *u, int mode, struct tp_err *reterr)
{
	unsigned long flags = LIBSSH2_FXF_WRITE | LIBSSH2_FXF_CREAT | LIBSSH2_FXF_TRUNC;
	int r;

	while (
	    !(u->handle = libssh2_sftp_open_ex(u->ssh->sftp, u->temp, (unsigned int)strlen(u->temp),
					       flags, mode, LIBSSH2_SFTP_OPENFILE))) {
		r = libssh2_session_last_errno(u->ssh->session);
		if (r == LIBSSH2_ERROR_SFTP_PROTOCOL) {
			unsigned long why = libssh2_sftp_last_error(u->ssh->sftp);

			u->refused = why == LIBSSH2_FX_FAILURE;
			return tp_err_set(
			    reterr, why == LIBSSH2_FX_NO_SUCH_FILE ? -ENOENT : -EACCES,
			    u->ssh->origin, "cannot create %s on the target: %s", u->remote,
			    why == LIBSSH2_FX_NO_SUCH_FILE
				? "its folder is not there"
				: "the user may not write there, or it is read-only");
		}
		r = r == LIBSSH2_ERROR_EAGAIN
			? tp_ssh_wait(u->ssh, u->deadline, "creating a file", reterr)
			: tp_ssh_lost(u->ssh, r, "creating a file", reterr);
		if (r)
			return r;
	}
	return 0;
}

static int send_block(struct upload *u, const char *data, size_t len, struct tp_err *reterr)
{
	while (len > 0) {
		ssize_t n = libssh2_sftp_write(u->handle, data, len);
		int r = 0;

		if (n > 0) {
			data += n;
			len -= (size_t)n;
			u->sent += n;
		} else if (n == LIBSSH2_ERROR_SFTP_PROTOCOL) {
			u->refused = true;
			return tp_err_set(reterr, -EIO, u->ssh->origin,
					  "the target could not write %s", u->remote);
		} else if (n == LIBSSH2_ERROR_EAGAIN || n == 0) {
			r = tp_ssh_wait(u->ssh, u->deadline, "sending a file", reterr);
		} else {
			r = tp_ssh_lost(u->ssh, (int)n, "sending a file", reterr);
		}
		if (r == 0 && tp_deadline_passed(u->deadline))
			r = tp_ssh_lost(u->ssh, -ETIMEDOUT,
					"sending a file, too slowly for its deadline", reterr);
		if (r)
			return r;
	}
	return 0;
}

/* A whole block, or what is left of the file. */
static ssize_t read_block(int fd, char *block)
{
	size_t have = 0;

	while (have < BLOCK_BYTES) {
		ssize_t n = read(fd, block + have, BLOCK_BYTES - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int send_all(struct upload *u, struct tp_err *reterr)
{
	_cleanup_(tp_sha256_freep) struct tp_sha256 *sum = tp_sha256_new();
	_cleanup_(tp_freep) char *block = malloc(BLOCK_BYTES);
	ssize_t n;

	if (!sum || !block)
		return tp_err_oom(reterr);
	while ((n = read_block(u->fd, block)) > 0) {
		int r;

		tp_sha256_update(sum, block, (size_t)n);
		r = send_block(u, block, (size_t)n, reterr);
		if (r)
			return r;
	}
	if (n < 0)
		return tp_err_set(reterr, (int)n, NULL, "cannot read %s: %s", u->local,
				  strerror((int)-n));
	tp_sha256_final(sum, u->sha256);
	return 0;
}

/* A refused write leaves answers under way that libssh2 may wait for: not longer than CLOSE_MS. */
static int close_temp(struct upload *u, struct tp_err *reterr)
{
	struct tp_deadline deadline = tp_deadline_min(u->deadline, CLOSE_MS);
	int r;

	while ((r = libssh2_sftp_close_handle(u->handle)) == LIBSSH2_ERROR_EAGAIN) {
		r = tp_ssh_wait(u->ssh, deadline, "closing a file", reterr);
		if (r)
			return r;
	}
	u->handle = NULL;
	if (r == LIBSSH2_ERROR_SFTP_PROTOCOL)
		u->refused = true;
	return r < 0 ? tp_err_set(reterr, -EIO, u->ssh->origin, "the target could not write %s",
				  u->remote)
		     : 0;
}

/* SFTP has no word for a full disk: ask df. */
static int explain_refusal(struct upload *u, int code, struct tp_err *reterr)
{
	int64_t left = u->size - u->sent, free_bytes;

	if (u->ssh->dead || !u->refused)
		return code;
	if (tp_remote_free(&u->ssh->base, u->remote, u->deadline, &free_bytes, NULL) != 0)
		return code;
	if (free_bytes >= left + BLOCK_BYTES)
		return code;
	return tp_err_set(
	    reterr, TP_TRANSPORT_E_NO_SPACE, u->ssh->origin,
	    "the target's disk is full: %s needs %lld KiB and there are %lld KiB; make "
	    "room there",
	    u->remote, (long long)(u->size >> 10), (long long)(free_bytes >> 10));
}

static void remove_temp(struct upload *u)
{
	const char *argv[] = {"rm", "-f", "--", u->temp, NULL};
	struct tp_exec_result result = {};

	if (u->ssh->dead ||
	    tp_ssh_exec(&u->ssh->base, argv, 0, tp_deadline_in(CLOSE_MS), &result, NULL) != 0)
		return; /* the temporary name is ours: `clean` and the next upload remove it */
	tp_exec_result_deinit(&result);
}

static int run_upload(struct upload *u, int mode, struct tp_err *reterr)
{
	struct tp_err ignored;
	int r = tp_ssh_sftp_start(u->ssh, u->deadline, reterr), c;

	if (r == 0)
		r = open_temp(u, mode, reterr);
	if (r == 0) {
		r = send_all(u, reterr);
		c = u->ssh->dead ? 0 : close_temp(u, r ? &ignored : reterr);
		r = r ? r : c;
	}
	if (r)
		r = explain_refusal(u, r, reterr);
	if (r == 0)
		r = tp_remote_put_in_place(&u->ssh->base, u->temp, u->remote, mode, u->sha256,
					   u->deadline, reterr);
	if (r)
		remove_temp(u);
	return r;
}

int tp_ssh_upload(struct tp_transport *t, const char *local, const char *remote, int mode,
		  struct tp_deadline deadline, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = open(local, O_RDONLY | O_CLOEXEC);
	_cleanup_(tp_freep) char *temp = tp_strf("%s.tmp", remote);
	struct upload u = {.ssh = (struct tp_ssh *)t,
			   .deadline = deadline,
			   .local = local,
			   .remote = remote,
			   .temp = temp,
			   .fd = fd};
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot open %s: %s", local,
				  strerror(errno));
	if (!temp)
		return tp_err_oom(reterr);
	u.size = st.st_size;
	return run_upload(&u, mode, reterr);
}
