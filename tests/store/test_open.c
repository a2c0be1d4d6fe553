/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening: a fresh file, an old one, and everything that is no database of ours. */
#include "store_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/sql.h"

static void reopen(struct world *w)
{
	w->store = tp_store_close(w->store);
	ok(w, tp_store_open(w->path, false, 1000, &w->store, &w->err));
}

static void fresh_file(void **state)
{
	struct world *w = *state;
	struct stat st;

	assert_int_equal(stat(w->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_peek(w, "PRAGMA journal_mode", "wal");
	assert_peek(w, "PRAGMA integrity_check", "ok");
	assert_peek(w, "PRAGMA user_version", "1");
	assert_peek(w,
		    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND "
		    "name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%STRICT%'",
		    "0");
}

static void mode_does_not_hang_on_the_umask(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_freep) char *path = tp_strf("%s/other.db", w->dir);
	_cleanup_(tp_freep) char *wal = tp_strf("%s/other.db-wal", w->dir);
	_cleanup_(tp_store_closep) struct tp_store *store = NULL;
	mode_t old = umask(0077);
	struct stat st;

	ok(w, tp_store_open(path, false, 1000, &store, &w->err));
	umask(old);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(stat(wal, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

static void connection_is_strict(void **state)
{
	struct world *w = *state;
	int64_t value = 0;

	ok(w, tp_db_pragma(w->store, "PRAGMA foreign_keys", &value, &w->err));
	assert_int_equal(value, 1);
	ok(w, tp_db_pragma(w->store, "PRAGMA synchronous", &value, &w->err));
	assert_int_equal(value, 2);
}

static void keeps_what_it_holds(void **state)
{
	struct world *w = *state;
	struct tp_job_row row;

	fill_world(w);
	reopen(w);
	ok(w, tp_store_job_get(w->store, w->job, &row, &w->err));
	assert_string_equal(row.request_key, "request");
	tp_job_row_deinit(&row);
}

/* Opening what is current must not ask for the write lock. */
static void opens_beside_a_writer(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_store_closep) struct tp_store *second = NULL;

	ok(w, tp_store_begin(w->store, &w->err));
	ok(w, tp_store_open(w->path, false, 0, &second, &w->err));
	tp_store_rollback(w->store);
}

static void changed_views_are_made_anew(void **state)
{
	struct world *w = *state;

	free(peek(w, "UPDATE meta SET value = 'older' WHERE name = 'views_sha256'"));
	free(peek(w, "DROP VIEW verdicts"));
	reopen(w);
	assert_peek(w, "SELECT count(*) FROM verdicts", "0");
}

static void refuses_a_newer_one(void **state)
{
	struct world *w = *state;
	struct tp_store *store = NULL;

	w->store = tp_store_close(w->store);
	free(peek(w, "PRAGMA user_version = 2"));
	refused(w, -EINVAL, "was written by a newer triptych (version 2, this one knows 1)",
		tp_store_open(w->path, false, 100, &store, &w->err));
	refused(w, -EINVAL, "newer triptych", tp_store_open(w->path, true, 100, &store, &w->err));
	assert_null(store);
	assert_peek(w, "PRAGMA user_version", "2");
}

static void refuses_another_programs(void **state)
{
	struct world *w = *state;
	struct tp_store *store = NULL;

	free(w->path);
	w->path = tp_strf("%s/foreign.db", w->dir);
	close(open(w->path, O_WRONLY | O_CREAT, 0600));
	free(peek(w, "CREATE TABLE precious (x)"));
	refused(w, -EINVAL, "a database of another program",
		tp_store_open(w->path, false, 100, &store, &w->err));
	assert_peek(w, "SELECT count(*) FROM sqlite_schema", "1");
}

static void refuses_what_is_no_database(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_freep) char *path = tp_strf("%s/text.db", w->dir);
	struct tp_store *store = NULL;
	char text[4096];

	memset(text, 'x', sizeof(text));
	assert_int_equal(tp_file_write(path, text, sizeof(text), 0600, NULL), 0);
	refused(w, -EBADMSG, "is not a database; move it away",
		tp_store_open(path, false, 100, &store, &w->err));
}

static void refuses_missing_places(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_freep) char *path = tp_strf("%s/none/x.db", w->dir);
	struct tp_store *store = NULL;

	refused(w, -ENOENT, "cannot create the database",
		tp_store_open(path, false, 100, &store, &w->err));
	refused(w, -ENOENT, "there is no database at",
		tp_store_open(path, true, 100, &store, &w->err));
	assert_true(tp_store_open("/proc/triptych.db", false, 100, &store, &w->err) < 0);
	assert_true(tp_store_open(w->dir, false, 100, &store, &w->err) < 0);
	assert_null(store);
}

static void reads_without_writing(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_store_closep) struct tp_store *reader = NULL;
	int64_t id;

	fill_world(w);
	ok(w, tp_store_open(w->path, true, 100, &reader, &w->err));
	ok(w, tp_store_job_find(reader, "request", &id, &w->err));
	assert_int_equal(id, w->job);
	refused(w, -EACCES, "must be able to write",
		tp_store_event_add(reader, 0, "no", 1, &w->err));
}

static void an_old_version_is_not_read(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_freep) char *path = tp_strf("%s/old.db", w->dir);
	struct tp_store *store = NULL;

	close(open(path, O_WRONLY | O_CREAT, 0600));
	refused(w, -EINVAL, "older version (0, this program reads 1)",
		tp_store_open(path, true, 100, &store, &w->err));
}

static void a_lock_is_explained(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_store_closep) struct tp_store *second = NULL;

	ok(w, tp_store_open(w->path, false, 50, &second, &w->err));
	ok(w, tp_store_begin(w->store, &w->err));
	refused(w, -EBUSY, "another process keeps the database",
		tp_store_event_add(second, 0, "late", 1, &w->err));
	tp_store_rollback(w->store);
	ok(w, tp_store_event_add(second, 0, "now", 1, &w->err));
}

static void a_full_disk_is_explained(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_freep) char *big = calloc(1, 4000001);
	int64_t pages;

	fill_world(w);
	memset(big, 'x', 4000000);
	ok(w, tp_db_pragma(w->store, "PRAGMA max_page_count = 200", &pages, &w->err));
	refused(w, -ENOSPC, "the disk that holds the database",
		tp_store_event_add(w->store, 0, big, 1, &w->err));
	/* Inside the caller's transaction too, and what comes after it is not half of one. */
	ok(w, tp_store_begin(w->store, &w->err));
	ok(w, tp_store_event_add(w->store, w->job, "small", 1, &w->err));
	refused(w, -ENOSPC, "nothing recorded is lost",
		tp_store_event_add(w->store, 0, big, 1, &w->err));
	if (sqlite3_get_autocommit(w->store->db)) {
		refused(w, -EIO, "broken off", tp_store_event_add(w->store, 0, "x", 1, &w->err));
		refused(w, -EIO, "broken off", tp_store_commit(w->store, &w->err));
	}
	tp_store_rollback(w->store);
	assert_peek(w, "SELECT count(*) FROM event", "0");
	ok(w, tp_store_event_add(w->store, w->job, "small", 1, &w->err));
	assert_peek(w, "PRAGMA integrity_check", "ok");
}

static void damage_is_explained(void **state)
{
	struct world *w = *state;
	char junk[4096];
	struct stat st;
	int fd, damaged = 0;

	fill_world(w);
	w->store = tp_store_close(w->store);
	assert_int_equal(stat(w->path, &st), 0);
	memset(junk, 0xa5, sizeof(junk));
	fd = open(w->path, O_WRONLY);
	for (off_t at = 4096; at < st.st_size; at += 4096)
		assert_int_equal(pwrite(fd, junk, sizeof(junk), at), sizeof(junk));
	close(fd);
	w->err = (struct tp_err){};
	damaged = tp_store_open(w->path, false, 100, &w->store, &w->err);
	if (damaged == 0)
		damaged = tp_store_event_add(w->store, 0, "x", 1, &w->err);
	assert_int_equal(damaged, -EBADMSG);
	assert_non_null(strstr(w->err.text, "is damaged; put a copy back"));
}

static void transactions_do_not_nest(void **state)
{
	struct world *w = *state;

	refused(w, -EIO, "broken off", tp_store_commit(w->store, &w->err));
	ok(w, tp_store_begin(w->store, &w->err));
	refused(w, -EINVAL, "already open", tp_store_begin(w->store, &w->err));
	ok(w, tp_store_commit(w->store, &w->err));
	tp_store_rollback(w->store);
}

/* A forgotten parameter would be NULL to SQLite, and a WHERE that matches nothing. */
static void binds_are_checked(void **state)
{
	struct world *w = *state;
	struct tp_sql sql;

	ok(w, tp_sql_open(w->store, TP_STATEMENT_META_PUT, &sql, &w->err));
	tp_sql_bind_text(&sql, ":name", "x");
	refused(w, -EIO, "cannot use the database", tp_sql_step(&sql, &w->err));
	tp_sql_close(&sql);
	ok(w, tp_sql_open(w->store, TP_STATEMENT_META_PUT, &sql, &w->err));
	tp_sql_bind_text(&sql, ":name", "x");
	tp_sql_bind_text(&sql, ":valeu", "y");
	refused(w, -EIO, "cannot use the database", tp_sql_step(&sql, &w->err));
	tp_sql_close(&sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(fresh_file),
	    world_test(mode_does_not_hang_on_the_umask),
	    world_test(connection_is_strict),
	    world_test(keeps_what_it_holds),
	    world_test(opens_beside_a_writer),
	    world_test(changed_views_are_made_anew),
	    world_test(refuses_a_newer_one),
	    world_test(refuses_another_programs),
	    world_test(refuses_what_is_no_database),
	    world_test(refuses_missing_places),
	    world_test(reads_without_writing),
	    world_test(an_old_version_is_not_read),
	    world_test(a_lock_is_explained),
	    world_test(a_full_disk_is_explained),
	    world_test(damage_is_explained),
	    world_test(transactions_do_not_nest),
	    world_test(binds_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
