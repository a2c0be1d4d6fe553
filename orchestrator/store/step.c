/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The intent log; see store.h. */
#include "store/sql.h"

#include <errno.h>

static int why_not_started(struct tp_store *store, int64_t job, int64_t epoch,
			   enum tp_step_kind kind, int64_t kernel, int64_t boot,
			   struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_STEP_RUNNING, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_text(&sql, ":kind", tp_step_kind_name(kind));
	tp_sql_bind_int(&sql, ":kernel", kernel);
	tp_sql_bind_int(&sql, ":boot", boot);
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL, "there is no job %lld",
				  (long long)job);
	if (tp_sql_int(&sql) != epoch)
		return tp_db_fenced(job, reterr);
	return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL,
			  "the step %s of job %lld is started already", tp_step_kind_name(kind),
			  (long long)job);
}

int tp_store_step_start(struct tp_store *store, int64_t job, int64_t epoch, enum tp_step_kind kind,
			int64_t kernel, int64_t boot, int64_t now_ms, int64_t *ret_id,
			struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "step-start");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int64_t id = 0;
	int changes;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_STEP_START, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	tp_sql_bind_text(&sql, ":kind", tp_step_kind_name(kind));
	tp_sql_bind_int(&sql, ":kernel", kernel);
	tp_sql_bind_int(&sql, ":boot", boot);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = why_not_started(store, job, epoch, kind, kernel, boot, reterr);
	if (r != 0)
		return r;
	id = sqlite3_last_insert_rowid(store->db);
	r = tp_txn_commit(&txn, reterr);
	if (r == 0)
		*ret_id = id;
	return r;
}

static int why_not_finished(struct tp_store *store, int64_t epoch, int64_t step,
			    struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_STEP_STATE, &sql, reterr);
	const char *state;

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", step);
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL, "there is no step %lld",
				  (long long)step);
	state = tp_sql_peek(&sql);
	if (tp_sql_int(&sql) != epoch)
		return tp_err_set(reterr, TP_STORE_E_FENCED, NULL,
				  "another worker has taken the job of step %lld over; this one "
				  "stops",
				  (long long)step);
	return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL, "step %lld is %s, not started",
			  (long long)step, state);
}

int tp_store_step_finish(struct tp_store *store, int64_t epoch, int64_t step,
			 enum tp_step_state state, const char *detail, int64_t now_ms,
			 struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "step-finish");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r;

	if (!tp_step_state_may(TP_STEP_STARTED, state))
		return tp_err_set(reterr, -EINVAL, NULL, "a step that is started cannot become %s",
				  tp_step_state_name(state));
	r = tp_txn_begin(&txn, reterr);
	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_STEP_FINISH, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", step);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	tp_sql_bind_text(&sql, ":state", tp_step_state_name(state));
	tp_sql_bind_text(&sql, ":detail", detail);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = why_not_finished(store, epoch, step, reterr);
	return r != 0 ? r : tp_txn_commit(&txn, reterr);
}

int tp_store_step_mean_ms(struct tp_store *store, int64_t target, enum tp_step_kind kind,
			  int64_t *ret_ms, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_STEP_MEAN, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":target", target);
	tp_sql_bind_text(&sql, ":kind", tp_step_kind_name(kind));
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	*ret_ms = tp_sql_int(&sql);
	return 0;
}
