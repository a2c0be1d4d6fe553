/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This machine as a target: the contract of transport.h without a wire, for tests of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/incoming.h"
#include "target/remote.h"
#include "target/transports.h"
#include "util/child.h"
#include "util/fd.h"
#include "util/hash.h"
#include "util/str.h"

#define ORIGIN "this machine"

static bool local_answers(const struct tp_target_config *config, struct tp_deadline deadline)
{
	(void)config;
	(void)deadline;
	return true;
}

static int local_open(const struct tp_target_config *config, struct tp_deadline deadline,
		      struct tp_transport **ret, struct tp_err *reterr)
{
	struct tp_transport *t = calloc(1, sizeof(*t));

	(void)config;
	(void)deadline;
	if (!t)
		return tp_err_oom(reterr);
	t->ops = &tp_transport_local;
	*ret = t;
	return 0;
}

static void local_close(struct tp_transport *t)
{
	free(t);
}

struct times {
	int64_t first_ms, last_ms;
};

static void note_line(const char *line, void *data)
{
	struct times *times = data;

	(void)line;
	times->last_ms = tp_clock_mono_ms();
	if (times->first_ms == 0)
		times->first_ms = times->last_ms;
}

/* Killed by a signal: as over SSH, nobody can say what it did before. */
static bool was_killed(const struct tp_child_result *result)
{
	return result->timed_out || result->exit_code > 128;
}

static int local_exec(struct tp_transport *t, const char *const *argv, size_t max_output,
		      struct tp_deadline deadline, struct tp_exec_result *ret,
		      struct tp_err *reterr)
{
	struct tp_child_result result = {};
	struct times times = {};
	const struct tp_child child = {
	    .argv = argv,
	    .log_fd = -1,
	    .on_line = note_line,
	    .on_line_data = &times,
	    .max_output = max_output ? max_output : 1,
	    .deadline = deadline,
	};
	int r = tp_child_run(&child, &result, reterr);

	(void)t;
	if (r < 0)
		return r;
	if (was_killed(&result)) {
		r = tp_err_set(reterr, TP_TRANSPORT_E_LOST, ORIGIN,
			       result.timed_out
				   ? "%s did not end before its deadline and was killed"
				   : "%s ended without saying how: it was killed",
			       argv[0]);
		tp_child_result_deinit(&result);
		return r;
	}
	tp_str_sanitize(result.errors);
	*ret = (struct tp_exec_result){.exit_code = result.exit_code,
				       .output = TP_TAKE(result.output),
				       .output_len = result.output_len,
				       .errors = TP_TAKE(result.errors),
				       .first_ms = times.first_ms,
				       .last_ms = times.last_ms};
	if (max_output == 0) {
		ret->output[0] = '\0';
		ret->output_len = 0;
	}
	return 0;
}

static int local_upload(struct tp_transport *t, const char *local, const char *remote, int mode,
			struct tp_deadline deadline, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *temp = tp_strf("%s.tmp", remote);
	char sha256[TP_SHA256_HEX];
	int r = temp ? tp_sha256_path(local, sha256, reterr) : tp_err_oom(reterr);

	if (r < 0)
		return r;
	r = tp_file_copy(local, temp, (mode_t)mode, reterr);
	if (r == -ENOSPC)
		return tp_err_set(reterr, TP_TRANSPORT_E_NO_SPACE, ORIGIN,
				  "the target's disk is full: no room for %s; make room there",
				  remote);
	return r < 0 ? r : tp_remote_put_in_place(t, temp, remote, mode, sha256, deadline, reterr);
}

static int local_download(struct tp_transport *t, const char *remote, const char *local,
			  int64_t max_bytes, struct tp_deadline deadline, struct tp_err *reterr)
{
	_cleanup_(tp_incoming_deinit) struct tp_incoming in = {.fd = -1};
	_cleanup_(tp_fd_closep) int fd = open(remote, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char block[65536];
	ssize_t n;
	int r;

	(void)t;
	(void)deadline;
	if (fd < 0)
		return tp_err_set(reterr, -errno, ORIGIN, "the target's file %s cannot be read: %s",
				  remote, strerror(errno));
	r = tp_incoming_open(&in, local, max_bytes, reterr);
	while (r == 0 && (n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		r = n < 0 ? tp_err_set(reterr, -errno, ORIGIN, "cannot read %s: %s", remote,
				       strerror(errno))
			  : tp_incoming_write(&in, block, (size_t)n, reterr);
	}
	return r ? r : tp_incoming_commit(&in, reterr);
}

const struct tp_transport_ops tp_transport_local = {
    .kind = "local",
    .answers = local_answers,
    .open = local_open,
    .close = local_close,
    .exec = local_exec,
    .upload = local_upload,
    .download = local_download,
};
