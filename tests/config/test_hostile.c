/* SPDX-License-Identifier: GPL-2.0-or-later */
/* YAML that means harm, or is none: refused in bounded time and memory, with its place. */
#include "config_helper.h"

#include <errno.h>

#include "util/clock.h"

#define FAKE "name: a\ntransport: {kind: fake, dir: /x}\n"

static void not_yaml(void **state)
{
	(void)state;
	refuse_target("", "x.yaml:1:1", "the file is empty");
	refuse_target("# only a comment\n", "x.yaml:2:1", "the file is empty");
	refuse_target("name: \"x\n", "x.yaml:2:1", "this is not YAML");
	refuse_target("name: [a\n", "x.yaml:2:1", "this is not YAML");
	refuse_target("name: a\n\ttransport: b\n", "x.yaml:2:1", "this is not YAML");
	refuse_target("name: a\n  b: c\n", "x.yaml:2:4", "this is not YAML");
	refuse_target("name: \xff\xfe\n", "x.yaml:1:1", "this is not YAML");
	refuse_target("%YAML 9.9\n---\nname: a\n", "x.yaml:1:1", "this is not YAML");
}

static void what_config_has_no_use_for(void **state)
{
	(void)state;
	refuse_target("name: &n a\ntransport: {kind: fake, dir: /x}\n", "x.yaml:1:7",
		      "anchors (&n) are not used here");
	refuse_target("name: *n\n", "x.yaml:1:7", "aliases (*n) are not used here");
	refuse_target("name: !!str a\n", "x.yaml:1:7", "tags (tag:yaml.org,2002:str)");
	refuse_target("name: a\n<<: {x: y}\n", "x.yaml:2:1", "unknown key \"<<\"");
	refuse_target(FAKE "---\nname: b\n", "x.yaml:3:1", "a second document");
	refuse_target("? [a, b]\n: c\n", "x.yaml:1:3", "a key must be a plain word");
	refuse_target("? {a: b}\n: c\n", "x.yaml:1:3", "a key must be a plain word");
	refuse_target("name: |\n  a\n  b\n", "x.yaml:1:7", "block texts");
	refuse_target("name: \"a\\nb\"\n", "x.yaml:1:7",
		      "no line breaks and no control characters");
	refuse_target("name: \"a\\0b\"\n", "x.yaml:1:7", "no control characters");
	refuse_target("name: \"a\\e[31mb\"\n", "x.yaml:1:7", "no control characters");
}

/* Nothing that is printed may reach a terminal as an escape sequence. */
static void errors_are_clean(void **state)
{
	struct tp_target_config c = {};
	struct tp_err err = {};

	(void)state;
	assert_true(tp_target_config_parse("\"\\u009b31m\": 1\n", "x.yaml", &c, &err) < 0);
	for (const char *p = err.text; *p; p++)
		assert_false((unsigned char)p[0] == 0xc2 && (unsigned char)p[1] == 0x9b);
}

static char *repeat(const char *head, const char *unit, size_t n, const char *tail)
{
	struct tp_str s = {};

	tp_str_append(&s, head);
	for (size_t i = 0; i < n; i++)
		tp_str_append(&s, unit);
	tp_str_append(&s, tail);
	return tp_str_take(&s);
}

static void refuse_big(char *text, const char *words)
{
	struct tp_target_config c = {};
	struct tp_err err = {};
	int64_t start = tp_clock_mono_ms();

	assert_non_null(text);
	assert_int_equal(tp_target_config_parse(text, "x.yaml", &c, &err), -EINVAL);
	if (!strstr(err.text, words))
		fail_msg("expected \"%s\", got \"%s\"", words, err.text);
	assert_true(tp_clock_mono_ms() - start < 5000);
	free(text);
}

static void too_much(void **state)
{
	(void)state;
	refuse_big(repeat("name: ", "[", 1000, ""), "nested more than 8 deep");
	refuse_big(repeat("name: ", "[", 1000000, ""), "x.yaml");
	refuse_big(repeat("", "{a: ", 250000, ""), "nested more than 8 deep");
	refuse_big(repeat("", "- ", 300000, ""), "nested more than 8 deep");
	refuse_big(repeat("name: [", "a,", 20000, "a]"), "more than 10000 values");
	refuse_big(repeat("name: ", "aaaaaaaaaaaaaaaa", 20000, "\n"), "name is longer than 4096");
	refuse_big(repeat("name: a #", "xxxxxxxxxxxxxxxx", 70000, "\n"), "larger than 1048576");
	refuse_big(repeat("", "a: &a [*a]\n", 1, ""), "anchors");
}

static void many_keys_are_compared_quickly(void **state)
{
	struct tp_str s = {};

	(void)state;
	for (int i = 0; i < 4999; i++)
		tp_str_printf(&s, "key%d: v\n", i);
	refuse_big(tp_str_take(&s), "unknown key \"key0\"");
}

static void refuse_file(const char *folder, const void *bytes, size_t n, const char *words)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/x.yaml", folder);
	_cleanup_(tp_freep) char *text = NULL;
	struct tp_target_config c = {};
	struct tp_err err = {};

	assert_int_equal(tp_file_write(path, bytes, n, 0600, NULL), 0);
	assert_true(tp_target_config_load(path, &c, &text, &err) < 0);
	if (!strstr(err.text, words) || !strstr(err.text, path))
		fail_msg("expected \"%s\", got \"%s\"", words, err.text);
}

static void odd_files(void **state)
{
	_cleanup_(tp_freep) char *big = repeat("", "xxxxxxxxxxxxxxxx", 70000, "");
	static const char nul[] = FAKE "#\0hidden";
	static const char utf16[] = "\xff\xfen\0a\0m\0e\0";

	refuse_file(*state, nul, sizeof(nul) - 1, "NUL bytes");
	refuse_file(*state, utf16, sizeof(utf16) - 1, "NUL bytes");
	refuse_file(*state, big, strlen(big), "larger than");
}

/* Every truncation of a good file, and every byte of it replaced: an answer, never a crash. */
static void broken_everywhere(void **state)
{
	static const char bytes[] = {'\0', '\n', '{', '}', '[', '"', '\'', ':', '*', '&', '\xff'};
	char text[] = SSH_TARGET PROTOCOL;

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		char keep = text[i];

		for (size_t k = 0; k < sizeof(bytes); k++) {
			struct tp_target_config c = {};
			struct tp_protocol p = {};
			struct tp_err err = {};

			text[i] = bytes[k];
			if (tp_target_config_parse(text, "x.yaml", &c, &err) != 0)
				assert_true(tp_str_starts(err.text, "x.yaml:"));
			if (tp_protocol_parse(strstr(text, "seed") ?: text, "x.yaml", &p, &err) !=
			    0)
				assert_true(tp_str_starts(err.text, "x.yaml:"));
			tp_target_config_deinit(&c);
			tp_protocol_deinit(&p);
		}
		text[i] = keep;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(not_yaml),
	    cmocka_unit_test(what_config_has_no_use_for),
	    cmocka_unit_test(errors_are_clean),
	    cmocka_unit_test(too_much),
	    cmocka_unit_test(many_keys_are_compared_quickly),
	    scratch_test(odd_files),
	    cmocka_unit_test(broken_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
