/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On a real kernel: a neighbouring commit built in the kept object tree is bit for bit what a
 * clean build at the same path gives, with no compiler cache in between.
 *
 * Needs the demo's history; TRIPTYCH_LAB_HISTORY names one, else it is made. Takes minutes.
 */
#include "build_helper.h"

#define CONFIGS TP_SOURCE_ROOT "/kconfigs/"

static struct tp_kernel_result build_real(const char *dir, const char *repo, const char *spec)
{
	_cleanup_(tp_freep) char *cache = tp_strf("%s/cache", dir);
	_cleanup_(tp_freep) char *work = tp_strf("%s/work", dir);
	const char *const fragments[] = {CONFIGS "normalise.config", NULL};
	struct tp_kernel_request request = {.repo = repo,
					    .spec = spec,
					    .seed = CONFIGS "vm-seed.config",
					    .fragments = fragments,
					    .cache_dir = cache,
					    .work_dir = work,
					    .timeout_ms = 40 * 60 * 1000};
	struct tp_kernel_plan plan = {};
	struct tp_kernel_result k = {};
	struct tp_err err = {};

	if (tp_kernel_plan_make(&request, &plan, &err) < 0 ||
	    tp_kernel_build(&request, &plan, NULL, NULL, &k, &err) < 0)
		fail_msg("%s: %s", spec, err.text);
	tp_kernel_plan_deinit(&plan);
	if (k.outcome != TP_BUILD_OK)
		fail_msg("%s: %s", spec, k.first_error);
	print_message("%s: %d files in %.1f s\n", spec, k.files_compiled,
		      (double)k.build_ms / 1000);
	return k;
}

static void remove_below(const char *dir, const char *name)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, name);

	assert_int_equal(tp_dir_remove(path, NULL), 0);
}

static char *history(const char *dir)
{
	const char *given = getenv("TRIPTYCH_LAB_HISTORY");
	const char *const argv[] = {TP_SOURCE_ROOT "/tools/lab/make-history", "history", NULL};
	struct tp_child child = {
	    .argv = argv, .cwd = dir, .log_fd = -1, .deadline = tp_deadline_in(15 * 60 * 1000)};
	struct tp_err err = {};

	if (given && given[0])
		return strdup(given);
	if (tp_child_check(&child, NULL, &err) < 0)
		fail_msg("%s", err.text);
	return tp_strf("%s/history", dir);
}

static void clean_equals_incremental(void **state)
{
	_cleanup_(tp_freep) char *repo = history(*state);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result parent = {}, child = {},
								   clean = {};
	const char *given_cache = getenv("TRIPTYCH_LAB_CCACHE");

	/* A compiler cache, when one is lent, serves the first build alone: nothing depends on it.
	 */
	if (given_cache && given_cache[0])
		setenv("CCACHE_DIR", given_cache, 1);
	else
		setenv("CCACHE_DISABLE", "1", 1);
	parent = build_real(*state, repo, "demo/slower^");
	setenv("CCACHE_DISABLE", "1", 1);
	child = build_real(*state, repo, "demo/slower");
	assert_manifest(&child, "kernel.incremental", "true");
	assert_true(child.files_compiled < parent.files_compiled / 4);
	remove_below(*state, "cache");
	remove_below(*state, "work/obj");
	clean = build_real(*state, repo, "demo/slower");
	assert_manifest(&clean, "kernel.incremental", "false");
	assert_string_equal(child.vmlinux_sha256, clean.vmlinux_sha256);
	assert_string_equal(child.image_sha256, clean.image_sha256);
	assert_string_equal(child.system_map_sha256, clean.system_map_sha256);
	assert_string_not_equal(child.canonical_sha256, parent.canonical_sha256);
	assert_int_equal(strlen(child.release), strlen(parent.release));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(clean_equals_incremental),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
