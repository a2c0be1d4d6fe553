/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of vcs/ share: shell commands in the scratch folder, the toy history. */
#pragma once

#include "scratch.h"

#include <stdio.h>
#include <sys/stat.h>

#include "util/child.h"
#include "util/clock.h"

#define TOY_MAKER TP_TEST_DATA "/make-toy-kernel"

static inline struct tp_deadline soon(void)
{
	return tp_deadline_in(60000);
}

/* Run a script with $1 = @dir in @dir; its output, chomped. Fails the test when it fails. */
static inline char *sh(const char *dir, const char *script)
{
	const char *const argv[] = {"bash", "-euc", script, "sh", dir, NULL};
	struct tp_child child = {
	    .argv = argv, .cwd = dir, .log_fd = -1, .deadline = tp_deadline_in(60000)};
	struct tp_err err = {};
	char *output = NULL;

	if (tp_child_check(&child, &output, &err) < 0)
		fail_msg("%s: %s", script, err.text);
	return tp_str_chomp(output);
}

static inline void run(const char *dir, const char *script)
{
	free(sh(dir, script));
}

/* Scratch folder with the toy history as DIR/repo, its work tree included. */
static inline int toy_setup(void **state)
{
	if (scratch_setup(state) < 0)
		return -1;
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("TOY_MAKER", TOY_MAKER, 1);
	for (const char *const *v = (const char *const[]){"AUTHOR", "COMMITTER", NULL}; *v; v++) {
		char name[64];

		snprintf(name, sizeof(name), "GIT_%s_NAME", *v);
		setenv(name, "Test", 1);
		snprintf(name, sizeof(name), "GIT_%s_EMAIL", *v);
		setenv(name, "test@example.org", 1);
	}
	run(*state, "\"$TOY_MAKER\" repo");
	return 0;
}

#define toy_test(fn) cmocka_unit_test_setup_teardown(fn, toy_setup, scratch_teardown)

/* A hash over every name, mode, time stamp, link and byte below DIR/repo. */
static inline char *fingerprint(const char *dir)
{
	return sh(dir, "cd repo; { find . -printf '%p %m %T@ %s %l\\n' | sort; "
		       "find . -type f -print0 | sort -z | xargs -0 sha256sum; } | sha256sum");
}
