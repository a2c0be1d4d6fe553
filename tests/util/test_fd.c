/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files: whole or not at all, folders made and removed without following links, locks. */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *in(void **state, const char *name)
{
	return tp_strf("%s/%s", (char *)*state, name);
}

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void writes_and_reads(void **state)
{
	_cleanup_(tp_freep) char *path = in(state, "file");
	_cleanup_(tp_freep) char *text = NULL;
	size_t len = 0;
	struct stat st;

	assert_int_equal(tp_file_write(path, "old", 3, 0600, NULL), 0);
	assert_int_equal(tp_file_write(path, "a\0b", 3, 0640, NULL), 0);
	assert_int_equal(tp_file_read(path, 3, &text, &len, NULL), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a\0b", 4);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(count_entries(*state), 1);
}

static void refusals_touch_nothing(void **state)
{
	_cleanup_(tp_freep) char *path = in(state, "file");
	char *text = (char *)"untouched";
	size_t len = 99;
	struct tp_err err = {};

	assert_int_equal(tp_file_write(path, "12345", 5, 0600, NULL), 0);
	assert_int_equal(tp_file_read(path, 4, &text, &len, &err), -EFBIG);
	assert_non_null(strstr(err.text, "larger than 4 bytes"));
	assert_int_equal(tp_file_read("/nonexistent/x", 4, &text, &len, &err), -ENOENT);
	assert_int_equal(tp_file_read(*state, 4, &text, &len, &err), -EISDIR);
	assert_string_equal(text, "untouched");
	assert_int_equal(len, 99);
}

/* A write that cannot be finished leaves the old file and no temporary one. */
static void failed_write_keeps_the_old(void **state)
{
	_cleanup_(tp_freep) char *dir = in(state, "taken");
	_cleanup_(tp_freep) char *inside = in(state, "taken/x");
	struct tp_err err = {};

	assert_int_equal(tp_dir_make(dir, 0700, NULL), 0);
	assert_int_equal(tp_file_write(inside, "x", 1, 0600, NULL), 0);
	assert_true(tp_file_write(dir, "new", 3, 0600, &err) < 0);
	assert_non_null(strstr(err.text, "taken"));
	assert_int_equal(count_entries(*state), 1);
	assert_int_equal(tp_file_write("/nonexistent/x", "new", 3, 0600, &err), -ENOENT);
}

static void write_replaces_a_link_itself(void **state)
{
	_cleanup_(tp_freep) char *real = in(state, "real");
	_cleanup_(tp_freep) char *link = in(state, "link");
	_cleanup_(tp_freep) char *text = NULL;

	assert_int_equal(tp_file_write(real, "real", 4, 0600, NULL), 0);
	assert_int_equal(symlink(real, link), 0);
	assert_int_equal(tp_file_write(link, "new", 3, 0600, NULL), 0);
	assert_int_equal(tp_file_read(real, 100, &text, NULL, NULL), 0);
	assert_string_equal(text, "real");
}

static void copies(void **state)
{
	_cleanup_(tp_freep) char *from = in(state, "from");
	_cleanup_(tp_freep) char *to = in(state, "to");
	_cleanup_(tp_freep) char *big = malloc(200001);
	_cleanup_(tp_freep) char *text = NULL;
	struct tp_err err = {};
	size_t len;

	memset(big, 'b', 200001);
	assert_int_equal(tp_file_write(from, big, 200001, 0600, NULL), 0);
	assert_int_equal(tp_file_copy(from, to, 0755, &err), 0);
	assert_int_equal(tp_file_read(to, 300000, &text, &len, NULL), 0);
	assert_int_equal(len, 200001);
	assert_memory_equal(text, big, len);
	assert_int_equal(tp_file_copy("/nonexistent/x", to, 0600, &err), -ENOENT);
	assert_int_equal(tp_file_copy(*state, to, 0600, &err), -EISDIR);
	assert_int_equal(count_entries(*state), 2);
}

static void makes_folders(void **state)
{
	_cleanup_(tp_freep) char *deep = in(state, "a//b/c/");
	_cleanup_(tp_freep) char *file = in(state, "file");
	_cleanup_(tp_freep) char *below = in(state, "file/x");
	struct tp_err err = {};

	assert_int_equal(tp_dir_make(deep, 0700, &err), 0);
	assert_int_equal(tp_dir_make(deep, 0700, &err), 0);
	assert_int_equal(tp_file_write(file, "", 0, 0600, NULL), 0);
	assert_int_equal(tp_dir_make(file, 0700, &err), -ENOTDIR);
	assert_int_equal(tp_dir_make(below, 0700, &err), -ENOTDIR);
	assert_int_equal(tp_dir_make("", 0700, &err), -EINVAL);
}

static void remove_never_follows_links(void **state)
{
	_cleanup_(tp_freep) char *kept = in(state, "kept");
	_cleanup_(tp_freep) char *kept_file = in(state, "kept/file");
	_cleanup_(tp_freep) char *tree = in(state, "tree/sub");
	_cleanup_(tp_freep) char *top = in(state, "tree");
	_cleanup_(tp_freep) char *link = in(state, "tree/sub/link");
	_cleanup_(tp_freep) char *outer = in(state, "outer");

	assert_int_equal(tp_dir_make(kept, 0700, NULL), 0);
	assert_int_equal(tp_file_write(kept_file, "x", 1, 0600, NULL), 0);
	assert_int_equal(tp_dir_make(tree, 0700, NULL), 0);
	assert_int_equal(symlink(kept, link), 0);
	assert_int_equal(symlink(kept, outer), 0);
	assert_int_equal(tp_dir_remove(top, NULL), 0);
	assert_false(tp_path_exists(top));
	assert_int_equal(tp_dir_remove(outer, NULL), 0);
	assert_false(tp_path_exists(outer));
	assert_true(tp_path_exists(kept_file));
	assert_int_equal(tp_dir_remove(top, NULL), 0);
}

/* Deeper than the descriptors that the walk may hold. */
static void removes_deep_trees(void **state)
{
	_cleanup_(tp_str_deinit) struct tp_str path = {};
	_cleanup_(tp_freep) char *top = in(state, "d");

	tp_str_append(&path, *state);
	for (int i = 0; i < 200; i++)
		tp_str_append(&path, "/d");
	assert_int_equal(tp_dir_make(tp_str_text(&path), 0700, NULL), 0);
	assert_int_equal(tp_dir_remove(top, NULL), 0);
	assert_false(tp_path_exists(top));
}

static void free_space(void **state)
{
	assert_true(tp_disk_free(*state) > 0);
	assert_true(tp_disk_free("/nonexistent/x") == -ENOENT);
}

static void locks_exclude_each_other(void **state)
{
	_cleanup_(tp_freep) char *path = in(state, "lock");
	struct tp_err err = {};
	int fd = tp_lock_file(path, false, &err);

	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(tp_lock_file(path, false, &err), -EWOULDBLOCK);
	assert_non_null(strstr(err.text, "lock"));
	close(fd);
	fd = tp_lock_file(path, true, &err);
	assert_true(fd >= 0);
	tp_fd_closep(&fd);
	assert_int_equal(fd, -1);
	assert_int_equal(tp_lock_file("/nonexistent/x", false, &err), -ENOENT);
}

static void write_all_reports(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(tp_fd_write_all(fd, "x", 1), -ENOSPC);
	assert_int_equal(tp_fd_write_all(fd, "x", 0), 0);
	close(fd);
	assert_int_equal(tp_fd_write_all(-1, "x", 1), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(writes_and_reads),
	    scratch_test(refusals_touch_nothing),
	    scratch_test(failed_write_keeps_the_old),
	    scratch_test(write_replaces_a_link_itself),
	    scratch_test(copies),
	    scratch_test(makes_folders),
	    scratch_test(remove_never_follows_links),
	    scratch_test(removes_deep_trees),
	    scratch_test(free_space),
	    scratch_test(locks_exclude_each_other),
	    cmocka_unit_test(write_all_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
