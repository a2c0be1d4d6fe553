/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flags: every way to write them wrong is told by a sentence that names the flag. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/args.h"

enum { OUT, COUNT, CHECK, FLAG, _MAX };

static const struct tp_option options[] = {
    [OUT] = {.name = "out", .kind = TP_OPTION_TEXT, .required = true},
    [COUNT] = {.name = "count", .kind = TP_OPTION_NUMBER, .fallback = "7", .min = 1, .max = 1000},
    [CHECK] = {.name = "check", .kind = TP_OPTION_YESNO, .fallback = "yes"},
    [FLAG] = {.name = "flag", .kind = TP_OPTION_FLAG},
};

#define ARGV(...)                                                                                  \
	(char *[])                                                                                 \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static int parse(char *const *argv, struct tp_value *values, struct tp_err *err)
{
	struct tp_option_set set = {options, _MAX, values};
	int argc = 0;

	while (argv[argc])
		argc++;
	return tp_args_parse(argc, argv, &set, 1, err);
}

static void takes_both_spellings(void **state)
{
	struct tp_value v[_MAX];
	struct tp_err err;

	(void)state;
	assert_int_equal(parse(ARGV("--out", "x", "--count=3", "--flag", "--check", "no"), v, &err),
			 0);
	assert_string_equal(v[OUT].text, "x");
	assert_int_equal(v[COUNT].number, 3);
	assert_true(v[FLAG].given);
	assert_int_equal(v[CHECK].number, 0);
}

static void falls_back(void **state)
{
	struct tp_value v[_MAX];
	struct tp_err err;

	(void)state;
	assert_int_equal(parse(ARGV("--out=a=b"), v, &err), 0);
	assert_string_equal(v[OUT].text, "a=b");
	assert_int_equal(v[COUNT].number, 7);
	assert_false(v[COUNT].given);
	assert_int_equal(v[CHECK].number, 1);
	assert_int_equal(v[FLAG].number, 0);
}

static void assert_refused(char *const *argv, const char *words)
{
	struct tp_value v[_MAX];
	struct tp_err err = {};

	assert_int_equal(parse(argv, v, &err), -EINVAL);
	if (!strstr(err.text, words))
		fail_msg("'%s' lacks '%s'", err.text, words);
}

static void refuses(void **state)
{
	(void)state;
	assert_refused(ARGV("--count", "1"), "--out is missing");
	assert_refused(ARGV("--out", "x", "--nope", "1"), "'--nope' is not known");
	assert_refused(ARGV("--out", "x", "stray"), "'stray' is not known");
	assert_refused(ARGV("--out", "x", "-c", "1"), "'-c' is not known");
	assert_refused(ARGV("--out", "x", "--"), "'--' is not known");
	assert_refused(ARGV("--out", "x", "--=1"), "'--=1' is not known");
	assert_refused(ARGV("--out", "x", "--cou", "1"), "'--cou' is not known");
	assert_refused(ARGV("--out"), "--out needs a value");
	assert_refused(ARGV("--out="), "--out must not be empty");
	assert_refused(ARGV("--out", "x", "--out", "y"), "--out is given twice");
	assert_refused(ARGV("--out", "x", "--flag=yes"), "--flag takes no value");
	assert_refused(ARGV("--out", "x", "--check", "maybe"), "--check takes yes or no");
	assert_refused(ARGV("--out", "x", "--count", "0"), "from 1 to 1000, not '0'");
	assert_refused(ARGV("--out", "x", "--count", "1001"), "--count takes a number");
	assert_refused(ARGV("--out", "x", "--count", "3x"), "--count takes a number");
	assert_refused(ARGV("--out", "x", "--count", "99999999999999999999"), "--count takes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(takes_both_spellings),
	    cmocka_unit_test(falls_back),
	    cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
