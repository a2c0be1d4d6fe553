/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A QMP client; see qmp.h. */
#include "target/qmp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define LINE_LIMIT 65536

static int fail(const struct tp_qmp *q, int code, const char *what, struct tp_err *reterr)
{
	return tp_err_set(reterr, code, NULL, "QEMU's control socket %s %s", q->path, what);
}

static int connect_socket(struct tp_qmp *q, struct tp_err *reterr)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int code;

	if (strlen(q->path) >= sizeof(address.sun_path))
		return fail(q, -ENAMETOOLONG, "has too long a path; move the machine's folder",
			    reterr);
	memcpy(address.sun_path, q->path, strlen(q->path) + 1);
	q->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (q->fd < 0)
		return fail(q, -errno, "cannot be used", reterr);
	if (connect(q->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	code = -errno;
	tp_fd_closep(&q->fd);
	if (code == -EAGAIN) /* the backlog is full: others wait already */
		code = -ETIMEDOUT;
	return tp_err_set(reterr, code, NULL, "QEMU's control socket %s does not answer: %s",
			  q->path, strerror(-code));
}

/* Read more into the buffer. */
static int read_more(struct tp_qmp *q, struct tp_deadline deadline, struct tp_err *reterr)
{
	struct pollfd p = {.fd = q->fd, .events = POLLIN};
	ssize_t n;

	if (q->len + 1 >= q->cap) {
		size_t cap = q->cap ? 2 * q->cap : 4096;
		char *buffer = cap <= 2 * LINE_LIMIT ? realloc(q->buffer, cap) : NULL;

		if (!buffer)
			return fail(q, -EPROTO, "sends a line without end", reterr);
		q->buffer = buffer;
		q->cap = cap;
	}
	while (poll(&p, 1, tp_deadline_left_ms(deadline)) <= 0) {
		if (tp_deadline_passed(deadline))
			return fail(q, -ETIMEDOUT,
				    "does not answer in time: somebody else is connected to it, or "
				    "QEMU hangs",
				    reterr);
	}
	n = read(q->fd, q->buffer + q->len, q->cap - q->len - 1);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return fail(q, -ECONNRESET, "was closed: QEMU ended", reterr);
	q->len += (size_t)n;
	return 0;
}

/* One JSON line. */
static int read_line(struct tp_qmp *q, struct tp_deadline deadline, json_t **ret,
		     struct tp_err *reterr)
{
	for (;;) {
		char *end = q->len ? memchr(q->buffer, '\n', q->len) : NULL;
		json_t *line;
		int r;

		if (end) {
			line = json_loadb(q->buffer, (size_t)(end - q->buffer), 0, NULL);
			q->len -= (size_t)(end + 1 - q->buffer);
			memmove(q->buffer, end + 1, q->len);
			if (!json_is_object(line)) {
				json_decref(line);
				return fail(q, -EPROTO, "does not speak QMP", reterr);
			}
			*ret = line;
			return 0;
		}
		r = read_more(q, deadline, reterr);
		if (r < 0)
			return r;
	}
}

static int send_command(struct tp_qmp *q, const char *command, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = tp_strf("{\"execute\":\"%s\"}\n", command);
	size_t len = text ? strlen(text) : 0;

	if (!text)
		return tp_err_oom(reterr);
	/* A line this short fits into the socket's buffer at once. */
	if (send(q->fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
		return fail(q, -ECONNRESET, "was closed: QEMU ended", reterr);
	return 0;
}

/* The answer to a command, as the lines between events. */
static int take_answer(struct tp_qmp *q, const char *command, struct tp_deadline deadline,
		       json_t **ret, struct tp_err *reterr)
{
	for (;;) {
		json_t *line, *value;
		const char *words;
		int r = read_line(q, deadline, &line, reterr);

		if (r < 0)
			return r;
		value = json_object_get(line, "return");
		words = json_string_value(json_object_get(json_object_get(line, "error"), "desc"));
		if (value && ret)
			*ret = json_incref(value);
		if (words)
			r = tp_err_set(reterr, -EIO, NULL, "QEMU refused %s: %s", command, words);
		json_decref(line);
		if (value || words)
			return r;
	}
}

int tp_qmp_run(struct tp_qmp *q, const char *command, struct tp_deadline deadline, json_t **ret,
	       struct tp_err *reterr)
{
	int r = send_command(q, command, reterr);

	return r < 0 ? r : take_answer(q, command, deadline, ret, reterr);
}

int tp_qmp_open(struct tp_qmp *ret, const char *path, struct tp_deadline deadline,
		struct tp_err *reterr)
{
	struct tp_qmp q = {.fd = -1, .path = path};
	json_t *greeting = NULL;
	int r = connect_socket(&q, reterr);

	if (r == 0)
		r = read_line(&q, deadline, &greeting, reterr);
	if (r == 0 && !json_object_get(greeting, "QMP"))
		r = fail(&q, -EPROTO, "does not speak QMP", reterr);
	json_decref(greeting);
	if (r == 0)
		r = tp_qmp_run(&q, "qmp_capabilities", deadline, NULL, reterr);
	if (r < 0) {
		tp_qmp_close(&q);
		return r;
	}
	*ret = q;
	return 0;
}

void tp_qmp_close(struct tp_qmp *q)
{
	tp_fd_closep(&q->fd);
	free(q->buffer);
	*q = (struct tp_qmp){.fd = -1};
}
