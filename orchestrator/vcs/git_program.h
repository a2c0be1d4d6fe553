/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside vcs/: the git program in a closed environment.
 *
 * No configuration of a person or of the system, no hooks, no filters, no prompt, no network.
 * Objects are read from the user's repository as an alternate; all that git writes lands in a
 * git folder of ours.
 */
#pragma once

#include "util/child.h"
#include "util/clock.h"
#include "util/err.h"

struct tp_git {
	const char *git_dir;   /* ours */
	const char *work_tree; /* ours; NULL when the command needs none */
	const char *objects;   /* the user's objects folder, only read */
	const char *scratch; /* NULL: git_dir's index and objects; else index and objects go here */
	int lock_fd;	     /* stays open in git and its helpers; 0 for none */
	struct tp_deadline deadline;
};

/*
 * Run `git ARGS`, NULL-ended and at most 24, in work_tree. Returns 0 whatever git's exit code;
 * -ENOENT when there is no git program, -ETIMEDOUT past the deadline.
 */
TP_MUST_CHECK int tp_git_run(const struct tp_git *git, const char *const *args,
			     struct tp_child_result *ret, struct tp_err *reterr);

/* Run and insist on exit code 0; the sentence carries git's own last words. */
TP_MUST_CHECK int tp_git_check(const struct tp_git *git, const char *const *args,
			       struct tp_err *reterr);

/* What git said that went wrong: its first "fatal:" or "error:" line, sanitised in place. */
const char *tp_git_complaint(struct tp_child_result *result);
