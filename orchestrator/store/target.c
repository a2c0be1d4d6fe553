/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets and their leases; see store.h. */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tp_target_row_deinit(struct tp_target_row *row)
{
	free(row->name);
	free(row->yaml);
	free(row->evidence);
	free(row->state);
	free(row->facts_json);
	*row = (struct tp_target_row){};
}

static int read_row(struct tp_sql *sql, struct tp_target_row *ret, struct tp_err *reterr)
{
	struct tp_target_row row = {
	    .id = tp_sql_int(sql),
	    .name = tp_sql_text(sql),
	};
	int r;

	row.yaml = tp_sql_text(sql);
	row.evidence = tp_sql_text(sql);
	row.state = tp_sql_text(sql);
	row.facts_json = tp_sql_text(sql);
	row.added_ms = tp_sql_int(sql);
	r = tp_sql_check(sql, reterr);
	if (r < 0)
		tp_target_row_deinit(&row);
	else
		*ret = row;
	return r;
}

int tp_store_target_get(struct tp_store *store, const char *name, struct tp_target_row *ret,
			struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_TARGET_GET, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":name", name);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, name,
				  "there is no target %s; `triptych target list` shows them", name);
	return r < 0 ? r : read_row(&sql, ret, reterr);
}

int tp_store_target_get_id(struct tp_store *store, int64_t id, struct tp_target_row *ret,
			   struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_TARGET_GET_ID, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL,
				  "there is no target number %lld", (long long)id);
	return r < 0 ? r : read_row(&sql, ret, reterr);
}

/* Who holds @target, and does @epoch still own @job? */
static int why_not(struct tp_store *store, int64_t target, int64_t job, int64_t epoch,
		   struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_TARGET_HOLDER, &sql, reterr);
	const char *name, *state;
	int64_t holder;

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":target", target);
	tp_sql_bind_int(&sql, ":job", job);
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL,
				  "there is no target number %lld", (long long)target);
	name = tp_sql_peek(&sql);
	state = tp_sql_peek(&sql);
	holder = tp_sql_int(&sql);
	if (job != 0 && tp_sql_int(&sql) != epoch)
		return tp_db_fenced(job, reterr);
	if (holder != 0)
		return tp_err_set(reterr, TP_STORE_E_CONFLICT, name,
				  "the target %s is in use by job %lld; wait for it or cancel it",
				  name, (long long)holder);
	return tp_err_set(reterr, TP_STORE_E_CONFLICT, name,
			  "the target %s is %s; release it when it is well again", name, state);
}

static int find_id(struct tp_store *store, const char *name, int64_t *ret, struct tp_err *reterr)
{
	_cleanup_(tp_target_row_deinit) struct tp_target_row row = {};
	int r = tp_store_target_get(store, name, &row, reterr);

	if (r == 0)
		*ret = row.id;
	return r;
}

int tp_store_target_put(struct tp_store *store, const char *name, const char *yaml,
			enum tp_evidence evidence, const char *facts_json, int64_t now_ms,
			int64_t *ret_id, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "target-put");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int64_t id = 0;
	int changes;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_TARGET_PUT, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":name", name);
	tp_sql_bind_text(&sql, ":yaml", yaml);
	tp_sql_bind_text(&sql, ":evidence", tp_evidence_name(evidence));
	tp_sql_bind_text(&sql, ":facts", facts_json);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0)
		r = find_id(store, name, &id, reterr);
	if (r == 0 && changes == 0)
		r = why_not(store, id, 0, 0, reterr);
	if (r == 0)
		r = tp_txn_commit(&txn, reterr);
	if (r == 0 && ret_id)
		*ret_id = id;
	return r;
}

int tp_store_target_lease(struct tp_store *store, int64_t target, int64_t job, int64_t epoch,
			  struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "target-lease");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_TARGET_LEASE, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":target", target);
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = why_not(store, target, job, epoch, reterr);
	return r != 0 ? r : tp_txn_commit(&txn, reterr);
}

int tp_store_target_release(struct tp_store *store, int64_t target, int64_t job,
			    struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "target-release");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_TARGET_RELEASE, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":target", target);
	tp_sql_bind_int(&sql, ":job", job);
	r = tp_sql_run(&sql, NULL, reterr);
	return r < 0 ? r : tp_txn_commit(&txn, reterr);
}
