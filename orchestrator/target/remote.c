/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small things done on a target; see remote.h. */
#include "target/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

enum {
	EXIT_HASH = 90,
	EXIT_NO_FILE = 91,
};

int tp_remote_sh(struct tp_transport *t, const char *script, const char *const *args,
		 size_t max_output, struct tp_deadline deadline, struct tp_exec_result *ret,
		 struct tp_err *reterr)
{
	const char *argv[TP_REMOTE_MAX_ARGS + 5] = {"sh", "-c", script, "triptych"};
	size_t n = 4;

	for (size_t i = 0; args && args[i]; i++) {
		assert(i < TP_REMOTE_MAX_ARGS);
		argv[n++] = args[i];
	}
	return t->ops->exec(t, argv, max_output, deadline, ret, reterr);
}

const char *tp_remote_words(struct tp_exec_result *result)
{
	char *text = tp_str_chomp(result->errors[0] ? result->errors : result->output);
	char *line = strrchr(text, '\n');

	tp_str_sanitize(text);
	if (strlen(line ? line + 1 : text) > 300)
		(line ? line + 1 : text)[300] = '\0';
	return line ? line + 1 : text;
}

int tp_remote_free(struct tp_transport *t, const char *path, struct tp_deadline deadline,
		   int64_t *ret, struct tp_err *reterr)
{
	/* Walk up to what is there already; df's fourth column is KiB available. */
	static const char script[] =
	    "p=$1\n"
	    "while [ ! -e \"$p\" ]; do p=${p%/*}; [ -n \"$p\" ] || p=/; done\n"
	    "df -Pk \"$p\" | awk 'END { print $4 }'";
	const char *args[] = {path, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	long long kib;
	int r = tp_remote_sh(t, script, args, 256, deadline, &out, reterr);

	if (r)
		return r;
	if (out.exit_code != 0 ||
	    tp_parse_i64(tp_str_chomp(out.output), 0, INT64_MAX >> 10, &kib) < 0)
		return tp_err_set(reterr, -EIO, NULL,
				  "the target's df does not say how much room there is at %s: %s",
				  path, tp_remote_words(&out));
	*ret = kib << 10;
	return 0;
}

int tp_remote_sha256(struct tp_transport *t, const char *path, struct tp_deadline deadline,
		     char ret_hex[static 65], struct tp_err *reterr)
{
	static const char script[] = "[ -f \"$1\" ] || exit 91\nsha256sum <\"$1\"";
	const char *args[] = {path, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int r = tp_remote_sh(t, script, args, 256, deadline, &out, reterr);

	if (r)
		return r;
	if (out.exit_code == EXIT_NO_FILE) {
		ret_hex[0] = '\0';
		return 0;
	}
	if (out.exit_code != 0 || strspn(out.output, "0123456789abcdef") != 64)
		return tp_err_set(reterr, -EIO, NULL, "the target cannot hash %s: %s", path,
				  tp_remote_words(&out));
	snprintf(ret_hex, 65, "%s", out.output);
	return 0;
}

int tp_remote_put_in_place(struct tp_transport *t, const char *temp, const char *path, int mode,
			   const char *sha256, struct tp_deadline deadline, struct tp_err *reterr)
{
	/* FAT knows no modes; a sync that takes no file name syncs all. */
	static const char script[] = "chmod \"$3\" \"$1\" 2>/dev/null\n"
				     "sync \"$1\" 2>/dev/null || sync\n"
				     "h=$(sha256sum <\"$1\") || exit 1\n"
				     "[ \"${h%% *}\" = \"$4\" ] || exit 90\n"
				     "mv -f \"$1\" \"$2\" || exit 1\n"
				     "d=${2%/*}\n"
				     "sync \"${d:-/}\" 2>/dev/null || sync";
	char mode_text[8];
	const char *args[] = {temp, path, mode_text, sha256, NULL};
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result out = {};
	int64_t free_bytes;
	int r;

	snprintf(mode_text, sizeof(mode_text), "%04o", (unsigned int)mode & 07777);
	r = tp_remote_sh(t, script, args, 256, deadline, &out, reterr);
	if (r || out.exit_code == 0)
		return r;
	if (out.exit_code != EXIT_HASH)
		return tp_err_set(reterr, -EIO, NULL, "the target cannot put %s in place: %s", path,
				  tp_remote_words(&out));
	if (tp_remote_free(t, path, deadline, &free_bytes, NULL) == 0 && free_bytes < 65536)
		return tp_err_set(reterr, TP_TRANSPORT_E_NO_SPACE, NULL,
				  "the target's disk is full: %s arrived in part; make room there",
				  path);
	return tp_err_set(reterr, -EBADMSG, NULL,
			  "%s arrived damaged on the target (its SHA-256 differs); its disk or its "
			  "memory may be failing",
			  path);
}

int tp_remote_write(struct tp_transport *t, const char *path, const char *text, int mode,
		    struct tp_deadline deadline, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = memfd_create("triptych", MFD_CLOEXEC);
	_cleanup_(tp_freep) char *local = tp_strf("/proc/self/fd/%d", fd);

	if (fd < 0 || tp_fd_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot keep %zu bytes in memory",
				  strlen(text));
	if (!local)
		return tp_err_oom(reterr);
	return t->ops->upload(t, local, path, mode, deadline, reterr);
}
