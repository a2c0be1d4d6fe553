/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A way to a target: run a command, move a file. Implementations: ssh (ssh.c alone includes
 * libssh2) and local (the same contract on this machine, for the conformance test).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "config/target.h"
#include "util/clock.h"
#include "util/err.h"

enum {
	TP_TRANSPORT_E_UNREACHABLE = 1, /* no TCP connection, or the handshake got no answer */
	TP_TRANSPORT_E_HOST_KEY,	/* the pinned host key changed: refused */
	TP_TRANSPORT_E_AUTH, /* key refused or of an unsupported type; the sentence says which */
	TP_TRANSPORT_E_LOST, /* the connection died in mid-call: the command's fate is unknown */
	TP_TRANSPORT_E_NO_SPACE, /* the far side's disk is full */
};

struct tp_transport;

struct tp_exec_result {
	int exit_code;
	char *output; /* stdout, its first max_output bytes, NUL-terminated, not sanitised */
	size_t output_len;
	char *errors;		   /* stderr: its last 4 KiB, sanitised */
	int64_t first_ms, last_ms; /* monotonic times of the first and last output; 0 for none */
};
void tp_exec_result_deinit(struct tp_exec_result *result);

struct tp_transport_ops {
	const char *kind;
	bool (*answers)(const struct tp_target_config *config, struct tp_deadline deadline);
	int (*open)(const struct tp_target_config *config, struct tp_deadline deadline,
		    struct tp_transport **ret, struct tp_err *reterr);
	void (*close)(struct tp_transport *t);
	int (*exec)(struct tp_transport *t, const char *const *argv, size_t max_output,
		    struct tp_deadline deadline, struct tp_exec_result *ret, struct tp_err *reterr);
	int (*upload)(struct tp_transport *t, const char *local, const char *remote, int mode,
		      struct tp_deadline deadline, struct tp_err *reterr);
	int (*download)(struct tp_transport *t, const char *remote, const char *local,
			int64_t max_bytes, struct tp_deadline deadline, struct tp_err *reterr);
};

struct tp_transport {
	const struct tp_transport_ops *ops; /* first member of every implementation */
};

/*
 * Connect. ssh: pins the host key of @config (required), key authentication with ed25519 or
 * ECDSA only. All calls block up to their deadline.
 *
 * exec: @argv is quoted for the far shell; success is EOF + clean close + our end marker with
 * the exit status, otherwise LOST. upload: large SFTP writes to a temporary name, sync, sha256
 * on the far side compared, rename. download: to a temporary name, rename.
 */
TP_MUST_CHECK int tp_transport_open(const struct tp_target_config *config,
				    struct tp_deadline deadline, struct tp_transport **ret,
				    struct tp_err *reterr);
struct tp_transport *tp_transport_close(struct tp_transport *t);
TP_DEFINE_CLEANUP(struct tp_transport, tp_transport_close)

/* Does a server answer there at all? Cheap, no authentication; blocks up to @deadline. */
bool tp_transport_answers(const struct tp_target_config *config, struct tp_deadline deadline);

/* exec and insist on exit code 0; @ret_output may be NULL. */
TP_MUST_CHECK int tp_transport_check(struct tp_transport *t, const char *const *argv,
				     struct tp_deadline deadline, char **ret_output,
				     struct tp_err *reterr);

/* Trust on first use, for `target add` alone: the host key that answers, "type base64". */
TP_MUST_CHECK int tp_ssh_fetch_host_key(const struct tp_target_config *config,
					struct tp_deadline deadline, char **ret_key,
					char **ret_fingerprint, struct tp_err *reterr);
