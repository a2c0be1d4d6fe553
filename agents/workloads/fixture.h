/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What workloads stand on: a private folder on tmpfs, its files, and raised limits.
 *
 * Everything here happens outside timed regions and is undone by its counterpart.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "util/err.h"
#include "util/macro.h"

#define TP_FIXTURE_PATH 256

struct tp_fixture {
	char dir[TP_FIXTURE_PATH]; /* "" when there is none */
};

/*
 * Make a private folder inside @dir, or inside the first tmpfs of /dev/shm and /tmp when it is
 * NULL. A folder that is not on tmpfs is refused unless @any_fs. Returns 0 or -errno.
 */
TP_MUST_CHECK int tp_fixture_open(struct tp_fixture *fixture, const char *dir, bool any_fs,
				  struct tp_err *reterr);

/* Remove the folder and all in it; best effort. */
void tp_fixture_close(struct tp_fixture *fixture);

/* Paths of one array: @count rows of TP_FIXTURE_PATH bytes, DIR/<prefix>00000 and up. */
typedef char tp_path[TP_FIXTURE_PATH];

/* Create @count files of one byte. @ret_paths is free()d by the caller. Returns 0 or -errno. */
TP_MUST_CHECK int tp_fixture_files(const struct tp_fixture *fixture, char prefix, size_t count,
				   tp_path **ret_paths, struct tp_err *reterr);

/* Create one file under @count names that are hard links to it. As tp_fixture_files(). */
TP_MUST_CHECK int tp_fixture_links(const struct tp_fixture *fixture, char prefix, size_t count,
				   tp_path **ret_paths, struct tp_err *reterr);

/* Raise RLIMIT_NOFILE to at least @files, or say how. */
TP_MUST_CHECK int tp_limit_files(uint64_t files, struct tp_err *reterr);

struct tp_sysctl {
	const char *path; /* NULL when nothing was changed */
	long long before;
};

/*
 * Raise the number in @path (under /proc/sys) to at least @wanted, remembering the old value
 * in @ret_saved. A file that is not there is fine. -errno with the sysctl's name in @reterr.
 */
TP_MUST_CHECK int tp_sysctl_raise(const char *path, long long wanted, struct tp_sysctl *ret_saved,
				  struct tp_err *reterr);

/* Put the old value back. */
void tp_sysctl_restore(struct tp_sysctl *saved);

/* The number in @path, or @fallback when it cannot be read. */
long long tp_sysctl_read(const char *path, long long fallback);
