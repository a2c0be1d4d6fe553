/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The git program in a closed environment; see git_program.h. */
#include "vcs/git_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define MAX_ARGS 24

/*
 * Fixed for every call: nothing of a person's configuration may change a checked-out byte, and
 * nothing may run beside git. Two workers write a first checkout in half the time.
 */
static const char *const fixed_args[] = {
    "git",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.autocrlf=false",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "advice.detachedHead=false",
    "-c",
    "checkout.workers=2",
    "-c",
    "protocol.allow=never",
};

enum { N_FIXED_ENV = 13 };

struct env {
	const char *vars[N_FIXED_ENV + 8];
	char *owned[8];
	int n, n_owned;
};

static void env_deinit(struct env *env)
{
	for (int i = 0; i < env->n_owned; i++)
		free(env->owned[i]);
}

/* Takes @text; NULL (no memory) is remembered by the caller's count. */
static void env_own(struct env *env, char *text)
{
	if (!text)
		return;
	env->owned[env->n_owned++] = text;
	env->vars[env->n++] = text;
}

static char *alternate_variable(const char *objects)
{
	_cleanup_(tp_str_deinit) struct tp_str s = {};

	tp_str_append(&s, "GIT_ALTERNATE_OBJECT_DIRECTORIES=\"");
	for (const char *p = objects; *p; p++) {
		if (*p == '"' || *p == '\\')
			tp_str_append(&s, "\\");
		tp_str_append_n(&s, p, 1);
	}
	tp_str_append(&s, "\"");
	return tp_str_take(&s);
}

static int make_env(const struct tp_git *git, struct env *env)
{
	static const char *const fixed[] = {
	    "LC_ALL=C",
	    "TZ=UTC",
	    "HOME=/nonexistent",
	    "GIT_CONFIG_NOSYSTEM=1",
	    "GIT_CONFIG_GLOBAL=/dev/null",
	    "GIT_ATTR_NOSYSTEM=1",
	    "GIT_TERMINAL_PROMPT=0",
	    "GIT_NO_REPLACE_OBJECTS=1",
	    "GIT_NO_LAZY_FETCH=1",
	    "GIT_OPTIONAL_LOCKS=0",
	    "GIT_PAGER=cat",
	    "GIT_EDITOR=false",
	    "GIT_ALLOW_PROTOCOL=",
	};
	static_assert(TP_ARRAY_SIZE(fixed) == N_FIXED_ENV, "room for the fixed variables");
	const char *path = getenv("PATH");
	int wanted;

	for (size_t i = 0; i < TP_ARRAY_SIZE(fixed); i++)
		env->vars[env->n++] = fixed[i];
	env_own(env, tp_strf("PATH=%s", path && path[0] ? path : "/usr/bin:/bin"));
	env_own(env, tp_strf("GIT_DIR=%s", git->git_dir));
	env_own(env, alternate_variable(git->objects));
	wanted = 3;
	if (git->work_tree) {
		env_own(env, tp_strf("GIT_WORK_TREE=%s", git->work_tree));
		wanted++;
	}
	if (git->scratch) {
		env_own(env, tp_strf("GIT_INDEX_FILE=%s/index", git->scratch));
		env_own(env, tp_strf("GIT_OBJECT_DIRECTORY=%s/objects", git->scratch));
		wanted += 2;
	}
	env->vars[env->n] = NULL;
	return env->n_owned == wanted ? 0 : -ENOMEM;
}

int tp_git_run(const struct tp_git *git, const char *const *args, struct tp_child_result *ret,
	       struct tp_err *reterr)
{
	_cleanup_(env_deinit) struct env env = {};
	const char *argv[TP_ARRAY_SIZE(fixed_args) + MAX_ARGS + 1];
	struct tp_child child = {.argv = argv,
				 .env = env.vars,
				 .cwd = git->work_tree,
				 .log_fd = -1,
				 .keep_fd = git->lock_fd,
				 .deadline = git->deadline};
	size_t n = 0;
	int r;

	for (size_t i = 0; i < TP_ARRAY_SIZE(fixed_args); i++)
		argv[n++] = fixed_args[i];
	for (; *args; args++) {
		if (n >= TP_ARRAY_SIZE(argv) - 1)
			return tp_err_set(reterr, -E2BIG, NULL, "too many arguments for git");
		argv[n++] = *args;
	}
	argv[n] = NULL;
	if (make_env(git, &env) < 0)
		return tp_err_oom(reterr);
	r = tp_child_run(&child, ret, reterr);
	if (r < 0)
		return r;
	if (ret->timed_out)
		r = tp_err_set(reterr, -ETIMEDOUT, NULL,
			       "git did not finish before its deadline and was killed");
	else if (ret->exit_code == 127)
		r = tp_err_set(reterr, -ENOENT, NULL,
			       "the program git is not installed; install the package git");
	if (r < 0)
		tp_child_result_deinit(ret);
	return r;
}

const char *tp_git_complaint(struct tp_child_result *result)
{
	static const char *const words[] = {"fatal: ", "error: "};

	tp_str_sanitize(tp_str_chomp(result->errors));
	for (size_t i = 0; i < TP_ARRAY_SIZE(words); i++) {
		char *at = strstr(result->errors, words[i]);

		if (!at)
			continue;
		at[strcspn(at, "\n")] = '\0';
		return at + strlen(words[i]);
	}
	return result->errors[0] ? result->errors : "no reason given";
}

int tp_git_check(const struct tp_git *git, const char *const *args, struct tp_err *reterr)
{
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	int r = tp_git_run(git, args, &result, reterr);

	if (r < 0)
		return r;
	if (result.exit_code == 0)
		return 0;
	if (strstr(result.errors, "No space left on device"))
		return tp_err_set(reterr, -ENOSPC, NULL,
				  "git %s found no space left on the disk of %s; free some room",
				  args[0], git->git_dir);
	return tp_err_set(reterr, -EIO, NULL, "git %s ended with %d: %s", args[0], result.exit_code,
			  tp_git_complaint(&result));
}
