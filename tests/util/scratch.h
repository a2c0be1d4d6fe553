/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A throw-away folder for one test: made in setup, removed in teardown, its path in *state. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "util/fd.h"
#include "util/str.h"

static inline int scratch_setup(void **state)
{
	const char *base = getenv("TMPDIR");
	char *dir = tp_strf("%s/triptych-test-XXXXXX", base ? base : "/tmp");

	if (!dir || !mkdtemp(dir))
		return -1;
	*state = dir;
	return 0;
}

/* Folders that a test made read-only stop everybody but root from removing what is in them. */
static inline int scratch_teardown(void **state)
{
	_cleanup_(tp_freep) char *command = tp_strf("chmod -R u+rwx '%s'", (char *)*state);
	int r = tp_dir_remove(*state, NULL);

	if (r < 0 && command && system(command) == 0)
		r = tp_dir_remove(*state, NULL);
	free(*state);
	return r;
}

#define scratch_test(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)
