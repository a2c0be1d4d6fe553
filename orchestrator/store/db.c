/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and closing the database; see store.h and db.h. */
#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/str.h"

int tp_db_exec(struct tp_store *store, const char *sql, const char *what, struct tp_err *reterr)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : tp_db_error(store, rc, what, reterr);
}

static void finalizep(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

int tp_db_pragma(struct tp_store *store, const char *sql, int64_t *ret, struct tp_err *reterr)
{
	_cleanup_(finalizep) sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return tp_db_error(store, rc, "read", reterr);
	*ret = sqlite3_column_int64(stmt, 0);
	return 0;
}

/*
 * A new file is ours to make: SQLite would let the umask decide. An existing one is not opened
 * here, because closing a descriptor drops every lock this process holds on the file.
 */
static int make_file(const char *path, struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = -1;

	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0 && errno == EEXIST)
		return 0;
	if (fd < 0 || fchmod(fd, 0640) < 0)
		return tp_err_set(reterr, -errno, path,
				  "cannot create the database %s: %s; its folder must exist and be "
				  "writable for this user",
				  path, strerror(errno));
	return 0;
}

/* Changing the journal needs the file alone, and does not wait for it by itself. */
static int use_wal(struct tp_store *store, int busy_ms, struct tp_err *reterr)
{
	struct tp_deadline deadline = tp_deadline_in(busy_ms);

	for (;;) {
		_cleanup_(finalizep) sqlite3_stmt *stmt = NULL;
		int rc =
		    sqlite3_prepare_v2(store->db, "PRAGMA journal_mode = WAL", -1, &stmt, NULL);

		if (rc == SQLITE_OK)
			rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW &&
		    strcmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0)
			return 0;
		if (rc == SQLITE_ROW)
			return tp_err_set(reterr, -ENOTSUP, store->path,
					  "the file system of %s cannot hold a shared database; "
					  "name a state folder on a local disk",
					  store->path);
		if ((rc & 0xff) != SQLITE_BUSY || !tp_deadline_sleep(deadline, 10))
			return tp_db_error(store, rc, "open", reterr);
	}
}

static int configure(struct tp_store *store, int busy_ms, struct tp_err *reterr)
{
	int r;

	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, busy_ms);
	/* A file is input too: its schema may not run functions, its pages are checked. */
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	r = tp_db_exec(store,
		       "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; "
		       "PRAGMA cell_size_check = ON",
		       "open", reterr);
	if (r == 0 && !store->read_only)
		r = use_wal(store, busy_ms, reterr);
	return r;
}

static int connect_file(struct tp_store *store, int busy_ms, struct tp_err *reterr)
{
	int flags = store->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	int rc;
	int r;

	if (!store->read_only) {
		r = make_file(store->path, reterr);
		if (r < 0)
			return r;
	} else if (!tp_path_exists(store->path)) {
		return tp_err_set(reterr, -ENOENT, store->path,
				  "there is no database at %s yet; the first job makes it, or name "
				  "another state folder",
				  store->path);
	}
	rc = sqlite3_open_v2(store->path, &store->db, flags, NULL);
	if (rc != SQLITE_OK)
		return tp_db_error(store, rc, "open", reterr);
	return configure(store, busy_ms, reterr);
}

int tp_store_open(const char *path, bool read_only, int busy_ms, struct tp_store **ret,
		  struct tp_err *reterr)
{
	_cleanup_(tp_store_closep) struct tp_store *store = calloc(1, sizeof(*store));
	int r;

	if (!store)
		return tp_err_oom(reterr);
	store->read_only = read_only;
	store->path = strdup(path);
	if (!store->path)
		return tp_err_oom(reterr);
	r = connect_file(store, busy_ms, reterr);
	if (r == 0)
		r = read_only ? tp_db_check_version(store, reterr) : tp_db_migrate(store, reterr);
	if (r < 0)
		return r;
	*ret = TP_TAKE(store);
	return 0;
}

struct tp_store *tp_store_close(struct tp_store *store)
{
	if (!store)
		return NULL;
	for (int i = 0; i < _TP_STATEMENT_MAX; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	free(store->path);
	free(store);
	return NULL;
}
