/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One command over SSH. Its end is proved by three things together: end of file, a clean close,
 * and our own marker with the exit status behind the output. The status that libssh2 reports is
 * not used: it is 0 after the peer died.
 */
#include "target/ssh.h"

#include <errno.h>
#include <libssh2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/str.h"

#define NONCE_BYTES 16
#define NOISE_MAX   8192 /* what a login script may print before our begin marker */
#define TAIL_MAX    128	 /* holds the end marker */
#define ERRORS_MAX  4096
#define CLOSE_MS    10000

struct capture {
	char nonce[2 * NONCE_BYTES + 1];
	struct tp_str head; /* the first bytes, up to @limit */
	size_t limit;
	char tail[TAIL_MAX + 1]; /* the last bytes, in order */
	size_t tail_len;
	size_t total;
	struct tp_str errors;
	int64_t first_ms, last_ms;
};

static void capture_deinit(struct capture *c)
{
	tp_str_deinit(&c->head);
	tp_str_deinit(&c->errors);
}

static int make_nonce(char ret[static 2 * NONCE_BYTES + 1])
{
	unsigned char raw[NONCE_BYTES];

	if (getrandom(raw, sizeof(raw), 0) != sizeof(raw))
		return -EIO;
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(ret + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

/* The subshell keeps `exit` and the like from skipping the marker. */
static char *make_command(const char *const *argv, const char *nonce)
{
	struct tp_str s = {};

	tp_str_append(&s, "LC_ALL=C PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; "
			  "export LC_ALL PATH; ");
	tp_str_printf(&s, "echo %s:begin; (", nonce);
	for (int i = 0; argv[i]; i++) {
		tp_str_append(&s, " ");
		tp_str_append_quoted(&s, argv[i]);
	}
	tp_str_printf(&s, " ) </dev/null; printf '\\n%%s:%%d:end\\n' %s $?", nonce);
	return tp_str_take(&s);
}

static void take_output(struct capture *c, const char *data, size_t n)
{
	size_t room = c->head.len < c->limit ? c->limit - c->head.len : 0;
	size_t keep = n < TAIL_MAX ? n : TAIL_MAX;
	size_t old = c->tail_len < TAIL_MAX - keep ? c->tail_len : TAIL_MAX - keep;

	tp_str_append_n(&c->head, data, n < room ? n : room);
	memmove(c->tail, c->tail + c->tail_len - old, old);
	memcpy(c->tail + old, data + n - keep, keep);
	c->tail_len = old + keep;
	c->tail[c->tail_len] = '\0';
	c->total += n;
	c->last_ms = tp_clock_mono_ms();
	if (c->first_ms == 0)
		c->first_ms = c->last_ms;
}

static void take_errors(struct capture *c, const char *data, size_t n)
{
	tp_str_append_n(&c->errors, data, n);
	if (c->errors.len > 2 * ERRORS_MAX) {
		memmove(c->errors.data, c->errors.data + c->errors.len - ERRORS_MAX,
			ERRORS_MAX + 1);
		c->errors.len = ERRORS_MAX;
	}
}

static int open_channel(struct tp_ssh *ssh, struct tp_deadline deadline, LIBSSH2_CHANNEL **ret,
			struct tp_err *reterr)
{
	LIBSSH2_CHANNEL *channel = NULL;
	int r;

	if (ssh->dead)
		return tp_err_set(reterr, TP_TRANSPORT_E_LOST, ssh->origin,
				  "the connection was lost before this command");
	while (!(channel = libssh2_channel_open_session(ssh->session))) {
		r = libssh2_session_last_errno(ssh->session);
		if (r != LIBSSH2_ERROR_EAGAIN)
			return tp_ssh_lost(ssh, r, "opening a channel", reterr);
		r = tp_ssh_wait(ssh, deadline, "opening a channel", reterr);
		if (r)
			return r;
	}
	*ret = channel;
	return 0;
}

static int start_command(struct tp_ssh *ssh, LIBSSH2_CHANNEL *channel, const char *command,
			 struct tp_deadline deadline, struct tp_err *reterr)
{
	int r;

	while ((r = libssh2_channel_process_startup(channel, "exec", 4, command,
						    (unsigned int)strlen(command))) ==
	       LIBSSH2_ERROR_EAGAIN) {
		r = tp_ssh_wait(ssh, deadline, "starting a command", reterr);
		if (r)
			return r;
	}
	return r < 0 ? tp_ssh_lost(ssh, r, "starting a command", reterr) : 0;
}

/* Read both streams until neither has anything. Returns bytes read, or libssh2's error. */
static ssize_t drain(LIBSSH2_CHANNEL *channel, struct capture *c)
{
	static const int streams[] = {0, SSH_EXTENDED_DATA_STDERR};
	char block[32768];
	ssize_t sum = 0;

	for (size_t i = 0; i < TP_ARRAY_SIZE(streams); i++) {
		ssize_t n = libssh2_channel_read_ex(channel, streams[i], block, sizeof(block));

		if (n < 0 && n != LIBSSH2_ERROR_EAGAIN)
			return n;
		if (n <= 0)
			continue;
		if (streams[i] == 0)
			take_output(c, block, (size_t)n);
		else
			take_errors(c, block, (size_t)n);
		sum += n;
	}
	return sum;
}

static int read_to_end(struct tp_ssh *ssh, LIBSSH2_CHANNEL *channel, struct capture *c,
		       struct tp_deadline deadline, const char *doing, struct tp_err *reterr)
{
	for (;;) {
		ssize_t n = drain(channel, c);
		int r;

		if (n < 0)
			return tp_ssh_lost(ssh, (int)n, doing, reterr);
		if (n == 0 && libssh2_channel_eof(channel))
			return 0;
		/* A command that never stops printing must not outrun the deadline. */
		if (n > 0 && !tp_deadline_passed(deadline))
			continue;
		r = tp_ssh_wait(ssh, deadline, doing, reterr);
		if (r)
			return r;
	}
}

/* Both ends have said that they are through; libssh2 may spin here when the peer is gone. */
static int close_channel(struct tp_ssh *ssh, LIBSSH2_CHANNEL *channel, struct tp_deadline deadline,
			 const char *doing, struct tp_err *reterr)
{
	int r;

	deadline = tp_deadline_min(deadline, CLOSE_MS);
	while ((r = libssh2_channel_close(channel)) == LIBSSH2_ERROR_EAGAIN) {
		r = tp_ssh_wait(ssh, deadline, doing, reterr);
		if (r)
			return r;
	}
	return r < 0 ? tp_ssh_lost(ssh, r, doing, reterr) : 0;
}

/* Find "\nNONCE:STATUS:end\n" at the very end. Returns its length, 0 when it is not there. */
static size_t end_marker(const struct capture *c, int *ret_status)
{
	size_t nonce_len = strlen(c->nonce);
	const char *at = NULL;
	long status;
	char *end;

	for (size_t i = 0; i + nonce_len + 2 < c->tail_len; i++) {
		if (c->tail[i] == '\n' && memcmp(c->tail + i + 1, c->nonce, nonce_len) == 0 &&
		    c->tail[i + 1 + nonce_len] == ':')
			at = c->tail + i;
	}
	if (!at)
		return 0;
	status = strtol(at + nonce_len + 2, &end, 10);
	if (strcmp(end, ":end\n") != 0 || status < 0 || status > 255)
		return 0;
	*ret_status = (int)status;
	return c->tail_len - (size_t)(at - c->tail);
}

static int finish(struct tp_ssh *ssh, struct capture *c, size_t max_output, const char *program,
		  struct tp_exec_result *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *begin = tp_strf("%s:begin\n", c->nonce);
	struct tp_exec_result out = {.first_ms = c->first_ms, .last_ms = c->last_ms};
	size_t marker = end_marker(c, &out.exit_code), start, len;
	const char *at;

	if (!begin || c->head.broken || c->errors.broken)
		return tp_err_oom(reterr);
	if (marker == 0)
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_LOST, ssh->origin,
		    "%s on the target ended without saying how: its shell was killed or "
		    "the connection was cut; what became of it is unknown",
		    program);
	at = memmem(tp_str_text(&c->head), c->head.len, begin, strlen(begin));
	start = at ? (size_t)(at - c->head.data) + strlen(begin) : 0;
	if (!at || start > NOISE_MAX || start + marker > c->total)
		return tp_err_set(reterr, -EPROTO, ssh->origin,
				  "the login shell prints more than %d bytes before a command's "
				  "output; silence its start-up files",
				  NOISE_MAX);
	len = c->total - marker - start;
	out.output_len = len < max_output ? len : max_output;
	out.output = malloc(out.output_len + 1);
	out.errors = tp_str_take(&c->errors);
	if (!out.output || !out.errors) {
		tp_exec_result_deinit(&out);
		return tp_err_oom(reterr);
	}
	memcpy(out.output, c->head.data + start, out.output_len);
	out.output[out.output_len] = '\0';
	tp_str_sanitize(out.errors);
	*ret = out;
	return 0;
}

/* Freeing must not wait either: on a dead connection nothing is sent any more. */
static void free_channel(LIBSSH2_CHANNEL *channel)
{
	for (int i = 0; i < 16; i++) {
		if (libssh2_channel_free(channel) != LIBSSH2_ERROR_EAGAIN)
			return;
	}
}

int tp_ssh_exec(struct tp_transport *t, const char *const *argv, size_t max_output,
		struct tp_deadline deadline, struct tp_exec_result *ret, struct tp_err *reterr)
{
	struct tp_ssh *ssh = (struct tp_ssh *)t;
	_cleanup_(capture_deinit) struct capture c = {.limit = max_output + NOISE_MAX};
	_cleanup_(tp_freep) char *command = NULL, *doing = NULL;
	LIBSSH2_CHANNEL *channel = NULL;
	int r = make_nonce(c.nonce);

	if (r < 0)
		return tp_err_set(reterr, r, ssh->origin, "no random numbers to be had");
	command = make_command(argv, c.nonce);
	doing = tp_strf("the target ran %s", argv[0]);
	if (!command || !doing)
		return tp_err_oom(reterr);
	r = open_channel(ssh, deadline, &channel, reterr);
	if (r)
		return r;
	r = start_command(ssh, channel, command, deadline, reterr);
	if (r == 0)
		r = read_to_end(ssh, channel, &c, deadline, doing, reterr);
	if (r == 0)
		r = close_channel(ssh, channel, deadline, doing, reterr);
	free_channel(channel);
	return r ? r : finish(ssh, &c, max_output, argv[0], ret, reterr);
}
