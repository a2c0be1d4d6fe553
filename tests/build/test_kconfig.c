/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Configurations: what counts as equal, and how a difference reads. */
#include "scratch.h"

#include "build/build.h"
#include "build/kconfig.h"

static void hash(const char *text, char ret[static TP_SHA256_HEX])
{
	struct tp_kconfig c;

	assert_int_equal(tp_kconfig_parse(text, &c, NULL), 0);
	assert_int_equal(tp_kconfig_sha256(&c, ret, NULL), 0);
	tp_kconfig_deinit(&c);
}

static void assert_same(const char *a, const char *b, bool same)
{
	char x[TP_SHA256_HEX], y[TP_SHA256_HEX];

	hash(a, x);
	hash(b, y);
	assert_int_equal(!strcmp(x, y), same);
}

static void what_counts_as_equal(void **state)
{
	(void)state;
	assert_same("CONFIG_A=y\n", "# Linux 6.12\n\nCONFIG_A=y\nCONFIG_LOCALVERSION=\"-x\"\n",
		    true);
	assert_same("CONFIG_A=y\nCONFIG_B=m\n", "CONFIG_B=m\nCONFIG_A=y", true);
	assert_same("CONFIG_A=n\n", "# CONFIG_A is not set\n", true);
	assert_same("CONFIG_A=y\nCONFIG_A=m\n", "CONFIG_A=m\n", true);
	assert_same("CONFIG_A=m\nCONFIG_A=y\n", "CONFIG_A=m\n", false);
	assert_same("# CONFIG_A is not set\n", "", false);
	assert_same("CONFIG_A=y\n", "CONFIG_A=m\n", false);
	assert_same("CONFIG_A=\"b=c\"\n", "CONFIG_A=\"b=d\"\n", false);
	assert_same("CONFIG_LOCALVERSION_AUTO=y\n", "", false);
	/* What only looks like a symbol. */
	assert_same("# CONFIG_A B is not set\nCONFIG_X\n# CONFIG_A is set\n", "", true);
}

static char *diff(const char *dir, const char *a, const char *b, const char *const *allowed)
{
	_cleanup_(tp_freep) char *x = tp_strf("%s/a", dir);
	_cleanup_(tp_freep) char *y = tp_strf("%s/b", dir);
	struct tp_err err = {};
	char *text = NULL;

	assert_int_equal(tp_file_write(x, a, strlen(a), 0600, NULL), 0);
	assert_int_equal(tp_file_write(y, b, strlen(b), 0600, NULL), 0);
	if (tp_config_diff(x, y, allowed, &text, &err) < 0)
		fail_msg("%s", err.text);
	return text;
}

static void lists_differences(void **state)
{
	static const char a[] =
	    "CONFIG_D=y\nCONFIG_A=y\nCONFIG_S=\"x\"\nCONFIG_N=1\nCONFIG_LOCALVERSION=\"a\"\n";
	static const char b[] = "# CONFIG_A is not set\nCONFIG_B=m\nCONFIG_S=\"y\"\nCONFIG_D=y\n"
				"# CONFIG_C is not set\nCONFIG_LOCALVERSION=\"b\"\n";
	_cleanup_(tp_freep) char *all = diff(*state, a, b, NULL);
	_cleanup_(tp_freep) char *some =
	    diff(*state, a, b, (const char *const[]){"CONFIG_A", "B", "CONFIG_C", NULL});
	_cleanup_(tp_freep) char *none = diff(*state, a, a, NULL);

	assert_string_equal(all, "CONFIG_A: y -> not set\n"
				 "CONFIG_B: absent -> m\n"
				 "CONFIG_C: absent -> not set\n"
				 "CONFIG_N: 1 -> absent\n"
				 "CONFIG_S: \"x\" -> \"y\"");
	assert_string_equal(some, "CONFIG_N: 1 -> absent\nCONFIG_S: \"x\" -> \"y\"");
	assert_string_equal(none, "");
}

static void a_missing_file_is_named(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/none", (char *)*state);
	struct tp_err err = {};
	char *text = NULL;

	assert_true(tp_config_diff(path, path, NULL, &text, &err) < 0);
	assert_non_null(strstr(err.text, path));
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_counts_as_equal),
	    scratch_test(lists_differences),
	    scratch_test(a_missing_file_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
