/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts that must be equal: which differences count, and which do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/environment.h"

static void check(const char *a, const char *b, const char *want)
{
	struct tp_err err = {};
	char *diff = NULL;

	assert_int_equal(tp_environment_diff(a, b, &diff, &err), 0);
	assert_string_equal(diff, want);
	free(diff);
}

static void test_differences(void **state)
{
	(void)state;
	check("{\"cpu\":{\"microcode\":\"0x1\"}}", "{\"cpu\":{\"microcode\":\"0x2\"}}",
	      "cpu.microcode: \"0x1\" -> \"0x2\"\n");
	check("{\"tainted\":0}", "{\"tainted\":512}", "tainted: 0 -> 512\n");
	check("{\"vulnerabilities\":{\"mds\":\"a\"}}", "{\"vulnerabilities\":{\"mds\":\"b\"}}",
	      "vulnerabilities: {\"mds\":\"a\"} -> {\"mds\":\"b\"}\n");
}

/* The kernel's file and the token belong to one boot; every other word must stay. */
static void test_command_lines(void **state)
{
	(void)state;
	check("{\"cmdline\":\"BOOT_IMAGE=/a ro quiet panic=5 triptych.token=1\"}",
	      "{\"cmdline\":\"BOOT_IMAGE=/b ro quiet panic=5 triptych.token=2\\n\"}", "");
	check("{\"cmdline\":\"ro mitigations=off\"}", "{\"cmdline\":\"ro\"}",
	      "cmdline: \"ro mitigations=off\" -> \"ro\"\n");
}

static void test_frequency_policies(void **state)
{
	(void)state;
	check("{\"frequency\":{\"policies\":[{\"governor\":\"performance\",\"current_khz\":1}]}}",
	      "{\"frequency\":{\"policies\":[{\"governor\":\"performance\",\"current_khz\":2}]}}",
	      "");
	check("{\"frequency\":{\"policies\":[{\"governor\":\"performance\"}]}}",
	      "{\"frequency\":{\"policies\":[{\"governor\":\"powersave\"}]}}",
	      "frequency.policies: [{\"governor\":\"performance\"}] -> "
	      "[{\"governor\":\"powersave\"}]\n");
}

static void test_what_may_differ(void **state)
{
	(void)state;
	check("{\"boot_id\":\"a\",\"load\":{\"uptime_ms\":1}}",
	      "{\"boot_id\":\"b\",\"load\":{\"uptime_ms\":2}}", "");
	check("{\"tainted\":null}", "{\"tainted\":1}", ""); /* unknown is equal to anything */
	check(NULL, "{\"tainted\":1}", "");
	check("not JSON", "{}", "");
	check("{\"cpu\":7}", "{\"cpu\":{\"model\":1}}", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_differences),
	    cmocka_unit_test(test_command_lines),
	    cmocka_unit_test(test_frequency_policies),
	    cmocka_unit_test(test_what_may_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
