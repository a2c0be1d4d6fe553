/* SPDX-License-Identifier: GPL-2.0-or-later */
/* REV[+PATCH...]: where one name ends and the next begins. */
#include "scratch.h"

#include <errno.h>
#include <unistd.h>

#include "build/build.h"

static void assert_parsed(const char *spec, const char *wanted)
{
	_cleanup_(tp_str_deinit) struct tp_str got = {};
	struct tp_err err = {};
	char *rev, **patches;
	int n;

	if (tp_kernel_spec_parse(spec, &rev, &patches, &n, &err) < 0)
		fail_msg("%s", err.text);
	tp_str_append(&got, rev);
	for (int i = 0; i < n; i++) {
		tp_str_printf(&got, " | %s", patches[i]);
		free(patches[i]);
	}
	assert_null(patches[n]);
	free(patches);
	free(rev);
	assert_string_equal(tp_str_text(&got), wanted);
}

static void plain(void **state)
{
	(void)state;
	assert_parsed("v6.12", "v6.12");
	assert_parsed("HEAD~3^2", "HEAD~3^2");
	assert_parsed("v6.12+no-such.patch+nor-this", "v6.12 | no-such.patch | nor-this");
}

static void a_plus_in_an_existing_name(void **state)
{
	assert_int_equal(chdir(*state), 0);
	assert_int_equal(tp_file_write("a+b.patch", "", 0, 0600, NULL), 0);
	assert_int_equal(tp_file_write("c", "", 0, 0600, NULL), 0);
	assert_parsed("r+a+b.patch", "r | a+b.patch");
	assert_parsed("r+c+a+b.patch+c", "r | c | a+b.patch | c");
	assert_parsed("r+a+c", "r | a | c");
	/* Of two readings the longer file wins. */
	assert_int_equal(tp_file_write("a", "", 0, 0600, NULL), 0);
	assert_parsed("r+a+b.patch", "r | a+b.patch");
	assert_int_equal(chdir("/"), 0);
}

static void refused(void **state)
{
	static const char *const specs[] = {"", "+p", "r+", "r++p", "r+p+"};
	char *rev = NULL, **patches = NULL;
	int n = 7;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(specs); i++) {
		struct tp_err err = {};

		assert_int_equal(tp_kernel_spec_parse(specs[i], &rev, &patches, &n, &err), -EINVAL);
		assert_non_null(strstr(err.text, "REV[+PATCH...]"));
		assert_null(rev);
		assert_null(patches);
		assert_int_equal(n, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain),
	    scratch_test(a_plus_in_an_existing_name),
	    cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
