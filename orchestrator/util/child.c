/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Child processes; see child.h. */
#include "util/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define ERROR_TAIL     4096
#define LINE_MAX_BYTES 8192
#define LOOK_MS	       100  /* how often a silent child is looked at */
#define LINGER_MS      1000 /* how long an ended child's heirs may keep our pipes open */

struct pump {
	const struct tp_child *child;
	int in, out, err; /* our ends; -1 once closed */
	pid_t pid;
	size_t written;
	struct tp_str output, errors, line;
	size_t max_output;
};

void tp_child_result_deinit(struct tp_child_result *result)
{
	free(result->output);
	free(result->errors);
	*result = (struct tp_child_result){};
}

/* Runs in the child between fork and exec: only async-signal-safe calls. */
static void exec_child(const struct tp_child *child, int in, int out, int err, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	/* Above 2 first: our caller may itself have been started without 0, 1 or 2. */
	in = fcntl(in, F_DUPFD_CLOEXEC, 3);
	out = fcntl(out, F_DUPFD_CLOEXEC, 3);
	err = fcntl(err, F_DUPFD_CLOEXEC, 3);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	if (child->keep_fd > 2)
		fcntl(child->keep_fd, F_SETFD, 0);
	if (child->cwd && chdir(child->cwd) < 0) {
		static const char words[] = "cannot enter its working folder\n";

		_exit(write(2, words, sizeof(words) - 1) < 0 ? 127 : 126);
	}
	if (child->nice && nice(child->nice) == -1)
		errno = 0;
	if (child->env)
		execvpe(child->argv[0], (char *const *)child->argv, (char *const *)child->env);
	else
		execvp(child->argv[0], (char *const *)child->argv);
	_exit(127);
}

static void emit_line(struct pump *p)
{
	if (p->child->on_line && p->line.len > 0)
		p->child->on_line(tp_str_text(&p->line), p->child->on_line_data);
	tp_str_reset(&p->line);
}

static void feed_lines(struct pump *p, const char *data, size_t n)
{
	if (!p->child->on_line)
		return;
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\n' || p->line.len >= LINE_MAX_BYTES)
			emit_line(p);
		if (data[i] != '\n' && data[i] != '\0')
			tp_str_append_n(&p->line, &data[i], 1);
	}
}

static void keep_tail(struct tp_str *tail, const char *data, size_t n)
{
	tp_str_append_n(tail, data, n);
	if (tail->len > 2 * ERROR_TAIL) {
		memmove(tail->data, tail->data + tail->len - ERROR_TAIL, ERROR_TAIL + 1);
		tail->len = ERROR_TAIL;
	}
}

/* Read what is there from one stream; closes it at its end. */
static void drain(struct pump *p, int *fd, bool is_err)
{
	char block[16384];
	ssize_t n = read(*fd, block, sizeof(block));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		tp_fd_closep(fd);
		return;
	}
	/* A full disk must not stop the child; the log is a copy. */
	if (p->child->log_fd >= 0 && tp_fd_write_all(p->child->log_fd, block, (size_t)n) < 0)
		errno = 0;
	if (is_err) {
		keep_tail(&p->errors, block, (size_t)n);
		return;
	}
	feed_lines(p, block, (size_t)n);
	if (p->output.len < p->max_output) {
		size_t room = p->max_output - p->output.len;

		tp_str_append_n(&p->output, block, (size_t)n < room ? (size_t)n : room);
	}
}

/* write() to a pipe whose reader may be gone, without a SIGPIPE for this process. */
static ssize_t write_quietly(int fd, const void *data, size_t len)
{
	const struct timespec now = {};
	sigset_t pipe_only, before;
	ssize_t n;
	int code;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
	n = write(fd, data, len);
	code = errno;
	if (n < 0 && code == EPIPE)
		sigtimedwait(&pipe_only, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = code;
	return n;
}

static void feed_input(struct pump *p)
{
	const char *data = p->child->input;
	ssize_t n = write_quietly(p->in, data + p->written, p->child->input_len - p->written);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		p->written += (size_t)n;
	if (n < 0 || p->written == p->child->input_len)
		tp_fd_closep(&p->in);
}

/* Has the child ended? It stays a zombie, so that its process group keeps its number. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

/*
 * Move bytes until the streams end or the deadline passes. What a process left behind by an
 * ended child still writes is read for a moment only.
 */
static void pump_all(struct pump *p)
{
	struct tp_deadline deadline = p->child->deadline;
	bool ended = false;

	while ((p->out >= 0 || p->err >= 0 || p->in >= 0) && !tp_deadline_passed(deadline)) {
		int left_ms = tp_deadline_left_ms(deadline);
		struct pollfd fds[3] = {
		    {.fd = p->out, .events = POLLIN},
		    {.fd = p->err, .events = POLLIN},
		    {.fd = p->in, .events = POLLOUT},
		};
		int n = poll(fds, 3, left_ms < LOOK_MS ? left_ms : LOOK_MS);

		if (n < 0 && errno != EINTR)
			return;
		if (!ended && has_ended(p->pid)) {
			ended = true;
			deadline = tp_deadline_min(deadline, LINGER_MS);
		}
		if (n <= 0)
			continue;
		if (fds[0].revents)
			drain(p, &p->out, false);
		if (fds[1].revents)
			drain(p, &p->err, true);
		if (p->in >= 0 && fds[2].revents)
			feed_input(p);
	}
}

/* Returns false when the deadline passed before the child ended. */
static bool wait_for_end(pid_t pid, struct tp_deadline deadline)
{
	for (int64_t nap_ms = 1; !has_ended(pid); nap_ms = nap_ms < 50 ? nap_ms * 2 : 50) {
		if (!tp_deadline_sleep(deadline, nap_ms))
			return has_ended(pid);
	}
	return true;
}

static bool ended_well(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid && info.si_code == CLD_EXITED && info.si_status == 0;
}

static int open_pipes(int in[2], int out[2], int err[2], bool with_input)
{
	if (with_input) {
		if (pipe2(in, O_CLOEXEC) < 0)
			return -errno;
		fcntl(in[1], F_SETFL, O_NONBLOCK);
	} else {
		in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (in[0] < 0)
			return -errno;
	}
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

static int finish(struct pump *p, struct tp_child_result *ret)
{
	bool in_time = wait_for_end(p->pid, p->child->deadline);
	int status = 0;
	pid_t r;

	if (!in_time || !ended_well(p->pid)) {
		kill(-p->pid, SIGKILL);
		kill(p->pid, SIGKILL);
	}
	do
		r = waitpid(p->pid, &status, 0);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	emit_line(p);
	ret->timed_out = !in_time;
	ret->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	ret->output_len = p->output.len;
	ret->output = tp_str_take(&p->output);
	ret->errors = tp_str_take(&p->errors);
	return 0;
}

int tp_child_run(const struct tp_child *child, struct tp_child_result *ret, struct tp_err *reterr)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
	struct pump p = {.child = child,
			 .in = -1,
			 .out = -1,
			 .err = -1,
			 .pid = -1,
			 .max_output = child->max_output ? child->max_output : 1 << 20};
	pid_t parent = getpid();
	int r = open_pipes(in, out, err, child->input != NULL);

	*ret = (struct tp_child_result){};
	if (r == 0) {
		p.pid = fork();
		if (p.pid == 0)
			exec_child(child, in[0], out[1], child->merge_stderr ? out[1] : err[1],
				   parent);
		r = p.pid < 0 ? -errno : 0;
	}
	tp_fd_closep(&in[0]);
	tp_fd_closep(&out[1]);
	tp_fd_closep(&err[1]);
	p.in = in[1];
	p.out = out[0];
	p.err = err[0];
	if (r == 0) {
		setpgid(p.pid, p.pid);
		pump_all(&p);
		r = finish(&p, ret);
	}
	tp_fd_closep(&p.in);
	tp_fd_closep(&p.out);
	tp_fd_closep(&p.err);
	tp_str_deinit(&p.line);
	tp_str_deinit(&p.output);
	tp_str_deinit(&p.errors);
	if (r < 0)
		return tp_err_set(reterr, r, NULL, "cannot run %s: %s", child->argv[0],
				  strerror(-r));
	if (!ret->output || !ret->errors) {
		tp_child_result_deinit(ret);
		return tp_err_oom(reterr);
	}
	return 0;
}

/* The last line that says something, for an error sentence. */
static const char *last_words(struct tp_child_result *result)
{
	char *text = tp_str_chomp(result->errors[0] ? result->errors : result->output);
	char *line = strrchr(text, '\n');

	tp_str_sanitize(text);
	return line ? line + 1 : text;
}

int tp_child_check(const struct tp_child *child, char **ret_output, struct tp_err *reterr)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	int r = tp_child_run(child, &result, reterr);

	if (r < 0)
		return r;
	if (result.timed_out)
		return tp_err_set(reterr, -ETIMEDOUT, NULL,
				  "%s did not finish before its deadline and was killed",
				  child->argv[0]);
	if (result.exit_code == 127 && !result.errors[0])
		return tp_err_set(reterr, -ENOENT, NULL, "the program %s is not installed",
				  child->argv[0]);
	if (result.exit_code != 0)
		return tp_err_set(reterr, -EIO, NULL, "%s %s ended with %d: %s", child->argv[0],
				  child->argv[1] ? child->argv[1] : "", result.exit_code,
				  last_words(&result));
	if (ret_output)
		*ret_output = TP_TAKE(result.output);
	return 0;
}
