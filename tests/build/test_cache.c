/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache: a hit costs nothing, a damaged or half-written entry is never used. */
#include "build_helper.h"

#include <errno.h>

/* toy/base with a line in DIR/links for each time it was linked. */
static void counted(const char *dir)
{
	variant(dir, "counted", "toy/base",
		"sed -i \"s|^\\t@nm -n .*|&\\n\\t@echo linked >>$DIR/links|\" Makefile");
}

static int links(const char *dir)
{
	_cleanup_(tp_freep) char *n = sh(dir, "cat links 2>/dev/null | wc -l");

	return atoi(n);
}

static void a_hit_builds_nothing(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result first = {}, again = {};

	counted(*state);
	first = built(&t, "counted");
	again = built(&t, "counted");
	assert_int_equal(links(*state), 1);
	assert_true(again.from_cache);
	assert_string_equal(first.manifest_json, again.manifest_json);
	assert_string_equal(first.release, again.release);
	assert_string_equal(first.canonical_sha256, again.canonical_sha256);
	assert_string_equal(first.artifact_dir, again.artifact_dir);
	assert_int_equal(first.files_compiled, again.files_compiled);
	/* The cache alone is enough: no work folder, no repository. */
	run(*state, "rm -r work");
	{
		_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result third =
		    built(&t, "counted");

		assert_true(third.from_cache);
	}
}

static void a_damaged_entry_is_rebuilt(void **state)
{
	static const char *const damage[] = {
	    "printf x | dd of=bzImage bs=1 seek=100 conv=notrunc status=none",
	    "truncate -s -1 System.map",
	    "echo CONFIG_X=y >>config",
	    "rm vmlinux.zst",
	    "truncate -s 5 build.log.zst",
	    "rm manifest.json",
	    "truncate -s 200 manifest.json",
	    ": >manifest.json",
	    "sed -i 's/\"format\": 1/\"format\": 2/' manifest.json",
	    "sed -i 's/\"key\": \"./\"key\": \"x/' manifest.json",
	    "sed -i '/build_id/d' manifest.json",
	    "rm bzImage; ln -s /dev/zero bzImage",
	    "rm bzImage; mkdir bzImage",
	    "echo '[]' >manifest.json",
	};
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);

	counted(*state);
	for (size_t i = 0; i < TP_ARRAY_SIZE(damage); i++) {
		_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result before =
		    built(&t, "counted");
		_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result after = {};
		_cleanup_(tp_freep) char *script = tp_strf("cd cache/[0-9a-f]*; %s", damage[i]);
		const char *key = strrchr(before.artifact_dir, '/') + 1;

		assert_true(tp_kernel_cached(t.cache, key));
		run(*state, script);
		assert_false(tp_kernel_cached(t.cache, key));
		after = built(&t, "counted");
		assert_false(after.from_cache);
		assert_true(tp_kernel_cached(t.cache, key));
		assert_string_equal(before.image_sha256, after.image_sha256);
	}
}

static void keys_lead_nowhere_else(void **state)
{
	assert_false(tp_kernel_cached(*state, ""));
	assert_false(tp_kernel_cached(*state, "../repo"));
	assert_false(tp_kernel_cached(*state, "failed"));
	assert_false(tp_kernel_cached("/nonexistent", "0"));
}

static void orphans_are_swept(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};

	/* A process number that is no more, and one that lives. */
	run(*state, "sh -c true & wait $!; mkdir -p cache/.tmp-k-$! cache/failed/.tmp-k-$! "
		    "cache/.tmp-k-1; echo x >cache/.tmp-k-$!/bzImage");
	k = built(&t, "toy/base");
	run(*state, "test \"$(cd cache; find . -name '.tmp*')\" = ./.tmp-k-1");
}

static void too_little_room_is_said_first(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	struct tp_kernel_request request = request_of(&t, "toy/base");
	struct tp_kernel_plan plan = {};
	struct tp_kernel_result k = {};
	struct tp_err err = {};

	request.min_free_bytes = INT64_MAX / 2;
	assert_int_equal(tp_kernel_plan_make(&request, &plan, NULL), 0);
	assert_int_equal(tp_kernel_build(&request, &plan, NULL, NULL, &k, &err), -ENOSPC);
	tp_kernel_plan_deinit(&plan);
	assert_contains(err.text, "GiB are free on the disk of");
	assert_contains(err.text, "free some room");
	run(*state, "test ! -e work/src");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(a_hit_builds_nothing),	       build_test(a_damaged_entry_is_rebuilt),
	    build_test(keys_lead_nowhere_else),	       build_test(orphans_are_swept),
	    build_test(too_little_room_is_said_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
