/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applying one patch file; see patch.h. */
#include "vcs/patch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"
#include "vcs/worktree.h"

#define PATCH_MAX_BYTES (64u << 20)

/* "+++ b/fs/inode.c" or "--- a/fs/inode.c": is it about @file? Names end at a tab or line end. */
static bool names_file(const char *line, size_t len, const char *file)
{
	const char *slash = memchr(line, '/', len);
	size_t n = strlen(file);

	if (!slash)
		return false;
	slash++;
	len -= (size_t)(slash - line);
	if (len > 0 && slash[len - 1] == '\r')
		len--;
	return len >= n && !memcmp(slash, file, n) && (len == n || slash[n] == '\t');
}

int tp_patch_find_hunk(const char *text, const char *file, long line)
{
	bool ours = false;
	int hunk = 0;

	for (const char *p = text; *p;) {
		size_t len = strcspn(p, "\n");

		if (tp_str_starts(p, "diff --git ")) {
			ours = false;
		} else if (tp_str_starts(p, "--- ") || tp_str_starts(p, "+++ ")) {
			if (names_file(p, len, file) && !ours) {
				ours = true;
				hunk = 0;
			}
		} else if (ours && tp_str_starts(p, "@@ -")) {
			hunk++;
			if (strtol(p + 4, NULL, 10) == line)
				return hunk;
		}
		p += len + (p[len] == '\n');
	}
	return 0;
}

/* "patch failed: fs/inode.c:123" -> the file and the line; false when it is something else. */
static bool parse_failed_hunk(const char *complaint, char **ret_file, long *ret_line)
{
	static const char prefix[] = "patch failed: ";
	const char *file, *colon;

	if (!tp_str_starts(complaint, prefix))
		return false;
	file = complaint + strlen(prefix);
	colon = strrchr(file, ':');
	if (!colon)
		return false;
	*ret_line = strtol(colon + 1, NULL, 10);
	*ret_file = strndup(file, (size_t)(colon - file));
	return *ret_file != NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_mail_encoded(const char *text)
{
	const char *at = strcasestr(text, "\ncontent-transfer-encoding:");
	const char *value;

	if (!at)
		return false;
	value = strchr(at, ':') + 1;
	value += strspn(value, " \t");
	return !strncasecmp(value, "quoted-printable", 16) || !strncasecmp(value, "base64", 6);
}

static int explain(const char *patch, const char *complaint, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = NULL, *file = NULL;
	const char *name = base_name(patch);
	long line = 0;

	if (tp_file_read(patch, PATCH_MAX_BYTES, &text, NULL, NULL) < 0)
		text = NULL;
	if (parse_failed_hunk(complaint, &file, &line)) {
		int hunk = text ? tp_patch_find_hunk(text, file, line) : 0;

		tp_err_set(
		    reterr, TP_WORKTREE_E_PATCH, name,
		    "the patch %s does not apply: hunk %d of %s (its line %ld) does not match; "
		    "rebase it on this commit",
		    name, hunk, file, line);
	} else if (text && is_mail_encoded(text)) {
		tp_err_set(reterr, TP_WORKTREE_E_PATCH, name,
			   "the patch %s does not apply: %s; it is an encoded mail, decode it with "
			   "`git mailinfo` or fetch it with `b4 am`",
			   name, complaint);
	} else {
		tp_err_set(reterr, TP_WORKTREE_E_PATCH, name, "the patch %s does not apply: %s",
			   name, complaint);
	}
	return TP_WORKTREE_E_PATCH;
}

int tp_patch_apply(const struct tp_git *git, const char *patch, bool to_index,
		   struct tp_err *reterr)
{
	const char *const args[] = {"apply", "--whitespace=nowarn", "--", patch, NULL};
	const char *const index_args[] = {"apply", "--whitespace=nowarn", "--cached", "--", patch,
					  NULL};
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	int r;

	if (access(patch, R_OK) < 0)
		return tp_err_set(reterr, -errno, base_name(patch), "cannot read the patch %s: %s",
				  patch, strerror(errno));
	r = tp_git_run(git, to_index ? index_args : args, &result, reterr);
	if (r < 0)
		return r;
	if (result.exit_code == 0)
		return 0;
	if (result.exit_code > 128)
		return tp_err_set(reterr, -EIO, base_name(patch),
				  "git apply was killed by signal %d", result.exit_code - 128);
	if (strstr(result.errors, "No space left on device"))
		return tp_err_set(reterr, -ENOSPC, base_name(patch),
				  "git apply found no space left on the disk of %s; free some room",
				  git->git_dir);
	return explain(patch, tp_git_complaint(&result), reterr);
}
