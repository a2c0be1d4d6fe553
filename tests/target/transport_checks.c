/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conformance table of transports; see transport_checks.h. */
#include "transport_checks.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/remote.h"
#include "util/hash.h"
#include "../util/scratch.h"

#define IN_TIME tp_deadline_in(30000)

static struct tp_exec_result run_argv(const struct transport_bench *b, const char *const *argv)
{
	struct tp_exec_result out = {};
	struct tp_err err = {};
	int r = b->t->ops->exec(b->t, argv, 65536, IN_TIME, &out, &err);

	if (r)
		fail_msg("%s: %d %s", argv[0], r, err.text);
	return out;
}

static void output_and_status(const struct transport_bench *b)
{
	const char *argv[] = {"sh", "-c", "printf 'a\\nb'; echo wrong >&2; exit 7", NULL};
	struct tp_exec_result out = run_argv(b, argv);

	assert_int_equal(out.exit_code, 7);
	assert_string_equal(out.output, "a\nb");
	assert_int_equal(out.output_len, 3);
	assert_string_equal(out.errors, "wrong\n");
	tp_exec_result_deinit(&out);
}

static void silence(const struct transport_bench *b)
{
	const char *argv[] = {"true", NULL};
	struct tp_exec_result out = run_argv(b, argv);

	assert_int_equal(out.exit_code, 0);
	assert_string_equal(out.output, "");
	assert_string_equal(out.errors, "");
	tp_exec_result_deinit(&out);
}

static void missing_program(const struct transport_bench *b)
{
	const char *argv[] = {"triptych-no-such-program", NULL};
	struct tp_exec_result out = run_argv(b, argv);
	struct tp_err err = {};

	assert_int_equal(out.exit_code, 127);
	tp_exec_result_deinit(&out);
	assert_int_equal(tp_transport_check(b->t, argv, IN_TIME, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text, "triptych-no-such-program"));
}

static void nasty_arguments(const struct transport_bench *b)
{
	static const char *const nasty[] = {
	    "plain",  "",	  " ",	   "it's",  "\"q\"", "$HOME `id` $(id)", "a\nb\n",
	    "\\\\n",  "*?[a]",	  "-n",	   ";rm x", "&|<>",  "\xc3\xa4\xff\x01", "!!",
	    "'\\''x", "#comment", "~root", "%s%d",
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(nasty); i++) {
		const char *argv[] = {"printf", "[%s]", nasty[i], NULL};
		_cleanup_(tp_freep) char *want = tp_strf("[%s]", nasty[i]);
		struct tp_exec_result out = run_argv(b, argv);

		assert_string_equal(out.output, want);
		tp_exec_result_deinit(&out);
	}
}

static void builtins_end_with_a_status(const struct transport_bench *b)
{
	struct tp_exec_result out = {};
	int r = tp_remote_sh(b->t, "cat; exit 3", NULL, 100, IN_TIME, &out, NULL);

	assert_int_equal(r, 0); /* and cat did not wait for input */
	assert_int_equal(out.exit_code, 3);
	tp_exec_result_deinit(&out);
}

static void huge_output_is_cut(const struct transport_bench *b)
{
	const char *script = "i=0; while [ $i -lt 3000 ]; do "
			     "printf '%01000d' 0; printf '%0100d' 1 >&2; i=$((i+1)); done; exit 5";
	struct tp_exec_result out = {};
	struct tp_err err = {};
	int r = tp_remote_sh(b->t, script, NULL, 10000, IN_TIME, &out, &err);

	if (r)
		fail_msg("%d %s", r, err.text);
	assert_int_equal(out.exit_code, 5);
	assert_int_equal(out.output_len, 10000);
	assert_int_equal(strlen(out.output), 10000);
	assert_true(strlen(out.errors) <= 8192);
	tp_exec_result_deinit(&out);
}

static void control_characters(const struct transport_bench *b)
{
	const char *script = "printf 'x\\033[2J\\000y\\377'; printf '\\033]0;t\\007 e' >&2";
	struct tp_exec_result out = {};

	assert_int_equal(tp_remote_sh(b->t, script, NULL, 100, IN_TIME, &out, NULL), 0);
	assert_int_equal(out.output_len, 8);
	assert_memory_equal(out.output, "x\033[2J\0y\377", 8);
	assert_null(strchr(out.errors, '\033'));
	assert_non_null(strstr(out.errors, " e"));
	tp_exec_result_deinit(&out);
}

static void failed_check_says_why(const struct transport_bench *b)
{
	const char *argv[] = {"sh", "-c", "echo one >&2; printf 'two \\033[31m' >&2; exit 4", NULL};
	struct tp_err err = {};

	assert_int_equal(tp_transport_check(b->t, argv, IN_TIME, NULL, &err), -EIO);
	assert_non_null(strstr(err.text, "4"));
	assert_non_null(strstr(err.text, "two ?[31m"));
	assert_null(strstr(err.text, "one"));
}

static void killed_command_is_lost(const struct transport_bench *b)
{
	/* The shell that would print our end marker goes, too. */
	const char *script = "kill -9 $PPID $$; sleep 5";
	struct tp_exec_result out = {};
	struct tp_err err = {};
	int r;

	if (strcmp(b->t->ops->kind, "local") == 0)
		script = "kill -9 $$; sleep 5"; /* there $PPID is this test */
	r = tp_remote_sh(b->t, script, NULL, 100, IN_TIME, &out, &err);
	assert_int_equal(r, TP_TRANSPORT_E_LOST);
	assert_null(out.output);
	assert_non_null(strstr(err.text, "sh"));
}

static void fill_file(const char *path, size_t size)
{
	_cleanup_(tp_freep) char *data = malloc(size);
	uint32_t x = 12345;

	for (size_t i = 0; i < size; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = (char)(x >> 24);
	}
	assert_int_equal(tp_file_write(path, data, size, 0600, NULL), 0);
}

static void file_there_and_back(const struct transport_bench *b)
{
	_cleanup_(tp_freep) char *from = tp_strf("%s/from", b->dir);
	_cleanup_(tp_freep) char *there = tp_strf("%s/there file's", b->dir);
	_cleanup_(tp_freep) char *back = tp_strf("%s/back", b->dir);
	char sent[TP_SHA256_HEX], got[TP_SHA256_HEX];
	struct tp_err err = {};
	struct stat st;
	int64_t start, up, down;
	int r;

	fill_file(from, 8 << 20);
	start = tp_clock_mono_ms();
	r = b->t->ops->upload(b->t, from, there, 0755, IN_TIME, &err);
	up = tp_clock_mono_ms() - start;
	if (r)
		fail_msg("upload: %d %s", r, err.text);
	assert_int_equal(stat(there, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	start = tp_clock_mono_ms();
	r = b->t->ops->download(b->t, there, back, 8 << 20, IN_TIME, &err);
	down = tp_clock_mono_ms() - start;
	if (r)
		fail_msg("download: %d %s", r, err.text);
	assert_int_equal(tp_sha256_path(from, sent, NULL), 0);
	assert_int_equal(tp_sha256_path(back, got, NULL), 0);
	assert_string_equal(sent, got);
	print_message("%s: 8 MiB up %lld ms, down %lld ms\n", b->t->ops->kind, (long long)up,
		      (long long)down);
}

static void upload_replaces(const struct transport_bench *b)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/replaced", b->dir);
	_cleanup_(tp_freep) char *temp = tp_strf("%s/replaced.tmp", b->dir);
	_cleanup_(tp_freep) char *text = NULL;

	assert_int_equal(tp_remote_write(b->t, path, "one, and longer", 0644, IN_TIME, NULL), 0);
	assert_int_equal(tp_remote_write(b->t, path, "two", 0600, IN_TIME, NULL), 0);
	assert_int_equal(tp_file_read(path, 100, &text, NULL, NULL), 0);
	assert_string_equal(text, "two");
	assert_false(tp_path_exists(temp));
	assert_int_equal(tp_remote_write(b->t, path, "", 0600, IN_TIME, NULL), 0);
	free(TP_TAKE(text));
	assert_int_equal(tp_file_read(path, 100, &text, NULL, NULL), 0);
	assert_string_equal(text, "");
}

static void no_such_places(const struct transport_bench *b)
{
	_cleanup_(tp_freep) char *from = tp_strf("%s/small", b->dir);
	_cleanup_(tp_freep) char *nowhere = tp_strf("%s/no/such/folder/x", b->dir);
	struct tp_err err = {};

	assert_int_equal(tp_file_write(from, "x", 1, 0600, NULL), 0);
	assert_int_equal(b->t->ops->upload(b->t, from, nowhere, 0600, IN_TIME, &err), -ENOENT);
	assert_int_equal(b->t->ops->download(b->t, nowhere, from, 100, IN_TIME, &err), -ENOENT);
	assert_non_null(strstr(err.text, nowhere));
	assert_int_equal(b->t->ops->upload(b->t, nowhere, from, 0600, IN_TIME, &err), -ENOENT);
	silence(b); /* the connection is still good */
}

static void download_is_bounded(const struct transport_bench *b)
{
	_cleanup_(tp_freep) char *from = tp_strf("%s/large", b->dir);
	_cleanup_(tp_freep) char *to = tp_strf("%s/bounded", b->dir);
	struct tp_err err = {};

	fill_file(from, 1 << 20);
	assert_int_equal(b->t->ops->download(b->t, from, to, 1000, IN_TIME, &err), -EFBIG);
	assert_false(tp_path_exists(to));
	silence(b);
	assert_int_equal(b->t->ops->download(b->t, "/dev/zero", to, 1 << 20, IN_TIME, &err),
			 -EFBIG);
	assert_false(tp_path_exists(to));
	silence(b);
}

static void hashes_and_space(const struct transport_bench *b)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/hashed", b->dir);
	_cleanup_(tp_freep) char *deep = tp_strf("%s/not/yet/there", b->dir);
	char hex[65];
	int64_t bytes = 0;

	assert_int_equal(tp_file_write(path, "abc", 3, 0600, NULL), 0);
	assert_int_equal(tp_remote_sha256(b->t, path, IN_TIME, hex, NULL), 0);
	assert_string_equal(hex,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(tp_remote_sha256(b->t, deep, IN_TIME, hex, NULL), 0);
	assert_string_equal(hex, "");
	assert_int_equal(tp_remote_free(b->t, deep, IN_TIME, &bytes, NULL), 0);
	assert_true(bytes > 0);
}

static void deadline_of_a_command(const struct transport_bench *b)
{
	const char *argv[] = {"sleep", "30", NULL};
	struct tp_exec_result out = {};
	struct tp_err err = {};
	int64_t start = tp_clock_mono_ms();
	int r = b->t->ops->exec(b->t, argv, 100, tp_deadline_in(400), &out, &err);

	assert_int_equal(r, TP_TRANSPORT_E_LOST);
	assert_true(tp_clock_mono_ms() - start < 3000);
	assert_non_null(strstr(err.text, "deadline"));
}

static void deadline_of_endless_output(const struct transport_bench *b)
{
	const char *argv[] = {"yes", NULL};
	struct tp_exec_result out = {};
	int64_t start = tp_clock_mono_ms();
	int r = b->t->ops->exec(b->t, argv, 100, tp_deadline_in(400), &out, NULL);

	assert_int_equal(r, TP_TRANSPORT_E_LOST);
	assert_true(tp_clock_mono_ms() - start < 3000);
}

const struct transport_check transport_checks[] = {
    {"output and status", output_and_status},
    {"silence", silence},
    {"missing program", missing_program},
    {"nasty arguments", nasty_arguments},
    {"no standard input", builtins_end_with_a_status},
    {"huge output is cut", huge_output_is_cut},
    {"control characters", control_characters},
    {"a failed check says why", failed_check_says_why},
    {"a killed command is lost", killed_command_is_lost},
    {"8 MiB there and back", file_there_and_back},
    {"an upload replaces", upload_replaces},
    {"no such places", no_such_places},
    {"a download is bounded", download_is_bounded},
    {"hashes and space", hashes_and_space},
    {"deadline of a command", deadline_of_a_command},
    {"deadline of endless output", deadline_of_endless_output},
};
const int n_transport_checks = TP_ARRAY_SIZE(transport_checks);
