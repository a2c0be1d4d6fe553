/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU lists: what the kernel writes is read, anything else is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/cpulist.h"

static void assert_list(const char *text, const int *expected, size_t count)
{
	struct tp_cpulist list;

	assert_int_equal(tp_cpulist_parse(text, &list), 0);
	assert_int_equal(list.count, count);
	assert_memory_equal(list.cpus, expected, count * sizeof(*expected));
}

static void reads_numbers_and_ranges_in_order(void **state)
{
	(void)state;
	assert_list("0", (int[]){0}, 1);
	assert_list("3,1", (int[]){3, 1}, 2);
	assert_list("0-2,8,10-11", (int[]){0, 1, 2, 8, 10, 11}, 6);
	assert_list("5-5", (int[]){5}, 1);
	assert_list("1,1,0-1", (int[]){1, 1, 0, 1}, 4);
}

static void refuses_what_is_no_list(void **state)
{
	static const char *const bad[] = {"",	 ",",	 "0,",	  ",0",	 "0,,1", "a",	"0-",
					  "-1",	 "1--2", "0-2-4", " 0",	 "0 ",	 "0;1", "+1",
					  "0x1", "0-a",	 "1.5",	  "0\n", "٣"};
	struct tp_cpulist list = {.count = 77};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad); i++)
		assert_int_equal(tp_cpulist_parse(bad[i], &list), -EINVAL);
	assert_int_equal(list.count, 77);
}

static void refuses_what_is_too_large(void **state)
{
	struct tp_cpulist list;

	(void)state;
	assert_int_equal(tp_cpulist_parse("65536", &list), -ERANGE);
	assert_int_equal(tp_cpulist_parse("99999999999999999999", &list), -ERANGE);
	assert_int_equal(tp_cpulist_parse("3-1", &list), -ERANGE);
	assert_int_equal(tp_cpulist_parse("0-1023", &list), 0);
	assert_int_equal(list.count, 1024);
	assert_int_equal(tp_cpulist_parse("0-1024", &list), -ERANGE);
	assert_int_equal(tp_cpulist_parse("0-1023,0", &list), -ERANGE);
}

static void names_a_cpu_that_is_not_allowed(void **state)
{
	struct tp_cpulist allowed = {.cpus = {0, 1, 2}, .count = 3};
	struct tp_cpulist list = {.cpus = {2, 0, 0}, .count = 3};

	(void)state;
	assert_int_equal(tp_cpulist_stranger(&list, &allowed), -1);
	list.cpus[1] = 3;
	assert_int_equal(tp_cpulist_stranger(&list, &allowed), 3);
}

static void finds_allowed_cpus(void **state)
{
	struct tp_cpulist allowed;

	(void)state;
	assert_int_equal(tp_cpulist_allowed(&allowed), 0);
	assert_true(allowed.count > 0);
	assert_int_equal(tp_cpulist_stranger(&allowed, &allowed), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_numbers_and_ranges_in_order),
	    cmocka_unit_test(refuses_what_is_no_list),
	    cmocka_unit_test(refuses_what_is_too_large),
	    cmocka_unit_test(names_a_cpu_that_is_not_allowed),
	    cmocka_unit_test(finds_allowed_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
