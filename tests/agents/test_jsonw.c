/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever bytes a machine shows, what leaves the agent is JSON that another parser reads. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "base/jsonw.h"

/* The value of "k" as jansson reads it back from a record that holds only @text. */
static void assert_reads_back(const char *text, const char *expected)
{
	struct tp_str out = {};
	struct tp_jsonw w = tp_jsonw_on(&out);
	json_t *object;

	tp_jsonw_object(&w, NULL);
	tp_jsonw_text(&w, "k", text);
	tp_jsonw_object_end(&w);
	assert_null(strchr(tp_str_text(&out), '\n'));
	object = json_loads(tp_str_text(&out), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	assert_string_equal(json_string_value(json_object_get(object, "k")), expected);
	json_decref(object);
	tp_str_deinit(&out);
}

static void keeps_honest_text(void **state)
{
	(void)state;
	assert_reads_back("", "");
	assert_reads_back("a \"b\" \\c\\ {}[],:", "a \"b\" \\c\\ {}[],:");
	assert_reads_back("line\nend\ttab\r\b\f\x7f\x01", "line\nend\ttab\r\b\f\x7f\x01");
	assert_reads_back("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7",
			  "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7");
}

static void replaces_invalid_bytes(void **state)
{
	(void)state;
	assert_reads_back("a\xff!", "a\xef\xbf\xbd!");
	assert_reads_back("\xc3", "\xef\xbf\xbd");		   /* cut short by the end */
	assert_reads_back("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"); /* likewise */
	assert_reads_back("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"); /* overlong */
	assert_reads_back("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* surrogate */
	assert_reads_back("\xf4\x90\x80\x80",
			  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* too large */
}

static void hostile_keys_are_escaped_too(void **state)
{
	struct tp_str out = {};
	struct tp_jsonw w = tp_jsonw_on(&out);
	json_t *object;

	(void)state;
	tp_jsonw_object(&w, NULL);
	tp_jsonw_int(&w, "a\",\"b", 1);
	tp_jsonw_object_end(&w);
	object = json_loads(tp_str_text(&out), 0, NULL);
	assert_int_equal(json_object_size(object), 1);
	assert_int_equal(json_integer_value(json_object_get(object, "a\",\"b")), 1);
	json_decref(object);
	tp_str_deinit(&out);
}

static void places_commas(void **state)
{
	struct tp_str out = {};
	struct tp_jsonw w = tp_jsonw_on(&out);

	(void)state;
	tp_jsonw_object(&w, NULL);
	tp_jsonw_array(&w, "e");
	tp_jsonw_array_end(&w);
	tp_jsonw_array(&w, "a");
	tp_jsonw_int(&w, NULL, INT64_MIN);
	tp_jsonw_object(&w, NULL);
	tp_jsonw_object_end(&w);
	tp_jsonw_bool(&w, NULL, true);
	tp_jsonw_array_end(&w);
	tp_jsonw_null(&w, "n");
	tp_jsonw_object_end(&w);
	assert_string_equal(tp_str_text(&out),
			    "{\"e\":[],\"a\":[-9223372036854775808,{},true],\"n\":null}");
	tp_str_deinit(&out);
}

static void number_texts_are_numbers_or_null(void **state)
{
	static const char *const good[] = {"0", "-1", "0.52", "800000", "10.0"};
	static const char *const bad[] = {"",	  "-",	 "01",	"1.",	     ".5", "1e5",
					  "0x10", "nan", "1 2", "<unknown>", "+1", "1,2"};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(good) + TP_ARRAY_SIZE(bad); i++) {
		bool is_good = i < TP_ARRAY_SIZE(good);
		const char *text = is_good ? good[i] : bad[i - TP_ARRAY_SIZE(good)];
		struct tp_str out = {};
		struct tp_jsonw w = tp_jsonw_on(&out);

		tp_jsonw_number_text(&w, NULL, text);
		assert_string_equal(tp_str_text(&out), is_good ? text : "null");
		tp_str_deinit(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keeps_honest_text),
	    cmocka_unit_test(replaces_invalid_bytes),
	    cmocka_unit_test(hostile_keys_are_escaped_too),
	    cmocka_unit_test(places_commas),
	    cmocka_unit_test(number_texts_are_numbers_or_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
