/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits that a workload has to raise, and give back; see fixture.h. */
#include "workloads/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define NUMBER_BYTES 64

int tp_limit_files(uint64_t files, struct tp_err *reterr)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot read the descriptor limit: %s",
				  strerror(errno));
	if (limit.rlim_cur >= files)
		return 0;
	limit.rlim_cur = files;
	if (limit.rlim_max < files)
		limit.rlim_max = files;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return tp_err_set(reterr, -errno, NULL,
				  "%llu descriptors are needed and the limit cannot be raised: run "
				  "as root, raise `ulimit -n` or fs.nr_open, or lower --items",
				  (unsigned long long)files);
	return 0;
}

long long tp_sysctl_read(const char *path, long long fallback)
{
	_cleanup_(tp_freep) char *text = NULL;
	long long value;

	if (tp_file_read(path, NUMBER_BYTES, &text, NULL, NULL) < 0)
		return fallback;
	if (tp_parse_i64(tp_str_chomp(text), 0, INT64_MAX, &value) < 0)
		return fallback;
	return value;
}

static int write_number(const char *path, long long value)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_WRONLY | O_CLOEXEC);
	char text[NUMBER_BYTES];
	int n = snprintf(text, sizeof(text), "%lld\n", value);

	return fd < 0 ? -errno : tp_fd_write_all(fd, text, (size_t)n);
}

int tp_sysctl_raise(const char *path, long long wanted, struct tp_sysctl *ret_saved,
		    struct tp_err *reterr)
{
	long long before = tp_sysctl_read(path, -1);
	int r;

	if (before < 0 || before >= wanted)
		return 0;
	r = write_number(path, wanted);
	if (r < 0)
		return tp_err_set(
		    reterr, r, NULL,
		    "%s is %lld and at least %lld is needed: raise it, or run as root", path,
		    before, wanted);
	*ret_saved = (struct tp_sysctl){.path = path, .before = before};
	return 0;
}

void tp_sysctl_restore(struct tp_sysctl *saved)
{
	if (saved->path && write_number(saved->path, saved->before) < 0)
		errno = 0;
	saved->path = NULL;
}
