/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and descriptors: CLOEXEC from birth, whole reads and writes, atomic replacement.
 *
 * Writing a file means: temporary name beside it, write, fsync, rename, fsync the folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "util/err.h"
#include "util/macro.h"

/* close() for a cleanup attribute; -1 is left alone. */
void tp_fd_closep(int *fd);
void tp_file_closep(FILE **f);

/* Read the whole of @path, at most @max bytes; @ret is NUL-terminated (free()), @ret_len may be
 * NULL. */
TP_MUST_CHECK int tp_file_read(const char *path, size_t max, char **ret, size_t *ret_len,
			       struct tp_err *reterr);

/* Replace @path by @len bytes with @mode, atomically and durably. */
TP_MUST_CHECK int tp_file_write(const char *path, const void *data, size_t len, mode_t mode,
				struct tp_err *reterr);

/* Copy @from to @to (replaced atomically, durable, @mode). */
TP_MUST_CHECK int tp_file_copy(const char *from, const char *to, mode_t mode,
			       struct tp_err *reterr);

/* write() all of it, retrying; 0 or -errno. */
TP_MUST_CHECK int tp_fd_write_all(int fd, const void *data, size_t len);

/* mkdir -p with @mode for each new folder. */
TP_MUST_CHECK int tp_dir_make(const char *path, mode_t mode, struct tp_err *reterr);

/* rm -r; a path that is not there is fine. Never follows links. */
TP_MUST_CHECK int tp_dir_remove(const char *path, struct tp_err *reterr);

bool tp_path_exists(const char *path);

/* Bytes free for this user on the file system of @path; -errno. */
int64_t tp_disk_free(const char *path);

/*
 * Take an exclusive flock on @path (created 0640). @wait false: -EWOULDBLOCK when held.
 * Returns a descriptor that holds the lock until closed, or -errno with @reterr.
 */
TP_MUST_CHECK int tp_lock_file(const char *path, bool wait, struct tp_err *reterr);
