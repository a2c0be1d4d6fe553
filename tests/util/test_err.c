/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors for people: code, origin, a sentence that is bounded whatever is put into it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "util/err.h"

static void sets_and_returns(void **state)
{
	struct tp_err err = {};

	(void)state;
	assert_int_equal(tp_err_set(&err, -ENOENT, "target lab", "no key %s", "k"), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.origin, "target lab");
	assert_string_equal(err.text, "no key k");
	assert_int_equal(tp_err_set(&err, 3, NULL, "x"), 3);
	assert_string_equal(err.origin, "");
}

static void an_error_always_has_a_code(void **state)
{
	struct tp_err err = {};

	(void)state;
	assert_int_equal(tp_err_set(&err, 0, NULL, "x"), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_int_equal(tp_err_set(NULL, 0, NULL, "x"), -EINVAL);
}

static void nobody_listens(void **state)
{
	(void)state;
	assert_int_equal(tp_err_set(NULL, -EIO, "o", "%s", "x"), -EIO);
	assert_int_equal(tp_err_oom(NULL), -ENOMEM);
	assert_int_equal(tp_err_prefix(NULL, "%s", "x"), -EINVAL);
}

static void prefixes(void **state)
{
	struct tp_err err = {};

	(void)state;
	tp_err_set(&err, -EIO, "commit 1", "disk full");
	assert_int_equal(tp_err_prefix(&err, "kernel %d", 7), -EIO);
	assert_string_equal(err.text, "kernel 7: disk full");
	assert_string_equal(err.origin, "commit 1");
}

static void long_texts_are_cut(void **state)
{
	struct tp_err err = {};
	char longer[3000];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	tp_err_set(&err, -EIO, longer, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(strlen(err.origin), sizeof(err.origin) - 1);
	assert_int_equal(tp_err_prefix(&err, "%s", longer), -EIO);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sets_and_returns),	  cmocka_unit_test(an_error_always_has_a_code),
	    cmocka_unit_test(nobody_listens),	  cmocka_unit_test(prefixes),
	    cmocka_unit_test(long_texts_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
