/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The connection that started a run: what sshd says of it, what the kernel's tables say. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "run/connection.h"
#include "util/macro.h"

static void reads_what_sshd_says(void **state)
{
	struct tp_connection c = {};

	(void)state;
	assert_true(tp_connection_parse("10.0.2.2 40312 10.0.2.15 22", &c));
	assert_int_equal(c.peer_port, 40312);
	assert_int_equal(c.own_port, 22);
	assert_true(tp_connection_parse("fe80::1%eth0 65535 fe80::2%eth0 2222", &c));
	assert_int_equal(c.peer_port, 65535);
	assert_int_equal(c.own_port, 2222);
}

static void anything_else_is_no_connection(void **state)
{
	static const char *const texts[] = {"", "10.0.2.2", "10.0.2.2 x 10.0.2.15 22",
					    "10.0.2.2 40312 10.0.2.15", "10.0.2.2 40312"};
	struct tp_connection c = {.own_port = 7};

	(void)state;
	assert_false(tp_connection_parse(NULL, &c));
	for (size_t i = 0; i < TP_ARRAY_SIZE(texts); i++)
		assert_false(tp_connection_parse(texts[i], &c));
	assert_int_equal(c.own_port, 7);
}

#define REST " 00000000:00000000 00:00000000 00000000     0        0 3 1 ffff 20 4 30 10 -1\n"

static void finds_its_line(void **state)
{
	static const struct tp_connection c = {.own_port = 22, .peer_port = 40312};

	(void)state;
	assert_true(tp_connection_is("   1: 0F02000A:0016 0202000A:9D78 01" REST, &c));
	assert_true(tp_connection_is("  12: 0000000000000000FFFF00000F02000A:0016 "
				     "0000000000000000FFFF00000202000A:9D78 08" REST,
				     &c));
	/* Half closed is not gone: the last packet is still to come. */
	assert_true(tp_connection_is("   1: 0F02000A:0016 0202000A:9D78 09" REST, &c));
	assert_false(tp_connection_is("   1: 0F02000A:0016 0202000A:9D78 06" REST, &c));
	assert_false(tp_connection_is("   1: 0F02000A:0016 0202000A:9D78 07" REST, &c));
	assert_false(tp_connection_is("   1: 0F02000A:0016 0202000A:9D79 01" REST, &c));
	assert_false(tp_connection_is("   1: 0F02000A:9D78 0202000A:0016 01" REST, &c));
	assert_false(tp_connection_is("   0: 00000000:0016 00000000:0000 0A" REST, &c));
	assert_false(tp_connection_is("  sl  local_address rem_address   st tx_queue", &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_what_sshd_says),
	    cmocka_unit_test(anything_else_is_no_connection),
	    cmocka_unit_test(finds_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
