/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel as a person gets it: what is in the cache, what is recorded, what equals what. */
#include "build_helper.h"

static void whats_in_the_cache(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = built(&t, "toy/slower");
	_cleanup_(tp_freep) char *names = sh(*state, "ls cache/*/");
	_cleanup_(tp_freep) char *hashes = sh(*state, "cd cache/*/; sha256sum bzImage System.map |"
						      "cut -d' ' -f1 | tr '\\n' ' '");
	_cleanup_(tp_freep) char *wanted = tp_strf("%s %s", k.image_sha256, k.system_map_sha256);
	_cleanup_(tp_freep) char *build_id =
	    sh(*state, "readelf -n work/obj/vmlinux | sed -n 's/.*Build ID: //p'");
	_cleanup_(tp_freep) char *log = unpacked(k.log_path);

	assert_false(k.from_cache);
	assert_string_equal(
	    names, "System.map\nbuild.log.zst\nbzImage\nconfig\nmanifest.json\nvmlinux.zst");
	assert_string_equal(hashes, wanted);
	assert_string_equal(k.build_id, build_id);
	assert_true(tp_str_starts(k.release, "6.99.0-tp-"));
	assert_int_equal(strlen(k.release), strlen("6.99.0-tp-") + 12);
	assert_int_equal(k.files_compiled, 4);
	assert_true(k.build_ms > 0);
	assert_contains(log, "  CC      fs/notify.o");
	run(*state,
	    "grep -q toy_speed_130 cache/*/System.map; grep -aq toy-speed=130 cache/*/bzImage");
	run(*state, "test -z \"$(find cache -name '.tmp*')\"; test ! -e work/building");
}

static void what_is_recorded(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *spec = tp_strf("toy/neutral+%s/a b.patch", (char *)*state);
	_cleanup_(tp_freep) char *facts = NULL;
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};
	_cleanup_(tp_freep) char *got = NULL;

	run(*state, "git -C repo diff toy/neutral toy/slower >'a b.patch'");
	k = built(&t, spec);
	facts =
	    sh(*state,
	       "q() { git -C repo rev-parse \"$1\"; }; h() { sha256sum \"$1\" | cut -c-64; };"
	       "printf '{\"id\":\"%s\",\"tree\":\"%s\",\"parent\":\"%s\"|[{\"name\":\"a b.patch\","
	       "\"sha256\":\"%s\"}]|\"%s\"|[{\"name\":\"normalise.config\",\"sha256\":\"%s\"}]' "
	       "\"$(q toy/neutral)\" \"$(q toy/neutral^{tree})\" \"$(q toy/base)\" "
	       "\"$(h 'a b.patch')\" \"$(h seed)\" \"$(h normalise.config)\"");
	{
		_cleanup_(tp_freep) char *commit = manifest_value(&k, "commit");
		_cleanup_(tp_freep) char *patches = manifest_value(&k, "patches");
		_cleanup_(tp_freep) char *seed = manifest_value(&k, "config.seed_sha256");
		_cleanup_(tp_freep) char *fragments = manifest_value(&k, "config.fragments");

		*strstr(commit, ",\"parents\"") = '\0';
		got = tp_strf("%s|%s|%s|%s", commit, patches, seed, fragments);
	}
	assert_string_equal(got, facts);
	assert_manifest(&k, "kernel.release_length", "22");
	assert_manifest(&k, "kernel.incremental", "false");
	assert_manifest(&k, "kernel.files_compiled", "4");
	assert_manifest(&k, "constants.KBUILD_BUILD_VERSION", "\"1\"");
	assert_manifest(&k, "constants.LC_ALL", "\"C\"");
	/* The toy does not know RANDSTRUCT_NONE: no harm, but told. */
	assert_manifest(
	    &k, "config.fragment_symbols_not_taken",
	    "[{\"symbol\":\"CONFIG_RANDSTRUCT_NONE\",\"wanted\":\"y\",\"got\":\"absent\"}]");
}

static void a_comment_changes_no_code(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result slower = built(&t, "toy/slower");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result comment =
	    built(&t, "toy/comment");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result neutral =
	    built(&t, "toy/neutral");

	assert_string_equal(slower.canonical_sha256, comment.canonical_sha256);
	assert_string_not_equal(slower.release, comment.release);
	assert_string_not_equal(slower.build_id, comment.build_id);
	assert_string_not_equal(slower.vmlinux_sha256, comment.vmlinux_sha256);
	assert_string_not_equal(slower.image_sha256, comment.image_sha256);
	assert_string_equal(slower.config_sha256, comment.config_sha256);
	assert_string_not_equal(slower.canonical_sha256, neutral.canonical_sha256);
	assert_int_equal(strlen(slower.release), strlen(neutral.release));
	/* The neighbour compiled two files: the changed one and the one with the release. */
	assert_int_equal(comment.files_compiled, 2);
	assert_manifest(&comment, "kernel.incremental", "true");
}

static void an_incremental_build_equals_a_clean_one(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result base = built(&t, "toy/base");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result back = {}, clean = {};
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result there = built(&t, "toy/slower");

	run(*state, "rm -r cache");
	back = built(&t, "toy/base");
	run(*state, "rm -r cache work");
	clean = built(&t, "toy/base");
	assert_manifest(&back, "kernel.incremental", "true");
	assert_manifest(&clean, "kernel.incremental", "false");
	assert_string_equal(back.image_sha256, clean.image_sha256);
	assert_string_equal(back.vmlinux_sha256, base.vmlinux_sha256);
	assert_string_equal(back.vmlinux_sha256, clean.vmlinux_sha256);
}

static void the_callers_environment_stays_outside(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};

	variant(*state, "env", "toy/base", "sed -i '/^bzImage:/i $(info $(shell env))' Makefile");
	setenv("CFLAGS", "-DEVIL", 1);
	setenv("MAKEFLAGS", "-k", 1);
	setenv("KBUILD_BUILD_USER", "me", 1);
	setenv("CCACHE_TEST", "through", 1);
	k = built(&t, "env");
	unsetenv("CFLAGS");
	unsetenv("MAKEFLAGS");
	unsetenv("KBUILD_BUILD_USER");
	unsetenv("CCACHE_TEST");
	{
		_cleanup_(tp_freep) char *log = unpacked(k.log_path);

		assert_null(strstr(log, "EVIL"));
		assert_null(strstr(log, "KBUILD_BUILD_USER=me"));
		assert_contains(log, "KBUILD_BUILD_USER=triptych");
		assert_contains(log, "KBUILD_BUILD_TIMESTAMP=Sat Jan  1 00:00:00 UTC 2000");
		assert_contains(log, "TZ=UTC");
		assert_contains(log, "CCACHE_TEST=through");
	}
}

struct seen {
	int calls, last_done, expected;
};

static void note(int done, int expected, const char *what, void *data)
{
	struct seen *seen = data;

	assert_true(what[0] != '\0');
	assert_true(done >= seen->last_done || done == 0);
	seen->calls++;
	seen->last_done = done;
	if (expected > seen->expected)
		seen->expected = expected;
}

static void progress_knows_the_second_time(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result first = built(&t, "toy/base");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result again = {};
	struct tp_kernel_request request = request_of(&t, "toy/slower");
	struct tp_kernel_plan plan = {};
	struct seen seen = {};

	run(*state, "rm -r work/obj");
	assert_int_equal(tp_kernel_plan_make(&request, &plan, NULL), 0);
	assert_int_equal(tp_kernel_build(&request, &plan, note, &seen, &again, NULL), 0);
	tp_kernel_plan_deinit(&plan);
	assert_true(seen.calls >= 3);
	assert_int_equal(seen.expected, first.files_compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(whats_in_the_cache),
	    build_test(what_is_recorded),
	    build_test(a_comment_changes_no_code),
	    build_test(an_incremental_build_equals_a_clean_one),
	    build_test(the_callers_environment_stays_outside),
	    build_test(progress_knows_the_second_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
