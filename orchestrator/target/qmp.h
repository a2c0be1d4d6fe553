/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A QMP client: one connection to QEMU's control socket, commands under a deadline. */
#pragma once

#include <jansson.h>
#include "util/clock.h"
#include "util/err.h"
#include "util/macro.h"

struct tp_qmp {
	int fd;
	const char *path; /* borrowed */
	char *buffer;	  /* the answer's line so far */
	size_t len, cap;
};

/*
 * Connect and negotiate. -ECONNREFUSED or -ENOENT: no QEMU runs. -ETIMEDOUT: it runs, but
 * somebody else holds its socket, or it hangs.
 */
TP_MUST_CHECK int tp_qmp_open(struct tp_qmp *ret, const char *path, struct tp_deadline deadline,
			      struct tp_err *reterr);
void tp_qmp_close(struct tp_qmp *q);

/* Run a command without arguments; @ret (may be NULL) is its return value (json_decref()). */
TP_MUST_CHECK int tp_qmp_run(struct tp_qmp *q, const char *command, struct tp_deadline deadline,
			     json_t **ret, struct tp_err *reterr);
