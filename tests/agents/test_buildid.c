/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build-id among ELF notes, whole, hidden behind others, cut at every byte, or lying. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/buildid.h"

#define GNU  4, 0, 0, 0
#define NAME 'G', 'N', 'U', 0
#define ID   0xde, 0xad, 0xbe, 0xef, 0x00, 0x0f

/* A "Linux" note with a 3-byte description (padded), a GNU note of another type, the id. */
static const unsigned char notes[] = {
    6, 0, 0, 0, 3, 0, 0, 0, 1,	  1, 0, 0, 'L', 'i', 'n', 'u', 'x', 0, 0, 0, 1, 2, 3,	 0,  GNU,
    4, 0, 0, 0, 1, 0, 0, 0, NAME, 9, 9, 9, 9,	GNU, 6,	  0,   0,   0, 3, 0, 0, 0, NAME, ID,
};

/* On the heap and of exactly that size, so that a sanitizer sees one byte too many. */
static int parse(const void *bytes, size_t len, char *ret)
{
	unsigned char *copy = malloc(len ? len : 1);
	int r;

	memcpy(copy, bytes, len);
	r = tp_buildid_parse(copy, len, ret);
	free(copy);
	return r;
}

static void finds_it_behind_others(void **state)
{
	char hex[TP_BUILDID_HEX];

	(void)state;
	assert_int_equal(parse(notes, sizeof(notes), hex), 0);
	assert_string_equal(hex, "deadbeef000f");
}

static void a_cut_note_is_no_note(void **state)
{
	char hex[TP_BUILDID_HEX] = "untouched";

	(void)state;
	for (size_t len = 0; len < sizeof(notes); len++)
		assert_int_equal(parse(notes, len, hex), -ENOENT);
	assert_string_equal(hex, "untouched");
}

static void lengths_that_lie_are_not_followed(void **state)
{
	unsigned char bad[sizeof(notes)];
	char hex[TP_BUILDID_HEX];

	(void)state;
	for (size_t field = 0; field < 8; field += 4) {
		memcpy(bad, notes, sizeof(bad));
		memset(bad + field, 0xff, 4);
		assert_int_equal(parse(bad, sizeof(bad), hex), -ENOENT);
	}
}

static void empty_and_oversized_ids_are_refused(void **state)
{
	unsigned char big[16 + 65] = {GNU, 65, 0, 0, 0, 3, 0, 0, 0, NAME};
	unsigned char empty[] = {GNU, 0, 0, 0, 0, 3, 0, 0, 0, NAME};
	char hex[TP_BUILDID_HEX];

	(void)state;
	assert_int_equal(parse(big, sizeof(big), hex), -EINVAL);
	assert_int_equal(parse(empty, sizeof(empty), hex), -EINVAL);
	big[4] = 64;
	assert_int_equal(parse(big, sizeof(big), hex), 0);
	assert_int_equal(strlen(hex), 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_it_behind_others),
	    cmocka_unit_test(a_cut_note_is_no_note),
	    cmocka_unit_test(lengths_that_lie_are_not_followed),
	    cmocka_unit_test(empty_and_oversized_ids_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
