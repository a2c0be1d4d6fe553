/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A database in a scratch folder with a target, a protocol, two kernels and an exact job. */
#pragma once

#include "scratch.h"

#include <sqlite3.h>
#include <stdio.h>

#include "store/store.h"

#define KEY_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KEY_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct world {
	char *dir, *path;
	struct tp_store *store;
	int64_t target, protocol, parent, child, job, epoch;
	struct tp_err err;
};

/* The call succeeds, or the test fails with its sentence. */
#define ok(w, call)                                                                                \
	do {                                                                                       \
		if ((call) != 0)                                                                   \
			fail_msg("%s: %s", #call, (w)->err.text);                                  \
	} while (0)

/* The call returns @code, and its sentence says @words. */
#define refused(w, code, words, call)                                                              \
	do {                                                                                       \
		(w)->err = (struct tp_err){};                                                      \
		assert_int_equal((call), (code));                                                  \
		if (!strstr((w)->err.text, (words)))                                               \
			fail_msg("expected \"%s\", got \"%s\"", (words), (w)->err.text);           \
		assert_null(strchr((w)->err.text, '\n'));                                          \
	} while (0)

static inline struct tp_job_new exact_job(const struct world *w)
{
	return (struct tp_job_new){
	    .kind = TP_JOB_EXACT,
	    .request_json = "{}",
	    .request_key = "request",
	    .asked_by = "tester",
	    .target_id = w->target,
	    .protocol_id = w->protocol,
	    .max_boot_attempts = 2,
	    .max_infra_attempts = 5,
	    .n_points = 3,
	    .points = {{TP_ROLE_PARENT_A, w->parent},
		       {TP_ROLE_CHILD, w->child},
		       {TP_ROLE_PARENT_B, w->parent}},
	};
}

static inline void fill_world(struct world *w)
{
	struct tp_job_new job;

	ok(w, tp_store_target_put(w->store, "lab", "name: lab\n", TP_EVIDENCE_VIRTUAL,
				  "{\"cpu\":1}", 1000, &w->target, &w->err));
	ok(w, tp_store_protocol_put(w->store, "quick", KEY_A, "name: quick\n", 1000, &w->protocol,
				    &w->err));
	ok(w, tp_store_kernel_put(w->store, KEY_A, "v1", "1111", "2222", "base", 1000, &w->parent,
				  &w->err));
	ok(w, tp_store_kernel_put(w->store, KEY_B, "v2", "3333", "4444", "slower", 1000, &w->child,
				  &w->err));
	job = exact_job(w);
	ok(w, tp_store_job_create(w->store, &job, 2000, &w->job, &w->err));
	ok(w, tp_store_job_claim(w->store, w->job, 3000, &w->epoch, &w->err));
}

static inline int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	void *dir = NULL;

	if (!w || scratch_setup(&dir) != 0)
		return -1;
	w->dir = dir;
	w->path = tp_strf("%s/triptych.db", w->dir);
	*state = w;
	if (tp_store_open(w->path, false, 5000, &w->store, &w->err) != 0) {
		fprintf(stderr, "%s\n", w->err.text);
		return -1;
	}
	return 0;
}

static inline int world_teardown(void **state)
{
	struct world *w = *state;
	void *dir = w->dir;
	int r;

	tp_store_close(w->store);
	r = scratch_teardown(&dir);
	free(w->path);
	free(w);
	return r;
}

#define world_test(fn) cmocka_unit_test_setup_teardown(fn, world_setup, world_teardown)

/* Look into the file beside the program's back: the first column of the first row, as text. */
static inline char *peek(const struct world *w, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	char *text = NULL;

	assert_int_equal(sqlite3_open_v2(w->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
		text = strdup((const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return text;
}

static inline void assert_peek(const struct world *w, const char *sql, const char *expected)
{
	_cleanup_(tp_freep) char *text = peek(w, sql);

	if (!text || strcmp(text, expected) != 0)
		fail_msg("%s: expected %s, got %s", sql, expected, text ? text : "nothing");
}

/* The boots of the job's points, by position. */
static inline int64_t point_id(struct world *w, int position)
{
	struct tp_snapshot s;

	ok(w, tp_store_snapshot(w->store, w->job, &s, &w->err));
	return s.points[position].id;
}

static inline int64_t new_boot(struct world *w, int position)
{
	static int serial;
	char token[17];
	int64_t id;

	snprintf(token, sizeof(token), "%016x", ++serial);
	ok(w, tp_store_boot_new(w->store, w->job, w->epoch, point_id(w, position), token, 4000, &id,
				&w->err));
	return id;
}

/* Move @boot from planned up to @to along the usual way. */
static inline void bring_to(struct world *w, int64_t boot, enum tp_boot_state to)
{
	struct tp_boot_row fill = {.outcome = TP_OUTCOME_FELL_BACK};

	for (int state = TP_BOOT_PLANNED; state < (int)to && state < TP_BOOT_COMPLETE; state++) {
		if (state == TP_BOOT_MEASURING && to != TP_BOOT_COMPLETE)
			break;
		ok(w, tp_store_boot_move(w->store, w->epoch, boot, state, state + 1, NULL, 5000,
					 &w->err));
	}
	if (to == TP_BOOT_FAILED || to == TP_BOOT_DISCARDED)
		ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_MEASURING, to, &fill,
					 6000, &w->err));
}
