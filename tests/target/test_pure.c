/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What target/ computes without a target: identity, GRUB's text, the agent's answers, base64. */
#include <errno.h>
#include <stdio.h>

#include "target/agent.h"
#include "target/base64.h"
#include "target/console.h"
#include "target/grub_config.h"
#include "target/identity.h"
#include "../util/scratch.h"

#define BOOT_ID "01234567-89ab-4cde-8f01-23456789abcd"
#define HASH	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* ---- base64 ---- */

static void base64(void **state)
{
	static const struct {
		const char *plain, *text;
	} cases[] = {
	    {"", ""},
	    {"f", "Zg=="},
	    {"fo", "Zm8="},
	    {"foo", "Zm9v"},
	    {"foob", "Zm9vYg=="},
	    {"fooba", "Zm9vYmE="},
	    {"foobar", "Zm9vYmFy"},
	};
	unsigned char *data;
	size_t len;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		_cleanup_(tp_freep) char *text =
		    tp_base64_encode(cases[i].plain, strlen(cases[i].plain), true);

		assert_string_equal(text, cases[i].text);
		assert_int_equal(tp_base64_decode(text, strlen(text), &data, &len), 0);
		assert_int_equal(len, strlen(cases[i].plain));
		assert_string_equal((char *)data, cases[i].plain);
		free(data);
	}
	assert_int_equal(tp_base64_decode("Zm\n9v ", 6, &data, &len), 0);
	assert_string_equal((char *)data, "foo");
	free(data);
	assert_int_equal(tp_base64_decode("Zm9*", 4, &data, &len), -EINVAL);
	assert_int_equal(tp_base64_decode("Z\0m9", 4, &data, &len), -EINVAL);
}

/* ---- identity ---- */

static void boot_ids(void **state)
{
	(void)state;
	assert_true(tp_boot_id_valid(BOOT_ID));
	assert_false(tp_boot_id_valid(NULL));
	assert_false(tp_boot_id_valid(""));
	assert_false(tp_boot_id_valid(BOOT_ID "0"));
	assert_false(tp_boot_id_valid("01234567-89ab-4cde-8f01-23456789abcX"));
	assert_false(tp_boot_id_valid("0123456789ab-4cde-8f01-23456789abcd-"));
}

static void build_id_in_notes(void **state)
{
	/* A note of another kind first, as kernels have them. */
	static const unsigned char notes[] = {
	    6,	 0,   0, 0, 2, 0, 0,   0,   0x01, 1, 0,	   0,	 'L',  'i', 'n',
	    'u', 'x', 0, 0, 0, 7, 8,   0,   0,	  4, 0,	   0,	 0,    4,   0,
	    0,	 0,   3, 0, 0, 0, 'G', 'N', 'U',  0, 0xde, 0xad, 0xbe, 0xef};
	unsigned char broken[sizeof(notes)];
	char hex[65] = "";

	(void)state;
	assert_int_equal(tp_identity_build_id(notes, sizeof(notes), hex), 0);
	assert_string_equal(hex, "deadbeef");
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_int_equal(tp_identity_build_id(notes, len, hex), -ENOENT);
	memcpy(broken, notes, sizeof(notes));
	memset(broken, 0xff, 8);
	assert_int_equal(tp_identity_build_id(broken, sizeof(broken), hex), -ENOENT);
	memset(broken, 0, sizeof(broken));
	assert_int_equal(tp_identity_build_id(broken, sizeof(broken), hex), -ENOENT);
}

static void identity_from_a_target(void **state)
{
	static const char *const broken[] = {
	    "",
	    "x\n",
	    BOOT_ID "\n",
	    BOOT_ID "\n6.1\n",
	    BOOT_ID "\n6.1\n1.0 2.0\n",
	    BOOT_ID "\n6.1\n1.0 2.0\n!!!\ncmd\n",
	    BOOT_ID "\n\n1.0 2.0\n\ncmd\n",
	};
	struct tp_identity id = {.release = "untouched"};
	_cleanup_(tp_freep) char *endless = malloc(10000);

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(broken); i++) {
		struct tp_err err = {};

		assert_int_equal(tp_identity_parse(broken[i], &id, &err), -EBADMSG);
		assert_true(err.text[0]);
		assert_string_equal(id.release, "untouched");
	}
	assert_int_equal(tp_identity_parse(BOOT_ID "\n6.1.0\033[2J-x\n12.34 5.6\n"
						   "BAAAAAQAAAADAAAAR05VAN6tvu8=\nquiet a=b\n",
					   &id, NULL),
			 0);
	assert_string_equal(id.boot_id, BOOT_ID);
	assert_string_equal(id.release, "6.1.0?[2J-x");
	assert_string_equal(id.build_id, "deadbeef");
	assert_string_equal(id.cmdline, "quiet a=b");
	assert_int_equal(id.uptime_ms, 12340);
	/* No notes: such a kernel is known, but never the one under test. */
	assert_int_equal(tp_identity_parse(BOOT_ID "\n6.1\n1 2\n\nc\n", &id, NULL), 0);
	assert_string_equal(id.build_id, "");
	/* A command line that was cut could have lost the token. */
	memset(endless, 'x', 9999);
	endless[9999] = '\0';
	memcpy(endless, BOOT_ID "\n6.1\n1 2\n\n", 46);
	assert_int_equal(tp_identity_parse(endless, &id, NULL), -EBADMSG);
}

static void tokens(void **state)
{
	static const struct {
		const char *cmdline, *token;
	} cases[] = {
	    {"", ""},
	    {"quiet", ""},
	    {"triptych.token=abc", "abc"},
	    {"a triptych.token=abc b", "abc"},
	    {"not.triptych.token=abc", ""},
	    {"xtriptych.token=abc", ""},
	    {"triptych.token=old triptych.token=new", "new"},
	    {"triptych=rescue", ""},
	};
	char token[64];

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		tp_identity_token(cases[i].cmdline, token, sizeof(token));
		assert_string_equal(token, cases[i].token);
	}
}

static void four_marks(void **state)
{
	const struct tp_boot_request want = {
	    .release = "6.12-tp-1", .build_id = "aabb", .token = "0011"};
	static const struct {
		const char *release, *build_id, *cmdline;
		enum tp_boot_outcome outcome;
	} cases[] = {
	    {"6.12-tp-1", "aabb", "triptych.token=0011", TP_OUTCOME_OK},
	    {"6.12-tp-1", "aabb", "quiet", TP_OUTCOME_FELL_BACK},
	    {"6.1-rescue", "ccdd", "quiet", TP_OUTCOME_FELL_BACK},
	    {"6.12-tp-1", "aabb", "triptych.token=0012", TP_OUTCOME_WRONG_KERNEL},
	    {"6.12-tp-1", "aabb", "triptych.token=00111", TP_OUTCOME_WRONG_KERNEL},
	    {"6.12-tp-2", "aabb", "triptych.token=0011", TP_OUTCOME_WRONG_KERNEL},
	    {"6.12-tp-1", "aabc", "triptych.token=0011", TP_OUTCOME_WRONG_KERNEL},
	    {"6.12-tp-1", "", "triptych.token=0011", TP_OUTCOME_WRONG_KERNEL},
	};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct tp_identity seen = {};
		char detail[512];

		snprintf(seen.release, sizeof(seen.release), "%s", cases[i].release);
		snprintf(seen.build_id, sizeof(seen.build_id), "%s", cases[i].build_id);
		snprintf(seen.cmdline, sizeof(seen.cmdline), "%s", cases[i].cmdline);
		assert_int_equal(tp_identity_judge(&seen, &want, detail, sizeof(detail)),
				 cases[i].outcome);
		assert_true(detail[0]);
	}
}

/* ---- GRUB ---- */

static struct tp_target_config grub_target(void)
{
	static char dir[] = "/boot/", initrd[] = "/boot/initrd.img", cmdline[] = "panic=5 quiet";
	static char prefix[] = "/@boot";
	struct tp_target_config config = {};

	config.boot.dir = dir;
	config.boot.initrd = initrd;
	config.boot.cmdline = cmdline;
	config.boot.grub_prefix = prefix;
	return config;
}

static const struct tp_boot_request grub_request = {.image_sha256 = HASH, .token = "00ff"};

static void grub_section(void **state)
{
	struct tp_target_config config = grub_target();
	_cleanup_(tp_freep) char *text = NULL;
	_cleanup_(tp_freep) char *path = NULL;

	(void)state;
	assert_int_equal(tp_grub_section(&config, &grub_request, &text, NULL), 0);
	assert_non_null(strstr(text, "menuentry 'triptych 00ff' --id triptych-00ff "));
	assert_non_null(strstr(text, "\n\tlinux /@boot/triptych/0123456789abcdef/vmlinuz panic=5 "
				     "quiet triptych.token=00ff\n"));
	assert_non_null(strstr(text, "\n\tinitrd /@boot/initrd.img\n"));
	assert_int_equal(tp_grub_kernel_path(&config, HASH, &path, NULL), 0);
	assert_string_equal(path, "/boot/triptych/0123456789abcdef/vmlinuz");
	config.boot.initrd = NULL;
	free(TP_TAKE(text));
	assert_int_equal(tp_grub_section(&config, &grub_request, &text, NULL), 0);
	assert_null(strstr(text, "initrd"));
}

static void grub_misreads_nothing(void **state)
{
	static const char *const cmdlines[] = {
	    "a\nb", "a'b", "a\"b", "a$b",      "a\\b",
	    "a;b",  "a}b", "a|b",  "a&b",      "a>b",
	    "a#b",  "a`b", "a\tb", "\xc3\xa4", "triptych.token=1",
	};
	static const char *const tokens_[] = {
	    "", "a b", "a'", "a\nb", "a-b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	static const char *const hashes[] = {"", "0123", "../../etc/passwd", HASH "0"};
	static const char *const initrds[] = {"/etc/initrd", "/bootx/initrd", "/boot/../etc/x",
					      "/boot/a b", "initrd"};
	struct tp_target_config config = grub_target();
	struct tp_boot_request q = grub_request;
	char *text = NULL;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cmdlines); i++) {
		config.boot.cmdline = (char *)cmdlines[i];
		assert_int_equal(tp_grub_section(&config, &q, &text, NULL), TP_MACHINE_E_REFUSED);
	}
	config = grub_target();
	for (size_t i = 0; i < TP_ARRAY_SIZE(tokens_); i++) {
		q.token = tokens_[i];
		assert_int_equal(tp_grub_section(&config, &q, &text, NULL), TP_MACHINE_E_REFUSED);
	}
	q = grub_request;
	for (size_t i = 0; i < TP_ARRAY_SIZE(hashes); i++) {
		q.image_sha256 = hashes[i];
		assert_int_equal(tp_grub_section(&config, &q, &text, NULL), TP_MACHINE_E_REFUSED);
	}
	q = grub_request;
	for (size_t i = 0; i < TP_ARRAY_SIZE(initrds); i++) {
		config.boot.initrd = (char *)initrds[i];
		assert_int_equal(tp_grub_section(&config, &q, &text, NULL), TP_MACHINE_E_REFUSED);
	}
	assert_null(text);
}

static void grub_keeps_what_is_not_ours(void **state)
{
	static const char *const theirs[] = {
	    "",
	    "menuentry 'x' {\n}\n",
	    "no newline at the end",
	    "# a\n\n\n# b\n\n",
	};
	struct tp_target_config config = grub_target();
	struct tp_boot_request q = grub_request;
	_cleanup_(tp_freep) char *one = NULL;
	_cleanup_(tp_freep) char *two = NULL;

	(void)state;
	assert_int_equal(tp_grub_section(&config, &q, &one, NULL), 0);
	q.token = "00aa";
	assert_int_equal(tp_grub_section(&config, &q, &two, NULL), 0);
	for (size_t i = 0; i < TP_ARRAY_SIZE(theirs); i++) {
		_cleanup_(tp_freep) char *with_one = NULL;
		_cleanup_(tp_freep) char *with_two = NULL;
		_cleanup_(tp_freep) char *more = NULL;
		_cleanup_(tp_freep) char *without = NULL;

		assert_int_equal(tp_grub_replace(theirs[i], one, &with_one, NULL), 0);
		assert_true(tp_str_starts(with_one, theirs[i]));
		assert_true(tp_grub_has(with_one, one));
		assert_false(tp_grub_has(with_one, two));
		assert_int_equal(tp_grub_replace(with_one, two, &with_two, NULL), 0);
		assert_true(tp_grub_has(with_two, two));
		assert_null(strstr(with_two, "00ff"));
		/* Somebody adds below us: kept as well. */
		more = tp_strf("%s# below\n", with_two);
		assert_int_equal(tp_grub_replace(more, NULL, &without, NULL), 0);
		assert_true(tp_str_starts(without, theirs[i]));
		assert_true(tp_str_ends(without, "# below\n"));
		assert_null(strstr(without, "triptych"));
	}
}

static void grub_half_a_section(void **state)
{
	struct tp_target_config config = grub_target();
	_cleanup_(tp_freep) char *section = NULL;
	char *text = NULL;

	(void)state;
	assert_int_equal(tp_grub_section(&config, &grub_request, &section, NULL), 0);
	*strstr(section, "### END") = '\0';
	assert_int_equal(tp_grub_replace(section, NULL, &text, NULL), TP_MACHINE_E_REFUSED);
	assert_null(text);
}

static void grub_environment(void **state)
{
	static const char list[] = "saved_entry=rescue\nnext_entry=\nprev_saved_entry=x\n";
	char value[64];

	(void)state;
	tp_grub_env_get(list, "saved_entry", value, sizeof(value));
	assert_string_equal(value, "rescue");
	tp_grub_env_get(list, "next_entry", value, sizeof(value));
	assert_string_equal(value, "");
	tp_grub_env_get(list, "entry", value, sizeof(value));
	assert_string_equal(value, "");
	tp_grub_env_get("next_entry=triptych-1", "next_entry", value, sizeof(value));
	assert_string_equal(value, "triptych-1");
}

/* ---- the agent ---- */

static void agent_answers(void **state)
{
	struct tp_agent_start start;
	struct tp_agent_state s;
	char *facts = NULL;

	(void)state;
	tp_agent_parse_start(
	    "noise\n{\"record\":\"started\"}\n{\"record\":\"warmed\",\"warmup_ms\":41}"
	    "\n{\"record\":\"end\",\"status\":\"ok\"}\n",
	    &start);
	assert_true(start.started && start.warmed && start.ended && start.ok);
	assert_int_equal(start.warmup_ms, 41);
	tp_agent_parse_start("{\"record\":\"started\"}\n{\"record\":\"end\",\"status\":\"failed\","
			     "\"reason\":\"bad \\u001b[1m\"}\n",
			     &start);
	assert_true(start.started && !start.warmed && start.ended && !start.ok);
	assert_string_equal(start.reason, "bad ?[1m");
	assert_int_equal(start.warmup_ms, -1);
	tp_agent_parse_state(
	    "{\"record\":\"state\",\"phase\":\"measured\",\"round\":7,\"alive\":true,"
	    "\"boot_id\":\"" BOOT_ID "\"}",
	    &s);
	assert_true(s.known && s.alive);
	assert_int_equal(s.round, 7);
	assert_string_equal(s.boot_id, BOOT_ID);
	tp_agent_parse_state("{\"record\":\"end\",\"status\":\"failed\"}\n[1]\n\n{\n", &s);
	assert_false(s.known || s.alive);
	assert_int_equal(
	    tp_agent_facts("{\"record\":\"facts\",\"facts\":{\"a\":1}}\n", &facts, NULL), 0);
	assert_string_equal(facts, "{\"a\":1}");
	free(facts);
	assert_int_equal(tp_agent_facts("{\"record\":\"facts\"}\n", &facts, NULL), -EBADMSG);
}

static void end_records(void **state)
{
	static const struct {
		const char *text;
		int code;
		bool ok;
	} cases[] = {
	    {"{\"record\":\"end\",\"status\":\"ok\"}\n", 0, true},
	    {"{\"record\":\"x\"}\n{\"record\":\"end\",\"status\":\"failed\",\"reason\":\"r\"}\n", 0,
	     false},
	    {"{\"record\":\"end\",\"status\":\"ok\"}", -EBADMSG, false}, /* cut */
	    {"{\"record\":\"end\",\"status\":\"ok\"}\n{\"record\":\"round\"}\n", -EBADMSG, false},
	    {"", -EBADMSG, false},
	    {"\n", -EBADMSG, false},
	};
	_cleanup_(tp_freep) char *path = tp_strf("%s/records", (char *)*state);

	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		char reason[64] = "";
		bool ok = false;

		assert_int_equal(
		    tp_file_write(path, cases[i].text, strlen(cases[i].text), 0600, NULL), 0);
		assert_int_equal(tp_agent_read_end(path, &ok, reason, sizeof(reason), NULL),
				 cases[i].code);
		assert_int_equal(ok, cases[i].ok);
	}
}

/* ---- console ---- */

static void console_since_a_mark(void **state)
{
	static char kind[] = "file";
	_cleanup_(tp_freep) char *path = tp_strf("%s/console", (char *)*state);
	_cleanup_(tp_freep) char *big = malloc(TP_CONSOLE_MAX + 2000);
	struct tp_target_config config = {.console = {.kind = kind, .path = path}};
	char *text;
	int64_t mark;

	assert_int_equal(tp_console_mark(&config), -1);
	assert_null(tp_console_since(&config, -1, NULL));
	assert_int_equal(tp_file_write(path, "before\n", 7, 0600, NULL), 0);
	mark = tp_console_mark(&config);
	assert_int_equal(mark, 7);
	assert_int_equal(
	    tp_file_write(path, "before\nafter\r\n\0\033[31mred\xff\n", 25, 0600, NULL), 0);
	text = tp_console_since(&config, mark, NULL);
	assert_string_equal(text, "after\n??[31mred?\n");
	free(text);
	/* Begun anew: shorter than the mark. */
	text = tp_console_since(&config, 1000, NULL);
	assert_true(tp_str_starts(text, "before"));
	free(text);
	memset(big, 'x', TP_CONSOLE_MAX + 2000);
	assert_int_equal(tp_file_write(path, big, TP_CONSOLE_MAX + 2000, 0600, NULL), 0);
	text = tp_console_since(&config, 0, NULL);
	assert_int_equal(strlen(text), TP_CONSOLE_MAX);
	free(text);
}

static void console_of_a_token(void **state)
{
	static char kind[] = "file";
	static const char log[] = "[ 0.0] Linux version 1\ncmd triptych.token=aa\nold\n"
				  "[ 0.0] Linux version 2\ncmd triptych.token=bb\nnew\n";
	_cleanup_(tp_freep) char *path = tp_strf("%s/console", (char *)*state);
	struct tp_target_config config = {.console = {.kind = kind, .path = path}};
	char *text;

	assert_int_equal(tp_file_write(path, log, sizeof(log) - 1, 0600, NULL), 0);
	text = tp_console_since(&config, -1, "bb");
	assert_string_equal(text, "[ 0.0] Linux version 2\ncmd triptych.token=bb\nnew\n");
	free(text);
	text = tp_console_since(&config, -1, "cc");
	assert_string_equal(text, log);
	free(text);
}

static void console_last_words(void **state)
{
	char words[64];

	(void)state;
	assert_false(tp_console_last_words(NULL, words, sizeof(words)));
	assert_string_equal(words, "");
	assert_false(tp_console_last_words("one\ntwo\n\n  \n", words, sizeof(words)));
	assert_string_equal(words, "two");
	assert_true(tp_console_last_words("a\n[1.0] Kernel panic - not syncing: VFS\n---[ end\n",
					  words, sizeof(words)));
	assert_string_equal(words, "Kernel panic - not syncing: VFS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(base64),
	    cmocka_unit_test(boot_ids),
	    cmocka_unit_test(build_id_in_notes),
	    cmocka_unit_test(identity_from_a_target),
	    cmocka_unit_test(tokens),
	    cmocka_unit_test(four_marks),
	    cmocka_unit_test(grub_section),
	    cmocka_unit_test(grub_misreads_nothing),
	    cmocka_unit_test(grub_keeps_what_is_not_ours),
	    cmocka_unit_test(grub_half_a_section),
	    cmocka_unit_test(grub_environment),
	    cmocka_unit_test(agent_answers),
	    scratch_test(end_records),
	    scratch_test(console_since_a_mark),
	    scratch_test(console_of_a_token),
	    cmocka_unit_test(console_last_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
