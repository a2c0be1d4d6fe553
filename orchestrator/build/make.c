/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running make; see make.h. */
#include "build/make.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/child.h"
#include "util/fd.h"
#include "util/str.h"

#define MAX_ENV	   64
#define FULL_BYTES (8ll << 20) /* less room than this after a failure: the disk was full */
#define TELL_MS	   250

extern char **environ;

/* A NULL-ended list of strings of its own. */
struct words {
	char *list[MAX_ENV + 1];
	int n;
	bool broken;
};

static void words_deinit(struct words *w)
{
	for (int i = 0; i < w->n; i++)
		free(w->list[i]);
}

static void words_add(struct words *w, char *text)
{
	if (text && w->n < MAX_ENV)
		w->list[w->n++] = text;
	else {
		free(text);
		w->broken = true;
	}
}

/* Only what is listed in docs/kernels.md: a stray CFLAGS of the caller must not reach a kernel. */
static void make_env(const struct tp_build *b, struct words *env)
{
	const char *home = getenv("HOME");

	words_add(env, tp_strf("PATH=%s", b->toolchain->search_path));
	words_add(env, tp_strf("HOME=%s", home && home[0] ? home : b->paths.work));
	/* A source tree inside somebody's repository must not find that repository. */
	words_add(env, tp_strf("GIT_CEILING_DIRECTORIES=%s", b->paths.work));
	for (const char *const *c = tp_build_constants; *c; c++)
		words_add(env, strdup(*c));
	for (char **e = environ; *e; e++) {
		if (tp_str_starts(*e, "CCACHE_"))
			words_add(env, strdup(*e));
	}
	/* The compiler cache then serves any work folder; what comes out names none of them. */
	if (!getenv("CCACHE_BASEDIR"))
		words_add(env, tp_strf("CCACHE_BASEDIR=%s", b->paths.work));
}

static void make_argv(const struct tp_build *b, const char *const *targets, struct words *argv)
{
	const struct tp_tool *gcc = tp_toolchain_find(b->toolchain, "gcc");
	const struct tp_tool *ccache = tp_toolchain_find(b->toolchain, "ccache");
	const char *wrap = ccache ? "ccache " : "";
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	words_add(argv, strdup("make"));
	words_add(argv, tp_strf("-j%ld", b->request->jobs > 0 ? b->request->jobs : cpus));
	words_add(argv, strdup("-C"));
	words_add(argv, strdup(b->paths.source));
	words_add(argv, tp_strf("O=%s", b->paths.object));
	words_add(argv, strdup("V=0"));
	words_add(argv, tp_strf("CC=%s%s", wrap, gcc->path));
	words_add(argv, tp_strf("HOSTCC=%s%s", wrap, gcc->path));
	words_add(argv, tp_strf("LOCALVERSION=%s", b->plan->local_version));
	for (; *targets; targets++)
		words_add(argv, strdup(*targets));
}

void tp_build_tell(struct tp_build *b, const char *what, bool now)
{
	int64_t t = tp_clock_mono_ms();
	int done = b->scan.compiled;

	if (!b->progress || (!now && t - b->progress_ms < TELL_MS))
		return;
	b->progress_ms = t;
	/* A guess that turned out too low is no longer worth showing. */
	b->progress(done, done > b->expected ? 0 : b->expected, what, b->progress_data);
}

static void on_line(const char *line, void *data)
{
	struct tp_build *b = data;

	if (tp_scan_line(&b->scan, line))
		tp_build_tell(b, b->scan.what, false);
}

static int explain_fault(const struct tp_build *b, enum tp_build_fault fault, struct tp_err *reterr)
{
	switch (fault) {
	case TP_FAULT_NO_SPACE:
		return tp_err_set(reterr, -ENOSPC, NULL,
				  "the disk became full while building in %s: %s; free some room",
				  b->paths.work, b->scan.fault_line);
	case TP_FAULT_NO_MEMORY:
		return tp_err_set(reterr, -ENOMEM, NULL,
				  "the build ran out of memory (%s); use fewer jobs",
				  b->scan.fault_line);
	case TP_FAULT_KILLED:
		return tp_err_set(reterr, -EIO, NULL,
				  "a program of the build was killed (%s), most likely for want of "
				  "memory; look into the kernel log or use fewer jobs",
				  b->scan.fault_line);
	case TP_FAULT_MISSING_TOOL:
		return tp_err_set(
		    reterr, -ENOENT, NULL,
		    "the build needs %s, which is not installed; install the package %s",
		    b->scan.missing, b->scan.missing_pkg);
	case TP_FAULT_SOURCE:
	case _TP_BUILD_FAULT_MAX:
		break;
	}
	return TP_MAKE_E_SOURCE;
}

static int judge(struct tp_build *b, const struct tp_child_result *result, struct tp_err *reterr)
{
	int64_t room;

	if (result->timed_out)
		return tp_err_set(reterr, -ETIMEDOUT, NULL,
				  "the build did not finish within its time limit and was stopped "
				  "(%d objects compiled); allow more time or more jobs",
				  b->scan.compiled);
	if (result->exit_code == 0)
		return 0;
	if (result->exit_code > 128)
		return tp_err_set(reterr, -EIO, NULL, "make was killed by signal %d",
				  result->exit_code - 128);
	if (result->exit_code == 127 || result->exit_code == 126)
		return tp_err_set(reterr, -EIO, NULL, "make could not be started (exit code %d)",
				  result->exit_code);
	room = tp_disk_free(b->paths.work);
	if (b->scan.fault == TP_FAULT_SOURCE && room >= 0 && room < FULL_BYTES) {
		memcpy(b->scan.fault_line, b->scan.last, sizeof(b->scan.last));
		return explain_fault(b, TP_FAULT_NO_SPACE, reterr);
	}
	return explain_fault(b, b->scan.fault, reterr);
}

int tp_make_run(struct tp_build *b, const char *const *targets, struct tp_err *reterr)
{
	_cleanup_(words_deinit) struct words env = {}, argv = {};
	_cleanup_(tp_child_result_deinit) struct tp_child_result result = {};
	struct tp_child child = {.argv = (const char *const *)argv.list,
				 .env = (const char *const *)env.list,
				 .cwd = b->paths.work,
				 .merge_stderr = true,
				 .log_fd = b->log_fd,
				 .on_line = on_line,
				 .on_line_data = b,
				 .max_output = 1,
				 .keep_fd = b->lock_fd,
				 .deadline = b->deadline};
	int r;

	make_env(b, &env);
	make_argv(b, targets, &argv);
	if (env.broken || argv.broken)
		return tp_err_set(reterr, -ENOMEM, NULL,
				  "cannot set up make: no memory, or more than "
				  "%d variables",
				  MAX_ENV);
	r = tp_child_run(&child, &result, reterr);
	return r < 0 ? r : judge(b, &result, reterr);
}
