/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small readers of kernel text that all facts are made of. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "facts/source.h"

static void assert_bracketed(const char *text, const char *expected)
{
	char *word = tp_fact_bracketed(text);

	if (expected)
		assert_string_equal(word, expected);
	else
		assert_null(word);
	free(word);
}

static void reads_the_chosen_word(void **state)
{
	(void)state;
	assert_bracketed("always [madvise] never", "madvise");
	assert_bracketed("none voluntary (full) lazy ", "full");
	assert_bracketed("[]", "");
	assert_bracketed("always madvise", NULL);
	assert_bracketed("broken [word", NULL);
	assert_bracketed("", NULL);
	assert_bracketed(NULL, NULL);
}

static void assert_keyed(const char *text, const char *key, const char *expected)
{
	char *value = tp_fact_keyed(text, key);

	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
	free(value);
}

static void reads_a_keyed_line(void **state)
{
	static const char cpuinfo[] = "processor\t: 0\nmodel\t\t: 17\nmodel name\t: X \"Y\" CPU\n"
				      "flags\t\t: a b\nempty\t:\n";

	(void)state;
	assert_keyed(cpuinfo, "processor", "0");
	assert_keyed(cpuinfo, "model", "17");
	assert_keyed(cpuinfo, "model name", "X \"Y\" CPU");
	assert_keyed(cpuinfo, "empty", "");
	assert_keyed(cpuinfo, "name", NULL);
	assert_keyed(cpuinfo, "bogomips", NULL);
	assert_keyed("a: 1", "a", "1");
	assert_keyed(NULL, "a", NULL);
}

static void hashes_tell_texts_apart(void **state)
{
	char a[17], b[17];

	(void)state;
	tp_fact_hash("", a);
	assert_string_equal(a, "cbf29ce484222325"); /* FNV-1a's offset basis */
	tp_fact_hash("a", a);
	assert_string_equal(a, "af63dc4c8601ec8c"); /* the published test vector */
	tp_fact_hash("fpu vme", a);
	tp_fact_hash("fpu vmf", b);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_the_chosen_word),
	    cmocka_unit_test(reads_a_keyed_line),
	    cmocka_unit_test(hashes_tell_texts_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
