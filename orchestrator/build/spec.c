/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "REV+PATCH+PATCH" taken apart; see build.h. */
#include "build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/str.h"

#define MAX_PATCHES 1000

static bool is_file(const char *text, size_t len)
{
	_cleanup_(tp_freep) char *path = strndup(text, len);
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/*
 * Length of the first patch's name in @text: the longest piece ending before a '+' or at the
 * end that is a file; without any, up to the first '+', so that the error names what is missing.
 */
static size_t patch_length(const char *text)
{
	size_t len = strlen(text);

	for (size_t end = len; end > 0; end--) {
		if ((end == len || text[end] == '+') && is_file(text, end))
			return end;
	}
	return strcspn(text, "+");
}

static void free_list(char **list)
{
	for (char **p = list; p && *p; p++)
		free(*p);
	free(list);
}

static int take_patches(const char *text, char **list, int *ret_n, struct tp_err *reterr)
{
	int n = 0;

	while (*text == '+') {
		size_t len;

		text++;
		len = patch_length(text);
		if (len == 0)
			return tp_err_set(
			    reterr, -EINVAL, NULL,
			    "a kernel is written REV[+PATCH...]; a '+' without a patch "
			    "after it means nothing");
		if (n == MAX_PATCHES)
			return tp_err_set(reterr, -E2BIG, NULL, "more than %d patches",
					  MAX_PATCHES);
		list[n] = strndup(text, len);
		if (!list[n++])
			return tp_err_oom(reterr);
		text += len;
	}
	*ret_n = n;
	return 0;
}

int tp_kernel_spec_parse(const char *spec, char **ret_rev, char ***ret_patches, int *ret_n,
			 struct tp_err *reterr)
{
	size_t rev_len = strcspn(spec, "+");
	char **list = calloc(MAX_PATCHES + 1, sizeof(*list));
	char *rev = strndup(spec, rev_len);
	int n = 0;
	int r;

	if (!list || !rev)
		r = tp_err_oom(reterr);
	else if (rev_len == 0)
		r = tp_err_set(reterr, -EINVAL, NULL,
			       "a kernel is written REV[+PATCH...]; \"%s\" has no revision", spec);
	else
		r = take_patches(spec + rev_len, list, &n, reterr);
	if (r < 0) {
		free_list(list);
		free(rev);
		return r;
	}
	*ret_rev = rev;
	*ret_patches = list;
	*ret_n = n;
	return 0;
}
