/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes, described by a struct, run in a process group of their own.
 *
 * Never through a shell string. The whole group is killed when the deadline passes and when
 * the child fails; a child that ends well may leave processes behind, whose output is no longer
 * read. The child itself dies with this process (PR_SET_PDEATHSIG).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "util/clock.h"
#include "util/err.h"
#include "util/macro.h"

/*
 * A line of the child's output, without its newline and without NUL bytes, not otherwise
 * sanitised. Empty lines are left out; long lines arrive in pieces of 8 KiB.
 */
typedef void (*tp_child_line_fn)(const char *line, void *data);

struct tp_child {
	const char *const *argv; /* NULL-terminated; argv[0] is searched in PATH */
	const char *const *env;	 /* NULL: inherit; otherwise the whole environment */
	const char *cwd;	 /* NULL: inherit */
	const void *input;	 /* bytes for standard input; NULL: /dev/null */
	size_t input_len;
	bool merge_stderr; /* stderr joins stdout; else it goes to @log_fd or is kept for errors */
	int log_fd;	   /* every byte of both streams is copied there; -1 for none, NOT 0 */
	tp_child_line_fn on_line; /* called for each line of stdout (and of stderr when merged) */
	void *on_line_data;
	int keep_fd;	   /* > 2: stays open in the child and its heirs (a lock); 0 for none */
	size_t max_output; /* bytes of stdout kept in @ret_output; 0 means 1 MiB */
	int nice;	   /* added niceness; 0 for none */
	struct tp_deadline deadline;
};

struct tp_child_result {
	int exit_code;	/* exit status; 128 + signal when killed by one */
	bool timed_out; /* the deadline passed and the group was killed */
	char *output;	/* stdout kept, NUL-terminated; free by tp_child_result_deinit() */
	size_t output_len;
	char *errors; /* the last 4 KiB of stderr when not merged */
};

void tp_child_result_deinit(struct tp_child_result *result);

/*
 * Run to its end. Blocks up to the deadline. Returns 0 when the child could be started and
 * was reaped, whatever its exit code; a program that is not there is exit code 127, a folder
 * @cwd that cannot be entered 126. Needs SIGCHLD not to be ignored.
 */
TP_MUST_CHECK int tp_child_run(const struct tp_child *child, struct tp_child_result *ret,
			       struct tp_err *reterr);

/*
 * Run and insist on exit code 0; otherwise -EIO (-ETIMEDOUT) and a sentence with the
 * program's last words. @ret_output may be NULL; free() it.
 */
TP_MUST_CHECK int tp_child_check(const struct tp_child *child, char **ret_output,
				 struct tp_err *reterr);
