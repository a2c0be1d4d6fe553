/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From any older schema to this program's; see db.h. */
#include "store/db.h"

#include <errno.h>
#include <string.h>

#include "store/schema.h"
#include "store/sql.h"
#include "util/failpoint.h"
#include "util/hash.h"

/* Whose file is it, and how old? An empty one is version 0 of ours. */
static int read_version(struct tp_store *store, int64_t *ret, struct tp_err *reterr)
{
	int64_t application = 0, version = 0, tables = 0;
	int r = tp_db_pragma(store, "PRAGMA application_id", &application, reterr);

	if (r == 0)
		r = tp_db_pragma(store, "PRAGMA user_version", &version, reterr);
	if (r == 0)
		r = tp_db_pragma(store, "SELECT count(*) FROM sqlite_schema", &tables, reterr);
	if (r < 0)
		return r;
	if (application != TP_SCHEMA_APPLICATION_ID &&
	    (application != 0 || version != 0 || tables != 0))
		return tp_err_set(reterr, -EINVAL, store->path,
				  "%s is a database of another program; name another state folder",
				  store->path);
	if (version > tp_schema_version)
		return tp_err_set(reterr, -EINVAL, store->path,
				  "the database %s was written by a newer triptych (version %lld, "
				  "this one knows %d); use that one, or name another state folder",
				  store->path, (long long)version, tp_schema_version);
	*ret = version;
	return 0;
}

int tp_db_check_version(struct tp_store *store, struct tp_err *reterr)
{
	int64_t version = 0;
	int r = read_version(store, &version, reterr);

	if (r < 0)
		return r;
	if (version == tp_schema_version)
		return 0;
	return tp_err_set(reterr, -EINVAL, store->path,
			  "the database %s is of an older version (%lld, this program reads %d); a "
			  "command that may write to it brings it up to date",
			  store->path, (long long)version, tp_schema_version);
}

static int views_are_current(struct tp_store *store, const char *sha256, bool *ret,
			     struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_META_GET, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":name", "views_sha256");
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	*ret = r == 1 && strcmp(tp_sql_peek(&sql), sha256) == 0;
	return 0;
}

static int make_views(struct tp_store *store, const char *sha256, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_db_exec(store, tp_schema_views, "migrate", reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_META_PUT, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":name", "views_sha256");
	tp_sql_bind_text(&sql, ":value", sha256);
	return tp_sql_run(&sql, NULL, reterr);
}

/* One migration with its user_version; another process may have been faster. */
static int apply(struct tp_store *store, int64_t version, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "migrate");
	int64_t now = 0;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = read_version(store, &now, reterr);
	if (r == 0 && now == version)
		r = tp_db_exec(store, tp_schema_migrations[version], "migrate", reterr);
	return r < 0 ? r : tp_txn_commit(&txn, reterr);
}

static int refresh_views(struct tp_store *store, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "views");
	char sha256[TP_SHA256_HEX];
	bool current = false;
	int r;

	tp_sha256_bytes(tp_schema_views, strlen(tp_schema_views), sha256);
	/* Most openings end here, without ever asking for the write lock. */
	r = views_are_current(store, sha256, &current, reterr);
	if (r < 0 || current)
		return r;
	r = tp_txn_begin(&txn, reterr);
	if (r == 0)
		r = make_views(store, sha256, reterr);
	return r < 0 ? r : tp_txn_commit(&txn, reterr);
}

int tp_db_migrate(struct tp_store *store, struct tp_err *reterr)
{
	int64_t version = 0;
	int r = read_version(store, &version, reterr);

	while (r == 0 && version < tp_schema_version) {
		r = apply(store, version, reterr);
		if (r == 0)
			r = read_version(store, &version, reterr);
	}
	return r < 0 ? r : refresh_views(store, reterr);
}
