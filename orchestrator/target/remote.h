/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small things done on a target through any transport. Scripts are for a POSIX shell with
 * coreutils or busybox; arguments are passed beside the script, never pasted into it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "target/transport.h"

#define TP_REMOTE_MAX_ARGS 8

/*
 * sh -c @script with @args as $1, $2 ... (NULL-terminated, at most TP_REMOTE_MAX_ARGS). Returns
 * 0 whatever the exit code is; transport errors otherwise.
 */
TP_MUST_CHECK int tp_remote_sh(struct tp_transport *t, const char *script, const char *const *args,
			       size_t max_output, struct tp_deadline deadline,
			       struct tp_exec_result *ret, struct tp_err *reterr);

/* Bytes free for this user where @path is or will be. */
TP_MUST_CHECK int tp_remote_free(struct tp_transport *t, const char *path,
				 struct tp_deadline deadline, int64_t *ret, struct tp_err *reterr);

/* SHA-256 of a file there; "" when there is no such file. */
TP_MUST_CHECK int tp_remote_sha256(struct tp_transport *t, const char *path,
				   struct tp_deadline deadline, char ret_hex[static 65],
				   struct tp_err *reterr);

/*
 * End of an upload: sync @temp, compare its hash with @sha256, rename it to @path, sync the
 * folder. -EBADMSG when the hash differs, TP_TRANSPORT_E_NO_SPACE when that is for want of room.
 */
TP_MUST_CHECK int tp_remote_put_in_place(struct tp_transport *t, const char *temp, const char *path,
					 int mode, const char *sha256, struct tp_deadline deadline,
					 struct tp_err *reterr);

/* Replace a file there by @text, durably. */
TP_MUST_CHECK int tp_remote_write(struct tp_transport *t, const char *path, const char *text,
				  int mode, struct tp_deadline deadline, struct tp_err *reterr);

/* The sentence of a script that failed: its last line on stderr, or on stdout. */
const char *tp_remote_words(struct tp_exec_result *result);
