/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kept object tree; see objtree.h. */
#include "build/objtree.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define MAX_COUNT 1000000

static char *in_work(const struct tp_build *b, const char *name)
{
	return tp_strf("%s/%s", b->paths.work, name);
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Call @fn for each file below @path that is no folder. */
static int walk(const char *path, void (*fn)(const FTSENT *entry, void *data), void *data)
{
	char *const roots[] = {(char *)path, NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	if (!fts)
		return -errno;
	while ((entry = fts_read(fts))) {
		if (entry->fts_info == FTS_F || entry->fts_info == FTS_SL)
			fn(entry, data);
	}
	fts_close(fts);
	return 0;
}

static void remove_if_new(const FTSENT *entry, void *data)
{
	const struct timespec *mark = data;

	if (!is_older(&entry->fts_statp->st_mtim, mark))
		unlink(entry->fts_path);
}

/* After a killed build. A clock that went backwards makes time stamps worthless. */
static int sweep(struct tp_build *b, const struct timespec *mark, struct tp_err *reterr)
{
	struct timespec now, limit = *mark;
	int r;

	clock_gettime(CLOCK_REALTIME, &now);
	if (is_older(&now, mark))
		return tp_dir_remove(b->paths.object, reterr);
	r = walk(b->paths.object, remove_if_new, &limit);
	if (r < 0)
		return tp_err_set(reterr, r, NULL, "cannot look through %s: %s", b->paths.object,
				  strerror(-r));
	return 0;
}

int tp_objtree_mend(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *mark = in_work(b, "building");
	_cleanup_(tp_freep) char *aside = in_work(b, "obj.aside");
	struct stat st;
	int r = 0;

	if (!mark || !aside)
		return tp_err_oom(reterr);
	/* A confirmation from an empty tree was killed: the tree that was put aside is whole. */
	if (tp_path_exists(aside))
		r = tp_objtree_bring_back(b, reterr);
	else if (stat(mark, &st) == 0 && tp_path_exists(b->paths.object))
		r = sweep(b, &st.st_mtim, reterr);
	if (r == 0)
		unlink(mark);
	return r;
}

int tp_objtree_begin(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *mark = in_work(b, "building");
	int r;

	if (!mark)
		return tp_err_oom(reterr);
	b->facts.incremental = tp_path_exists(b->paths.object);
	r = tp_dir_make(b->paths.object, 0755, reterr);
	/* The mark's time is the file system's own, as those of the objects will be. */
	return r < 0 ? r : tp_file_write(mark, "", 0, 0640, reterr);
}

void tp_objtree_end(struct tp_build *b)
{
	_cleanup_(tp_freep) char *mark = in_work(b, "building");

	if (mark)
		unlink(mark);
}

static int move(const char *from, const char *to, struct tp_err *reterr)
{
	if (rename(from, to) < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot rename %s to %s: %s", from, to,
				  strerror(errno));
	return 0;
}

int tp_objtree_set_aside(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *aside = in_work(b, "obj.aside");

	return aside ? move(b->paths.object, aside, reterr) : tp_err_oom(reterr);
}

int tp_objtree_bring_back(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *aside = in_work(b, "obj.aside");
	int r = aside ? tp_dir_remove(b->paths.object, reterr) : tp_err_oom(reterr);

	return r < 0 ? r : move(aside, b->paths.object, reterr);
}

int tp_objtree_drop_aside(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *aside = in_work(b, "obj.aside");

	return aside ? tp_dir_remove(aside, reterr) : tp_err_oom(reterr);
}

static void count_object(const FTSENT *entry, void *data)
{
	*(int *)data += tp_str_ends(entry->fts_name, ".o");
}

static char *count_path(const struct tp_build *b)
{
	return tp_strf("%s/counts/%s", b->paths.work, b->facts.config_before);
}

static int remembered(const struct tp_build *b)
{
	_cleanup_(tp_freep) char *path = count_path(b);
	_cleanup_(tp_freep) char *text = NULL;
	long long n;

	if (!path || tp_file_read(path, 32, &text, NULL, NULL) < 0)
		return 0;
	return tp_parse_i64(tp_str_chomp(text), 1, MAX_COUNT, &n) < 0 ? 0 : (int)n;
}

/* Small and large configurations alike compile a little under two objects for each built-in symbol.
 */
static int guess(const struct tp_kconfig *config)
{
	int built_in = 0;

	for (size_t i = 0; i < config->n; i++)
		built_in += config->items[i].value && !strcmp(config->items[i].value, "y");
	return built_in * 7 / 4;
}

int tp_objtree_expect(const struct tp_build *b, const struct tp_kconfig *config)
{
	int known = remembered(b), there = 0;
	int full = known ? known : guess(config);

	if (!b->facts.incremental)
		return full;
	if (walk(b->paths.object, count_object, &there) < 0)
		return 0;
	/*
	 * Far from complete: an interrupted first build, whose rest can be told. Else nobody knows
	 * how much the other commit touches.
	 */
	return full - there > (known ? full / 5 : full / 2) ? full - there : 0;
}

void tp_objtree_remember(const struct tp_build *b)
{
	_cleanup_(tp_freep) char *path = count_path(b);
	_cleanup_(tp_freep) char *dir = in_work(b, "counts");
	char text[32];

	if (b->facts.incremental || !path || !dir || tp_dir_make(dir, 0750, NULL) < 0)
		return;
	snprintf(text, sizeof(text), "%d\n", b->facts.compiled);
	if (tp_file_write(path, text, strlen(text), 0640, NULL) < 0)
		errno = 0; /* only the next progress bar will be poorer */
}
