/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that outlives its connection; see detach.h. */
#include "run/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/record.h"
#include "run/interrupt.h"
#include "util/fd.h"

/* What the child says on the pipe before it closes its end: this, or else why it failed. */
#define SAYS_WARMED "warmed"

static void print_progress(struct tp_str *text)
{
	if (tp_record_print(text) < 0)
		errno = 0;
	tp_str_deinit(text);
}

void tp_progress_started(const struct tp_run *run, pid_t pid)
{
	struct tp_str text = {};
	struct tp_jsonw w = tp_record_begin(&text, "started", true);

	tp_jsonw_text(&w, "run_id", run->run_id);
	tp_jsonw_int(&w, "pid", pid);
	tp_record_end(&w);
	print_progress(&text);
}

void tp_progress_warmed(struct tp_run *run)
{
	struct tp_str text = {};
	struct tp_jsonw w = tp_record_begin(&text, "warmed", false);

	tp_jsonw_text(&w, "run_id", run->run_id);
	tp_jsonw_int(&w, "warmup", run->warmup);
	tp_jsonw_int(&w, "rounds", run->rounds);
	tp_record_end(&w);
	print_progress(&text);
}

static void say(struct tp_run *run, const char *line)
{
	/* Nobody listens when the connection was cut: the run goes on all the same. */
	if (run->notify_fd >= 0 && tp_fd_write_all(run->notify_fd, line, strlen(line)) < 0)
		errno = 0;
	tp_fd_closep(&run->notify_fd);
}

static void say_warmed(struct tp_run *run)
{
	say(run, SAYS_WARMED);
}

static void leave_session(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

static void run_in_child(struct tp_run *run, struct tp_result *result)
{
	struct tp_err err = {};
	int r;

	leave_session();
	run->warmed = say_warmed;
	r = tp_run_execute(run, result, &err);
	if (r < 0)
		say(run, err.text);
	_exit(r < 0 ? 1 : 0);
}

static int explain_death(pid_t pid, struct tp_err *reterr)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return tp_err_set(reterr, -ECHILD, NULL, "the run was killed by signal %d",
				  WTERMSIG(status));
	if (WEXITSTATUS(status) == TP_INTERRUPT_EXIT_HUNG)
		return tp_err_set(reterr, -ETIMEDOUT, NULL,
				  "a round did not come back within %d s after --deadline-ms",
				  TP_INTERRUPT_GRACE_MS / 1000);
	return tp_err_set(reterr, -ECHILD, NULL, "the run ended without saying why (exit %d)",
			  WEXITSTATUS(status));
}

/* All that the child says until it closes the pipe. */
static void listen(int fd, struct tp_str *said)
{
	char block[1024];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno != EINTR)
			break;
		if (n > 0)
			tp_str_append_n(said, block, (size_t)n);
	}
}

static int follow(struct tp_run *run, pid_t pid, int fd, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str said = {};

	tp_progress_started(run, pid);
	listen(fd, &said);
	if (said.len == 0)
		return explain_death(pid, reterr);
	if (strcmp(tp_str_text(&said), SAYS_WARMED) != 0)
		return tp_err_set(reterr, -EIO, NULL, "%s", tp_str_text(&said));
	tp_progress_warmed(run);
	return 0;
}

int tp_detach_run(struct tp_run *run, struct tp_result *result, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int ours = -1;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot make a pipe: %s", strerror(errno));
	ours = ends[0];
	run->notify_fd = ends[1];
	pid = fork();
	if (pid == 0) {
		tp_fd_closep(&ours);
		run_in_child(run, result);
	}
	tp_fd_closep(&run->notify_fd);
	if (pid < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot start the run: %s",
				  strerror(errno));
	return follow(run, pid, ours, reterr);
}
