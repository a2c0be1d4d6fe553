/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the SSH transport: its parts share one connection. libssh2's names are declared, not
 * included: only ssh*.c knows the library.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "target/transport.h"

typedef struct _LIBSSH2_SESSION LIBSSH2_SESSION;
typedef struct _LIBSSH2_SFTP LIBSSH2_SFTP;

struct tp_ssh {
	struct tp_transport base;
	int fd;
	LIBSSH2_SESSION *session;
	LIBSSH2_SFTP *sftp; /* opened at the first file, lives as long as the connection */
	bool dead;	    /* nothing more is sent on it; every call is LOST */
	char origin[64];
};

/* ssh_tcp.c: connect, with the keepalive that the kernel does by itself. */
TP_MUST_CHECK int tp_ssh_connect(const struct tp_target_config *config, struct tp_deadline deadline,
				 int *ret_fd, struct tp_err *reterr);
/* Does an SSH server greet within @deadline? */
bool tp_ssh_answers(const struct tp_target_config *config, struct tp_deadline deadline);
/* Wait until @fd is ready for @events (poll.h). 0, -ETIMEDOUT, or -ECONNRESET when it hung up. */
TP_MUST_CHECK int tp_ssh_poll(int fd, short events, struct tp_deadline deadline);

/* ssh_kexinit.c: the host key algorithms that the server offers, comma-separated; NULL: unknown. */
char *tp_ssh_offered_host_keys(const struct tp_target_config *config, struct tp_deadline deadline);

/* ssh_key.c: a pinned host key "type base64 [comment]". */
struct tp_ssh_pin {
	char type[32];
	unsigned char *blob;
	size_t len;
};
void tp_ssh_pin_deinit(struct tp_ssh_pin *pin);
TP_MUST_CHECK int tp_ssh_pin_parse(const char *text, struct tp_ssh_pin *ret, struct tp_err *reterr);
/* "SHA256:..." as OpenSSH prints it; NULL when out of memory. */
char *tp_ssh_fingerprint(const void *blob, size_t len);
/* Is the private key file fit to be used: there, ours, private, ed25519 or ECDSA, no passphrase? */
TP_MUST_CHECK int tp_ssh_key_check(const char *path, struct tp_err *reterr);

/*
 * ssh.c: wait for what libssh2 needs after it said EAGAIN. 0, or TP_TRANSPORT_E_LOST with
 * @reterr; the connection is dead then. @doing completes "while ...".
 */
TP_MUST_CHECK int tp_ssh_wait(struct tp_ssh *ssh, struct tp_deadline deadline, const char *doing,
			      struct tp_err *reterr);
/* Call the connection dead after libssh2 failed with @code. Returns TP_TRANSPORT_E_LOST. */
int tp_ssh_lost(struct tp_ssh *ssh, int code, const char *doing, struct tp_err *reterr);

/* ssh_exec.c, ssh_sftp.c, ssh_upload.c: the operations. */
TP_MUST_CHECK int tp_ssh_exec(struct tp_transport *t, const char *const *argv, size_t max_output,
			      struct tp_deadline deadline, struct tp_exec_result *ret,
			      struct tp_err *reterr);
TP_MUST_CHECK int tp_ssh_upload(struct tp_transport *t, const char *local, const char *remote,
				int mode, struct tp_deadline deadline, struct tp_err *reterr);
TP_MUST_CHECK int tp_ssh_download(struct tp_transport *t, const char *remote, const char *local,
				  int64_t max_bytes, struct tp_deadline deadline,
				  struct tp_err *reterr);
/* Start the file transfer subsystem unless it runs. */
TP_MUST_CHECK int tp_ssh_sftp_start(struct tp_ssh *ssh, struct tp_deadline deadline,
				    struct tp_err *reterr);
