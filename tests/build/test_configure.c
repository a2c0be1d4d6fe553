/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pristine seed, fragments in order, and what happens when the source does not follow. */
#include "build_helper.h"

#include <errno.h>

static void assert_config(const char *dir, const char *line)
{
	_cleanup_(tp_freep) char *script = tp_strf("grep -qxF '%s' work/obj/.config", line);

	run(dir, script);
}

static void a_leftover_config_does_not_leak(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result first = built(&t, "toy/base");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result second = {}, clean = {};

	run(*state, "sed -i 's/.*MODULES.*/CONFIG_MODULES=y/; s/.*SMP.*/# CONFIG_SMP is not set/;"
		    "s/HZ=.*/HZ=1000/' work/obj/.config; echo CONFIG_HZ=77 >>work/obj/.config");
	second = built(&t, "toy/slower");
	assert_string_equal(first.config_sha256, second.config_sha256);
	assert_config(*state, "CONFIG_HZ=100");
	assert_config(*state, "CONFIG_SMP=y");
	assert_config(*state, "# CONFIG_MODULES is not set");
	run(*state, "rm -r cache work");
	clean = built(&t, "toy/slower");
	assert_string_equal(second.image_sha256, clean.image_sha256);
}

static void an_equal_config_recompiles_nothing(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result first = built(&t, "toy/base");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result again = {}, changed = {};

	run(*state, "rm -r cache");
	again = built(&t, "toy/base");
	assert_int_equal(again.files_compiled, 0);
	assert_string_equal(first.image_sha256, again.image_sha256);
	run(*state, "echo CONFIG_HZ=300 >>seed");
	changed = built(&t, "toy/base");
	assert_int_equal(changed.files_compiled, 4);
	assert_string_not_equal(first.config_sha256, changed.config_sha256);
}

static void the_last_fragment_wins(void **state)
{
	_cleanup_(toy_deinit) struct toy ab = toy_of(*state, FRAGMENTS("a", "b"));
	_cleanup_(toy_deinit) struct toy ba = toy_of(*state, FRAGMENTS("b", "a"));
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result x = {}, y = {};

	/* Without a newline at its end: the next file must not be glued to it. */
	run(*state,
	    "printf CONFIG_HZ=300 >a; printf 'CONFIG_HZ=1000\\n# CONFIG_SMP is not set' >b");
	x = built(&ab, "toy/base");
	assert_config(*state, "CONFIG_HZ=1000");
	assert_config(*state, "# CONFIG_SMP is not set");
	y = built(&ba, "toy/base");
	assert_config(*state, "CONFIG_HZ=300");
	assert_manifest(&x, "config.fragment_symbols_not_taken", "[]");
}

static void the_release_is_the_builders(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = built(&t, "toy/base");

	assert_config(*state, "CONFIG_LOCALVERSION=\"\"");
	assert_config(*state, "# CONFIG_LOCALVERSION_AUTO is not set");
	assert_null(strstr(k.release, "-seed"));
}

static void what_was_not_taken_is_listed(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, FRAGMENTS("x"));
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};

	variant(*state, "stubborn", "toy/base", "sed -i 's/^HZ 250/HZ 250 always/' Kconfig");
	run(*state, "printf 'CONFIG_HZ=300\\nCONFIG_GONE=y\\n# CONFIG_ALSO_GONE is not set\\n"
		    "CONFIG_EMPTY=\"\"\\n' >x");
	k = built(&t, "stubborn");
	assert_manifest(&k, "config.fragment_symbols_not_taken",
			"[{\"symbol\":\"CONFIG_GONE\",\"wanted\":\"y\",\"got\":\"absent\"},"
			"{\"symbol\":\"CONFIG_HZ\",\"wanted\":\"300\",\"got\":\"250\"}]");
}

static void a_broken_promise_is_refused(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(toy_deinit) struct toy overruled =
	    toy_of(*state, FRAGMENTS("normalise.config", "mine"));
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};

	variant(*state, "selects", "toy/base", "sed -i 's/^IKCONFIG n/IKCONFIG y always/' Kconfig");
	assert_fault(&t, "selects", -EINVAL, "CONFIG_IKCONFIG: not set, but this source's");
	/* A person's own later fragment may say otherwise. */
	run(*state, "echo CONFIG_IKCONFIG=y >mine");
	k = built(&overruled, "selects");
}

static void a_new_symbol_is_listed(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result a = built(&t, "toy/comment");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result b = built(&t, "toy/new-option");
	_cleanup_(tp_freep) char *x = tp_strf("%s/config", a.artifact_dir);
	_cleanup_(tp_freep) char *y = tp_strf("%s/config", b.artifact_dir);
	_cleanup_(tp_freep) char *all = NULL, *none = NULL;

	assert_string_not_equal(a.config_sha256, b.config_sha256);
	assert_int_equal(tp_config_diff(x, y, NULL, &all, NULL), 0);
	assert_string_equal(all, "CONFIG_NEW_OPTION: absent -> y");
	assert_int_equal(
	    tp_config_diff(x, y, (const char *const[]){"CONFIG_NEW_OPTION", NULL}, &none, NULL), 0);
	assert_string_equal(none, "");
}

static void a_build_may_not_change_its_config(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);

	variant(*state, "sly", "toy/base",
		"sed -i 's|^\\t@nm -n .*|&\\n\\t@echo CONFIG_SLY=y >>$(obj)/.config|' Makefile");
	assert_fault(&t, "sly", -EINVAL, "changed its own configuration");
	run(*state, "test -z \"$(ls cache | grep -v failed)\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(a_leftover_config_does_not_leak),
	    build_test(an_equal_config_recompiles_nothing),
	    build_test(the_last_fragment_wins),
	    build_test(the_release_is_the_builders),
	    build_test(what_was_not_taken_is_listed),
	    build_test(a_broken_promise_is_refused),
	    build_test(a_new_symbol_is_listed),
	    build_test(a_build_may_not_change_its_config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
