/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 against the examples of FIPS 180-2 and a file larger than one read. */
#include "scratch.h"

#include <errno.h>

#include "util/hash.h"

static void known_vectors(void **state)
{
	static const struct {
		const char *text, *hex;
	} cases[] = {
	    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		char hex[TP_SHA256_HEX];

		tp_sha256_bytes(cases[i].text, strlen(cases[i].text), hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void in_pieces(void **state)
{
	_cleanup_(tp_sha256_freep) struct tp_sha256 *ctx = tp_sha256_new();
	char hex[TP_SHA256_HEX];
	char block[1000];

	(void)state;
	memset(block, 'a', sizeof(block));
	for (int i = 0; i < 1000; i++)
		tp_sha256_update(ctx, block, sizeof(block));
	tp_sha256_final(ctx, hex);
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void of_a_file(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/file", (char *)*state);
	_cleanup_(tp_freep) char *million = malloc(1000000);
	struct tp_err err = {};
	char hex[TP_SHA256_HEX];

	memset(million, 'a', 1000000);
	assert_int_equal(tp_file_write(path, million, 1000000, 0600, &err), 0);
	assert_int_equal(tp_sha256_path(path, hex, &err), 0);
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	assert_int_equal(tp_sha256_path("/nonexistent/file", hex, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/file"));
	assert_int_equal(tp_sha256_path(*state, hex, &err), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known_vectors),
	    cmocka_unit_test(in_pieces),
	    scratch_test(of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
