/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From seed and fragments to .config; see configure.h. */
#include "build/configure.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build/make.h"
#include "util/fd.h"
#include "util/str.h"

#define CONFIG_MAX_BYTES (4u << 20)

/* The one fragment whose every line is a promise; see docs/kernels.md. */
#define PINNING "normalise.config"

/* The release string comes from the builder alone, as a variable of make. */
static const char own_lines[] = "CONFIG_LOCALVERSION=\"\"\n# CONFIG_LOCALVERSION_AUTO is not set\n";

/* The .config that was there: its text and time, or nothing. */
struct previous {
	char *text;
	struct timespec times[2];
};

static int append_file(struct tp_str *out, const char *path, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = NULL;
	int r = tp_file_read(path, CONFIG_MAX_BYTES, &text, NULL, reterr);

	if (r < 0)
		return r;
	tp_str_append(out, text);
	tp_str_append(out, "\n");
	return 0;
}

static int append_fragments(struct tp_str *out, const struct tp_build *b, struct tp_err *reterr)
{
	const char *const *f = b->request->fragments;
	int r = 0;

	for (; r == 0 && f && *f; f++)
		r = append_file(out, *f, reterr);
	return r;
}

static int write_pristine(const struct tp_build *b, const char *path, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str text = {};
	int r = append_file(&text, b->request->seed, reterr);

	if (r == 0)
		r = append_fragments(&text, b, reterr);
	if (r < 0)
		return r;
	tp_str_append(&text, own_lines);
	if (text.broken)
		return tp_err_oom(reterr);
	return tp_file_write(path, tp_str_text(&text), text.len, 0644, reterr);
}

static void remember_previous(const char *path, struct previous *p)
{
	struct stat st;

	if (stat(path, &st) < 0 || tp_file_read(path, CONFIG_MAX_BYTES, &p->text, NULL, NULL) < 0)
		return;
	p->times[0] = st.st_atim;
	p->times[1] = st.st_mtim;
}

/* An equal .config with a new time stamp would make Kbuild look at every file again. */
static void restore_time(const char *path, const struct previous *p)
{
	_cleanup_(tp_freep) char *now = NULL;

	if (!p->text || tp_file_read(path, CONFIG_MAX_BYTES, &now, NULL, NULL) < 0)
		return;
	if (!strcmp(now, p->text) && utimensat(AT_FDCWD, path, p->times, 0) < 0)
		errno = 0;
}

static bool is_taken(const struct tp_kconfig_item *wanted, const struct tp_kconfig_item *got)
{
	if (!wanted->value || !strcmp(wanted->value, "\"\""))
		return !got || !got->value || (wanted->value && !strcmp(got->value, wanted->value));
	return got && got->value && !strcmp(got->value, wanted->value);
}

static int list_not_taken(struct tp_build *b, const struct tp_kconfig *wanted,
			  const struct tp_kconfig *got, struct tp_err *reterr)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < wanted->n; i++) {
		const struct tp_kconfig_item *w = &wanted->items[i];
		const struct tp_kconfig_item *g = tp_kconfig_find(got, w->name);

		if (!is_taken(w, g))
			json_array_append_new(list, json_pack("{ss, ss, ss}", "symbol", w->name,
							      "wanted", tp_kconfig_value(w), "got",
							      tp_kconfig_value(g)));
	}
	free(b->facts.not_taken_json);
	b->facts.not_taken_json = list ? json_dumps(list, JSON_COMPACT) : NULL;
	json_decref(list);
	return b->facts.not_taken_json ? 0 : tp_err_oom(reterr);
}

/*
 * A symbol that this source does not know cannot do harm, whatever was wanted of it. One that
 * stands there with another value breaks the promise, unless a later fragment asked for that.
 */
static int check_pinned(const struct tp_kconfig *pinned, const struct tp_kconfig *wanted,
			const struct tp_kconfig *got, struct tp_err *reterr)
{
	for (size_t i = 0; i < pinned->n; i++) {
		const struct tp_kconfig_item *p = &pinned->items[i];
		const struct tp_kconfig_item *w = tp_kconfig_find(wanted, p->name);
		const struct tp_kconfig_item *g = tp_kconfig_find(got, p->name);
		bool overruled = w && strcmp(tp_kconfig_value(w), tp_kconfig_value(p));

		if (g && !overruled && !is_taken(p, g))
			return tp_err_set(
			    reterr, -EINVAL, NULL,
			    "%s wants %s: %s, but this source's configuration has %s; "
			    "another option of the seed or of a fragment decides it: "
			    "change that one",
			    PINNING, p->name, tp_kconfig_value(p), tp_kconfig_value(g));
	}
	return 0;
}

static int check_fragments(struct tp_build *b, const struct tp_kconfig *got, struct tp_err *reterr)
{
	_cleanup_(tp_kconfig_deinit) struct tp_kconfig wanted = {}, pinned = {};
	_cleanup_(tp_str_deinit) struct tp_str text = {};
	int r = append_fragments(&text, b, reterr);

	if (r == 0)
		r = tp_kconfig_parse(tp_str_text(&text), &wanted, reterr);
	if (r == 0)
		r = list_not_taken(b, &wanted, got, reterr);
	for (const char *const *f = b->request->fragments; r == 0 && f && *f; f++) {
		if (!tp_str_ends(*f, "/" PINNING) && strcmp(*f, PINNING))
			continue;
		tp_kconfig_deinit(&pinned);
		r = tp_kconfig_read(*f, &pinned, reterr);
		if (r == 0)
			r = check_pinned(&pinned, &wanted, got, reterr);
	}
	return r;
}

static int run_olddefconfig(struct tp_build *b, const char *path, struct tp_err *reterr)
{
	const struct tp_tool *gcc = tp_toolchain_find(b->toolchain, "gcc");
	/* Without ccache: a hundred probes of the compiler's options, none of which it can cache.
	 */
	_cleanup_(tp_freep) char *cc = tp_strf("CC=%s", gcc->path);
	const char *const targets[] = {cc, "olddefconfig", NULL};
	struct previous previous = {};
	int r;

	if (!cc)
		return tp_err_oom(reterr);

	remember_previous(path, &previous);
	r = write_pristine(b, path, reterr);
	if (r == 0)
		r = tp_make_run(b, targets, reterr);
	if (r == 0)
		restore_time(path, &previous);
	free(previous.text);
	return r;
}

int tp_configure(struct tp_build *b, struct tp_kconfig *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/.config", b->paths.object);
	struct tp_kconfig config = {};
	const struct tp_kconfig_item *modules;
	int r = path ? run_olddefconfig(b, path, reterr) : tp_err_oom(reterr);

	if (r != 0)
		return r;
	r = tp_kconfig_read(path, &config, reterr);
	if (r == 0)
		r = check_fragments(b, &config, reterr);
	if (r == 0)
		r = tp_kconfig_sha256(&config, b->facts.config_before, reterr);
	if (r < 0) {
		tp_kconfig_deinit(&config);
		return r;
	}
	modules = tp_kconfig_find(&config, "CONFIG_MODULES");
	b->facts.has_modules = modules && modules->value;
	*ret = config;
	return 0;
}

int tp_configure_verify(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/.config", b->paths.object);
	_cleanup_(tp_kconfig_deinit) struct tp_kconfig config = {};
	int r = path ? tp_kconfig_read(path, &config, reterr) : tp_err_oom(reterr);

	if (r == 0)
		r = tp_kconfig_sha256(&config, b->facts.config_after, reterr);
	if (r == 0 && strcmp(b->facts.config_before, b->facts.config_after))
		r = tp_err_set(reterr, -EINVAL, NULL,
			       "the build of %.12s changed its own configuration, so it is not the "
			       "kernel that was asked for; look for what writes .config",
			       b->plan->commit.id);
	return r;
}
