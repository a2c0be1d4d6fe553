/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loadable modules travel as one archive with equal bytes for equal modules. */
#include "build_helper.h"

static void packed_and_repeatable(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, FRAGMENTS("modules"));
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result first = {}, again = {};
	_cleanup_(tp_freep) char *names = NULL, *wanted = NULL;

	run(*state, "echo CONFIG_MODULES=y >modules");
	first = built(&t, "toy/base");
	names = sh(*state, "tar tf cache/*/modules.tar | grep -v '/$'");
	wanted = tp_strf("lib/modules/%s/kernel/toy.ko", first.release);
	assert_string_equal(names, wanted);
	run(*state, "sha256sum cache/*/modules.tar | cut -c-64 >one; sleep 1; rm -r cache work");
	again = built(&t, "toy/base");
	run(*state, "sha256sum cache/*/modules.tar | cut -c-64 | cmp - one");
	/* Damage there is damage of the kernel. */
	run(*state,
	    "cd cache/*/; printf x | dd of=modules.tar bs=1 seek=600 conv=notrunc status=none");
	assert_false(tp_kernel_cached(t.cache, strrchr(again.artifact_dir, '/') + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(packed_and_repeatable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
