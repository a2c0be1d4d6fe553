/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refusing repositories that cannot be read whole; see repo_config.h. */
#include "vcs/repo_config.h"

#include <errno.h>
#include <git2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/fd.h"
#include "util/str.h"

/*
 * Keys as libgit2 hands them out: lower case. @harmless is the value with which the extension
 * changes nothing; "*" for those that never matter to a reader.
 */
static const struct extension {
	const char *name, *harmless, *meaning;
} extensions[] = {
    {"noop", "*", ""},
    {"preciousobjects", "*", ""},
    {"objectformat", "sha1", "its objects are named by another hash than SHA-1"},
    {"refstorage", "files", "its references are kept in a format of their own (reftable)"},
    {"compatobjectformat", "sha1", "its objects have two names"},
    {"partialclone", "", "it is a partial clone: objects are missing and would be fetched"},
    {"worktreeconfig", "false", "its worktrees have configurations of their own"},
    {"relativeworktrees", "false", "its worktrees are linked by relative paths"},
};

const char *const tp_repo_known_extensions[] = {
    "noop",	    "preciousobjects", "objectformat",	    "refstorage", "compatobjectformat",
    "partialclone", "worktreeconfig",  "relativeworktrees",
};
const size_t tp_repo_n_known_extensions = TP_ARRAY_SIZE(tp_repo_known_extensions);
static_assert(TP_ARRAY_SIZE(tp_repo_known_extensions) == TP_ARRAY_SIZE(extensions),
	      "one name for each extension");

static int refuse(struct tp_err *reterr, const char *path, const char *key, const char *why)
{
	return tp_err_set(reterr, -EOPNOTSUPP, path,
			  "the repository %s has %s set: %s; make a plain bare mirror of it with "
			  "`git clone --mirror` (without --filter) and use that",
			  path, key, why);
}

static bool is_harmless(const struct extension *e, const char *value)
{
	if (!strcmp(e->harmless, "*") || !strcasecmp(value, e->harmless))
		return true;
	return !strcmp(e->harmless, "false") &&
	       (!strcmp(value, "0") || !strcasecmp(value, "no") || !strcasecmp(value, "off"));
}

static int check_extension(const char *key, const char *value, const char *path, bool v1,
			   struct tp_err *reterr)
{
	const char *name = key + strlen("extensions.");

	for (size_t i = 0; i < TP_ARRAY_SIZE(extensions); i++) {
		if (strcmp(name, extensions[i].name))
			continue;
		if (is_harmless(&extensions[i], value))
			return 0;
		return refuse(reterr, path, key, extensions[i].meaning);
	}
	/* git itself looks at unknown extensions only from format version 1 on. */
	return v1 ? refuse(reterr, path, key, "this program does not know that extension") : 0;
}

static int check_entry(const git_config_entry *entry, const char *path, bool v1,
		       struct tp_err *reterr)
{
	/* A key without "=" has no value and means true. */
	const char *value = entry->value ? entry->value : "true";

	if (tp_str_starts(entry->name, "extensions."))
		return check_extension(entry->name, value, path, v1, reterr);
	if (tp_str_starts(entry->name, "remote.") && tp_str_ends(entry->name, ".promisor") &&
	    strcasecmp(value, "false") && strcmp(value, "0"))
		return refuse(reterr, path, entry->name,
			      "it is a partial clone: objects are missing and would be fetched");
	return 0;
}

static int check_all(git_config *config, const char *path, struct tp_err *reterr)
{
	git_config_iterator *it = NULL;
	git_config_entry *entry;
	int32_t version = 0;
	int r = 0;

	if (git_config_get_int32(&version, config, "core.repositoryformatversion") < 0)
		version = 0;
	if (git_config_iterator_new(&it, config) < 0)
		return tp_err_oom(reterr);
	while (r == 0 && git_config_next(&entry, it) == 0)
		r = check_entry(entry, path, version >= 1, reterr);
	git_config_iterator_free(it);
	return r;
}

int tp_repo_config_check(const char *common_dir, const char *path, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *file = tp_strf("%s/config", common_dir);
	git_config *config = NULL;
	const git_error *e;
	int r;

	if (!file)
		return tp_err_oom(reterr);
	if (!tp_path_exists(file))
		return 0;
	if (git_config_open_ondisk(&config, file) < 0) {
		e = git_error_last();
		return tp_err_set(reterr, -EINVAL, path, "cannot read %s: %s", file,
				  e ? e->message : "not a git configuration");
	}
	r = check_all(config, path, reterr);
	git_config_free(config);
	return r;
}
