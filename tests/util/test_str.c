/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The growable string, shell quoting, sanitising of hostile text, whole-number parsing. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

static void grows_and_hands_over(void **state)
{
	struct tp_str s = {};
	char *text;

	(void)state;
	assert_string_equal(tp_str_text(&s), "");
	for (int i = 0; i < 1000; i++)
		tp_str_printf(&s, "%d,", i);
	tp_str_append(&s, "end");
	assert_int_equal(s.len, 10 * 2 + 90 * 3 + 900 * 4 + 3);
	text = tp_str_take(&s);
	assert_non_null(text);
	assert_string_equal(text + strlen(text) - 7, "999,end");
	assert_null(s.data);
	free(text);
}

static void empty_yields_empty_text(void **state)
{
	struct tp_str s = {};
	char *text = tp_str_take(&s);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void keeps_binary(void **state)
{
	_cleanup_(tp_str_deinit) struct tp_str s = {};

	(void)state;
	tp_str_append_n(&s, "a\0b", 3);
	tp_str_append_n(&s, NULL, 0);
	assert_int_equal(s.len, 3);
	assert_memory_equal(s.data, "a\0b", 4);
	tp_str_reset(&s);
	assert_int_equal(s.len, 0);
	assert_string_equal(tp_str_text(&s), "");
}

/* A size that no allocator grants: the chain of appends needs one check, at its end. */
static void broken_stays_broken(void **state)
{
	struct tp_str s = {};

	(void)state;
	tp_str_append(&s, "before");
	tp_str_append_n(&s, "x", SIZE_MAX);
	assert_true(s.broken);
	tp_str_append(&s, "after");
	tp_str_printf(&s, "%d", 1);
	assert_string_equal(tp_str_text(&s), "before");
	assert_null(tp_str_take(&s));
	assert_null(s.data);
	assert_false(s.broken);
}

static void quotes_survive_a_shell(void **state)
{
	static const char *const args[] = {
	    "", "plain", "it's", "'", "$(id) `id` \"x\" \\ ; & | *", "two\nlines", "-n"};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(args); i++) {
		_cleanup_(tp_str_deinit) struct tp_str command = {};
		char back[128] = "";
		FILE *p;

		tp_str_append(&command, "printf %s ");
		tp_str_append_quoted(&command, args[i]);
		p = popen(tp_str_text(&command), "r");
		assert_non_null(p);
		back[fread(back, 1, sizeof(back) - 1, p)] = '\0';
		assert_int_equal(pclose(p), 0);
		assert_string_equal(back, args[i]);
	}
}

static void starts_ends_chomp(void **state)
{
	char text[] = "line \t\r\n\n";
	char blank[] = " \n";

	(void)state;
	assert_true(tp_str_starts("abc", "ab") && tp_str_starts("abc", ""));
	assert_false(tp_str_starts("a", "ab"));
	assert_true(tp_str_ends("a.yaml", ".yaml") && tp_str_ends("x", ""));
	assert_false(tp_str_ends("yaml", ".yaml"));
	assert_string_equal(tp_str_chomp(text), "line");
	assert_string_equal(tp_str_chomp(blank), "");
}

static void sanitizes(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"plain\ttext\n", "plain\ttext\n"},
	    {"\033[31mred\033[0m", "?[31mred?[0m"},
	    {"a\rb\bc\177", "a?b?c?"},
	    {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7",
	     "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7"},
	    {"\xc2\x9b[2J", "??[2J"},	  /* C1 control: CSI in one code point */
	    {"\xff\xfe", "??"},		  /* never valid */
	    {"\xc0\xaf", "??"},		  /* overlong '/' */
	    {"\xe0\x80\xaf", "???"},	  /* overlong in three bytes */
	    {"\xf0\x80\x80\xaf", "????"}, /* overlong in four bytes */
	    {"\xed\xa0\x80", "???"},	  /* surrogate */
	    {"\xf4\x90\x80\x80", "????"}, /* beyond U+10FFFF */
	    {"cut \xe2\x82", "cut ??"},	  /* ends inside a sequence */
	    {"\xe2\x82z", "??z"},	  /* broken off inside a sequence */
	    {"\xc2\xa0ok", "\xc2\xa0ok"}, /* first code point after the C1 block */
	};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", cases[i].in);
		tp_str_sanitize(text);
		assert_string_equal(text, cases[i].out);
	}
}

static void parses_whole_numbers(void **state)
{
	static const char *const bad[] = {"",	  " 1",	 "1 ", "1x",  "x",
					  "0x10", "1.0", "-",  "\n1", "--1"};
	long long value = 77;

	(void)state;
	assert_int_equal(tp_parse_i64("42", 0, 100, &value), 0);
	assert_int_equal(value, 42);
	assert_int_equal(tp_parse_i64("-9223372036854775808", LLONG_MIN, LLONG_MAX, &value), 0);
	assert_true(value == LLONG_MIN);
	value = 77;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++)
		assert_int_equal(tp_parse_i64(bad[i], LLONG_MIN, LLONG_MAX, &value), -EINVAL);
	assert_int_equal(tp_parse_i64("9223372036854775808", LLONG_MIN, LLONG_MAX, &value),
			 -ERANGE);
	assert_int_equal(tp_parse_i64("101", 0, 100, &value), -ERANGE);
	assert_int_equal(tp_parse_i64("-1", 0, 100, &value), -ERANGE);
	assert_int_equal(value, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(grows_and_hands_over),
	    cmocka_unit_test(empty_yields_empty_text),
	    cmocka_unit_test(keeps_binary),
	    cmocka_unit_test(broken_stays_broken),
	    cmocka_unit_test(quotes_survive_a_shell),
	    cmocka_unit_test(starts_ends_chomp),
	    cmocka_unit_test(sanitizes),
	    cmocka_unit_test(parses_whole_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
