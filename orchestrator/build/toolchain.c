/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The toolchain and its hashes; see toolchain.h. */
#include "build/toolchain.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/child.h"
#include "util/str.h"

#define ASK_MS 20000

/* @package NULL: the build does without. */
static const struct wanted {
	const char *name, *package;
	bool in_key;
} wanted[] = {
    {"gcc", "gcc", true},	   {"as", "binutils", true}, {"ld", "binutils", true},
    {"objcopy", "binutils", true}, {"make", "make", true},   {"pahole", NULL, true},
    {"ccache", NULL, false},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tp_toolchain *known[4]; /* one per PATH seen; a process sees one or two */

static void toolchain_free(struct tp_toolchain *tc)
{
	for (int i = 0; i < tc->n; i++) {
		free(tc->tools[i].path);
		free(tc->tools[i].version);
	}
	free(tc->search_path);
	free(tc);
}

/* /usr/lib/ccache/gcc is a link to ccache: its hash would say nothing about the compiler. */
static bool is_wrapper(const char *real, const char *name)
{
	static const char *const wrappers[] = {"ccache", "distcc", "icecc", "sccache"};
	const char *base = strrchr(real, '/');

	base = base ? base + 1 : real;
	for (size_t i = 0; i < TP_ARRAY_SIZE(wrappers); i++) {
		if (!strcmp(base, wrappers[i]) && strcmp(name, wrappers[i]))
			return true;
	}
	return false;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* First program @name in @search_path that is no wrapper. NULL when there is none. */
static char *find_program(const char *search_path, const char *name)
{
	for (const char *p = search_path; *p;) {
		size_t len = strcspn(p, ":");
		_cleanup_(tp_freep) char *path = tp_strf("%.*s/%s", (int)len, p, name);
		char real[PATH_MAX];

		if (len > 0 && path && is_program(path) && realpath(path, real) &&
		    !is_wrapper(real, name))
			return TP_TAKE(path);
		p += len + (p[len] == ':');
	}
	return NULL;
}

/* First line that @path prints for @option; NULL with @reterr. */
static int ask(const char *path, const char *option, char **ret, struct tp_err *reterr)
{
	const char *const argv[] = {path, option, NULL};
	_cleanup_(tp_freep) char *search = tp_strf("PATH=%s", getenv("PATH") ?: "/usr/bin:/bin");
	const char *const env[] = {search, "LC_ALL=C", NULL};
	struct tp_child child = {
	    .argv = argv, .env = env, .log_fd = -1, .deadline = tp_deadline_in(ASK_MS)};
	char *text = NULL;
	int r;

	if (!search)
		return tp_err_oom(reterr);
	r = tp_child_check(&child, &text, reterr);
	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = '\0';
	tp_str_sanitize(text);
	*ret = text;
	return 0;
}

static int add_tool(struct tp_toolchain *tc, const char *name, char *path, char *version,
		    bool in_key, struct tp_err *reterr)
{
	struct tp_tool *tool = &tc->tools[tc->n++];

	static_assert(TP_ARRAY_SIZE(wanted) + 1 <= TP_TOOLS_MAX, "room for every tool and cc1");
	*tool = (struct tp_tool){.name = name, .path = path, .version = version, .in_key = in_key};
	return tp_sha256_path(path, tool->sha256, reterr);
}

/* The gcc program only drives; what compiles is cc1, a file that can change alone. */
static int add_cc1(struct tp_toolchain *tc, const struct tp_tool *gcc, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = NULL;
	char *version;
	int r = ask(gcc->path, "-print-prog-name=cc1", &path, reterr);

	if (r < 0)
		return r;
	if (path[0] != '/' || !is_program(path))
		return 0;
	version = strdup(gcc->version);
	if (!version)
		return tp_err_oom(reterr);
	return add_tool(tc, "cc1", TP_TAKE(path), version, true, reterr);
}

static int add_wanted(struct tp_toolchain *tc, const struct wanted *w, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = find_program(tc->search_path, w->name);
	_cleanup_(tp_freep) char *version = NULL;
	int r;

	if (!path && !w->package)
		return 0;
	if (!path)
		return tp_err_set(reterr, -ENOENT, NULL,
				  "building a kernel needs the program %s; install the package %s",
				  w->name, w->package);
	r = ask(path, "--version", &version, reterr);
	if (r < 0)
		return tp_err_prefix(reterr, "cannot ask %s for its version", path);
	r = add_tool(tc, w->name, TP_TAKE(path), TP_TAKE(version), w->in_key, reterr);
	if (r == 0 && !strcmp(w->name, "gcc"))
		r = add_cc1(tc, &tc->tools[tc->n - 1], reterr);
	return r;
}

static int discover(const char *search_path, struct tp_toolchain **ret, struct tp_err *reterr)
{
	struct tp_toolchain *tc = calloc(1, sizeof(*tc));
	int r = 0;

	if (!tc)
		return tp_err_oom(reterr);
	tc->search_path = strdup(search_path);
	if (!tc->search_path)
		r = tp_err_oom(reterr);
	for (size_t i = 0; r == 0 && i < TP_ARRAY_SIZE(wanted); i++)
		r = add_wanted(tc, &wanted[i], reterr);
	if (r < 0) {
		toolchain_free(tc);
		return r;
	}
	*ret = tc;
	return 0;
}

int tp_toolchain_get(const struct tp_toolchain **ret, struct tp_err *reterr)
{
	const char *search_path = getenv("PATH") ?: "/usr/bin:/bin";
	size_t slot = 0;
	int r = 0;

	pthread_mutex_lock(&lock);
	while (slot < TP_ARRAY_SIZE(known) && known[slot] &&
	       strcmp(known[slot]->search_path, search_path))
		slot++;
	if (slot == TP_ARRAY_SIZE(known))
		r = tp_err_set(reterr, -EBUSY, NULL, "PATH changes too often in this process");
	else if (!known[slot])
		r = discover(search_path, &known[slot], reterr);
	if (r == 0)
		*ret = known[slot];
	pthread_mutex_unlock(&lock);
	return r;
}

const struct tp_tool *tp_toolchain_find(const struct tp_toolchain *tc, const char *name)
{
	for (int i = 0; i < tc->n; i++) {
		if (!strcmp(tc->tools[i].name, name))
			return &tc->tools[i];
	}
	return NULL;
}

char *tp_toolchain_json(const struct tp_toolchain *tc)
{
	json_t *list = json_array();
	char *text;

	for (int i = 0; list && i < tc->n; i++) {
		const struct tp_tool *t = &tc->tools[i];

		json_array_append_new(list, json_pack("{ss, ss, ss, ss}", "tool", t->name, "path",
						      t->path, "version", t->version, "sha256",
						      t->sha256));
	}
	text = list ? json_dumps(list, JSON_COMPACT) : NULL;
	json_decref(list);
	return text;
}
