/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a correct kernel leaves in a fanotify queue, and what only a broken one does. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "workloads/fanotify_events.h"

static bool ok(long long events, long long missing, long long overflow, long long items,
	       long long passes, long long queue)
{
	struct tp_fanotify_tally tally = {
	    .events = events, .missing = missing, .overflow = overflow};

	return tp_fanotify_tally_ok(&tally, items, passes, queue);
}

static void few_files_merge_completely(void **state)
{
	(void)state;
	assert_true(ok(128, 0, 0, 128, 4, 0));
	assert_false(ok(129, 0, 0, 128, 4, 0));
	assert_false(ok(127, 0, 0, 128, 4, 0));
	assert_false(ok(128, 1, 0, 128, 4, 0));
}

/* A search that gives up early is slower, not wrong: merging is a best effort. */
static void many_files_may_stay_unmerged(void **state)
{
	(void)state;
	assert_true(ok(512, 0, 0, 512, 2, 0));
	assert_true(ok(1024, 0, 0, 512, 2, 0));
	assert_false(ok(1025, 0, 0, 512, 2, 0));
	assert_false(ok(600, 1, 0, 512, 2, 0));
}

static void overflow_needs_a_limit(void **state)
{
	(void)state;
	assert_false(ok(512, 0, 1, 512, 2, 0));	    /* unlimited */
	assert_false(ok(512, 0, 1, 512, 2, 1024));  /* room for all */
	assert_true(ok(600, 0, 1, 512, 2, 600));    /* none but the unmerged did not fit */
	assert_false(ok(599, 0, 1, 512, 2, 600));   /* it gave up before it was full */
	assert_true(ok(600, 200, 1, 800, 2, 600));  /* more files than room */
	assert_false(ok(600, 200, 0, 800, 2, 600)); /* and nobody said so */
	assert_false(ok(600, 200, 2, 800, 2, 600));
	assert_false(ok(100, 0, 1, 100, 9, 600)); /* all of them must have merged */
}

static void strangers_are_never_right(void **state)
{
	struct tp_fanotify_tally tally = {.events = 8, .unexpected = 1};

	(void)state;
	assert_false(tp_fanotify_tally_ok(&tally, 8, 2, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(few_files_merge_completely),
	    cmocka_unit_test(many_files_may_stay_unmerged),
	    cmocka_unit_test(overflow_needs_a_limit),
	    cmocka_unit_test(strangers_are_never_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
