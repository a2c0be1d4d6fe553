/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pinning a host key changes one thing in a description and nothing else. */
#include "config_helper.h"

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHJgY2ZyGuxAqMRFY3u5zYtDlq3hS9v2aB5hZpWfVQ1J"

static void pin(const char *text, const char *expected)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config c = {};
	_cleanup_(tp_freep) char *pinned = NULL;
	struct tp_err err = {};

	if (tp_target_config_pin(text, "x.yaml", KEY, &pinned, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(pinned, expected);
	assert_int_equal(tp_target_config_parse(pinned, "x.yaml", &c, &err), 0);
	assert_string_equal(c.transport.host_key, KEY);
	assert_string_equal(c.transport.host, "h");
}

static void pins_in_flow_style(void **state)
{
	(void)state;
	pin("# ünder\nname: a\nevidence: virtual\n"
	    "transport: {kind: ssh, host: h, user: u, key: /k} # kept\n"
	    "boot: {cmdline: panic=5}\nkernel: {seed: s}\n",
	    "# ünder\nname: a\nevidence: virtual\n"
	    "transport: {host_key: '" KEY "', kind: ssh, host: h, user: u, key: /k} # kept\n"
	    "boot: {cmdline: panic=5}\nkernel: {seed: s}\n");
}

static void pins_in_block_style(void **state)
{
	(void)state;
	pin("name: a\nevidence: virtual\n"
	    "transport:\n    kind: ssh\n    host: h\n    user: u\n    key: /k\n"
	    "boot: {cmdline: panic=5}\nkernel: {seed: s}\n",
	    "name: a\nevidence: virtual\n"
	    "transport:\n    host_key: '" KEY
	    "'\n    kind: ssh\n    host: h\n    user: u\n    key: /k\n"
	    "boot: {cmdline: panic=5}\nkernel: {seed: s}\n");
}

static void refuse(const char *text, const char *key, const char *words)
{
	_cleanup_(tp_freep) char *pinned = NULL;
	struct tp_err err = {};

	assert_true(tp_target_config_pin(text, "x.yaml", key, &pinned, &err) < 0);
	assert_non_null(strstr(err.text, words));
	assert_null(pinned);
}

static void refuses_a_second_key(void **state)
{
	_cleanup_(tp_freep) char *once = NULL;
	struct tp_err err = {};

	(void)state;
	assert_int_equal(tp_target_config_pin(SSH_TARGET, "x.yaml", KEY, &once, &err), 0);
	refuse(once, KEY, "pinned already");
}

static void refuses_rsa(void **state)
{
	(void)state;
	refuse(SSH_TARGET, "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7", "RSA host keys cannot");
	refuse(SSH_TARGET, "ssh-ed25519 short", "TYPE BASE64");
	refuse(SSH_TARGET, KEY "'}\nname: b", "host_key must be");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pins_in_flow_style),
	    cmocka_unit_test(pins_in_block_style),
	    cmocka_unit_test(refuses_a_second_key),
	    cmocka_unit_test(refuses_rsa),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
