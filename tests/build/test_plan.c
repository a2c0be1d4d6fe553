/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The content address: everything that goes in changes it, nothing else does. */
#include "build_helper.h"

#include <errno.h>

static void key_of(const struct toy *t, const char *spec, char ret[static TP_SHA256_HEX])
{
	struct tp_kernel_request request = request_of(t, spec);
	struct tp_kernel_plan plan = {};
	struct tp_err err = {};

	if (tp_kernel_plan_make(&request, &plan, &err) < 0)
		fail_msg("%s: %s", spec, err.text);
	memcpy(ret, plan.key, TP_SHA256_HEX);
	tp_kernel_plan_deinit(&plan);
}

static void assert_key(const struct toy *t, const char *spec, const char *other, bool same)
{
	char key[TP_SHA256_HEX];

	key_of(t, spec, key);
	if (!strcmp(key, other) != same)
		fail_msg("%s: the key %s", spec, same ? "changed" : "did not change");
}

static void names_do_not_matter_contents_do(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *one = tp_strf("toy/neutral+%s/p.patch", (char *)*state);
	_cleanup_(tp_freep) char *two = tp_strf("toy/slower~1+%s/q.patch", (char *)*state);
	char key[TP_SHA256_HEX], patched[TP_SHA256_HEX];

	key_of(&t, "toy/neutral", key);
	assert_key(&t, "toy/slower^", key, true);
	assert_key(&t, "toy/slower", key, false);
	run(*state, "git -C repo diff toy/neutral toy/slower >p.patch; cp p.patch q.patch");
	key_of(&t, one, patched);
	assert_string_not_equal(patched, key);
	assert_key(&t, two, patched, true);
	run(*state, "sed -i 's/^+.*more.*/&!/; s/toy-speed=130/toy-speed=131/' p.patch");
	assert_key(&t, one, patched, false);
}

static void every_input_counts(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(toy_deinit) struct toy two = toy_of(*state, FRAGMENTS("normalise.config", "x"));
	_cleanup_(toy_deinit) struct toy swapped =
	    toy_of(*state, FRAGMENTS("x", "normalise.config"));
	_cleanup_(toy_deinit) struct toy elsewhere = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *path = tp_strf("%s/bin:%s", (char *)*state, getenv("PATH"));
	_cleanup_(tp_freep) char *old_path = strdup(getenv("PATH"));
	char key[TP_SHA256_HEX], key_two[TP_SHA256_HEX];

	run(*state, "echo CONFIG_DEBUG_INFO=y >x");
	key_of(&t, "toy/base", key);
	key_of(&two, "toy/base", key_two);
	assert_string_not_equal(key, key_two);
	assert_key(&swapped, "toy/base", key_two, false);
	run(*state, "echo CONFIG_DEBUG_INFO=n >x");
	assert_key(&two, "toy/base", key_two, false);
	/* The path of the trees is pinned too. */
	free(elsewhere.work);
	elsewhere.work = tp_strf("%s/elsewhere", (char *)*state);
	assert_key(&elsewhere, "toy/base", key, false);
	/* Another assembler with the same version line. */
	run(*state, "mkdir bin; cp \"$(realpath \"$(command -v as)\")\" bin/as; printf x >>bin/as");
	setenv("PATH", path, 1);
	assert_key(&t, "toy/base", key, false);
	setenv("PATH", old_path, 1);
	assert_key(&t, "toy/base", key, true);
	run(*state, "echo CONFIG_HZ=300 >>seed");
	assert_key(&t, "toy/base", key, false);
}

/* A link farm of ccache in PATH must not stand in for the compiler. */
static void looks_through_wrappers(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *path = tp_strf("%s/farm:%s", (char *)*state, getenv("PATH"));
	_cleanup_(tp_freep) char *old_path = strdup(getenv("PATH"));
	struct tp_kernel_request request = request_of(&t, "toy/base");
	struct tp_kernel_plan plan = {};

	run(*state, "mkdir farm other; printf '#!/bin/sh\\n' >other/ccache; chmod +x other/ccache;"
		    "ln -s ../other/ccache farm/gcc");
	setenv("PATH", path, 1);
	assert_int_equal(tp_kernel_plan_make(&request, &plan, NULL), 0);
	setenv("PATH", old_path, 1);
	assert_null(strstr(plan.toolchain_json, "/farm/"));
	assert_contains(plan.toolchain_json, "\"tool\":\"cc1\"");
	assert_contains(plan.toolchain_json, "\"tool\":\"ld\"");
	assert_contains(plan.toolchain_json, "\"tool\":\"make\"");
	tp_kernel_plan_deinit(&plan);
}

static void assert_refused(const struct toy *t, const char *spec, int code, const char *words)
{
	struct tp_kernel_request request = request_of(t, spec);
	struct tp_kernel_plan plan = {};
	struct tp_err err = {};

	assert_int_equal(tp_kernel_plan_make(&request, &plan, &err), code);
	assert_contains(err.text, words);
	assert_null(plan.patches);
}

static void refused_before_anything_is_built(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(toy_deinit) struct toy odd = toy_of(*state, NORMALISED);
	_cleanup_(toy_deinit) struct toy lost = toy_of(*state, FRAGMENTS("nowhere.config"));
	_cleanup_(tp_freep) char *missing = tp_strf("toy/base+%s/no.patch", (char *)*state);
	_cleanup_(tp_freep) char *bad = tp_strf("toy/base+%s/bad.patch", (char *)*state);

	run(*state, "git -C repo diff toy/slower toy/comment >bad.patch");
	assert_refused(&t, "toy/none", -ENOENT, "there is no revision toy/none");
	assert_refused(&t, "toy/base^{tree}", -EINVAL, "is a tree");
	assert_refused(&t, missing, -ENOENT, "no.patch");
	assert_refused(&t, bad, -EINVAL, "bad.patch does not apply: hunk 1 of fs/notify.c");
	assert_refused(&lost, "toy/base", -ENOENT, "nowhere.config");
	free(odd.work);
	odd.work = strdup("/tmp/two words/work");
	assert_refused(&odd, "toy/base", -EINVAL, "does not survive make");
}

static void a_missing_compiler_is_named(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *old_path = strdup(getenv("PATH"));
	_cleanup_(tp_freep) char *bin = tp_strf("%s/bin", (char *)*state);

	run(*state, "mkdir bin; ln -s \"$(command -v git)\" bin/git");
	setenv("PATH", bin, 1);
	assert_refused(&t, "toy/base", -ENOENT, "install the package gcc");
	setenv("PATH", old_path, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(names_do_not_matter_contents_do),
	    build_test(every_input_counts),
	    build_test(looks_through_wrappers),
	    build_test(refused_before_anything_is_built),
	    build_test(a_missing_compiler_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
