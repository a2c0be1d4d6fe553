/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs: created whole, claimed by epochs, finished once; see store.h. */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>

void tp_job_row_deinit(struct tp_job_row *row)
{
	free(row->request_json);
	free(row->request_key);
	free(row->asked_by);
	free(row->reason);
	*row = (struct tp_job_row){};
}

static int insert_job(struct tp_store *store, const struct tp_job_new *job, int64_t now_ms,
		      int64_t *ret, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r = tp_sql_open(store, TP_STATEMENT_JOB_CREATE, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":kind", tp_job_kind_name(job->kind));
	tp_sql_bind_text(&sql, ":request_json", job->request_json);
	tp_sql_bind_text(&sql, ":request_key", job->request_key);
	tp_sql_bind_text(&sql, ":asked_by", job->asked_by ? job->asked_by : "");
	tp_sql_bind_int(&sql, ":target", job->target_id);
	tp_sql_bind_int(&sql, ":protocol", job->protocol_id);
	tp_sql_bind_int(&sql, ":now", now_ms);
	tp_sql_bind_int(&sql, ":max_boot", job->max_boot_attempts);
	tp_sql_bind_int(&sql, ":max_infra", job->max_infra_attempts);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL,
				  "there is no target number %lld", (long long)job->target_id);
	if (r == 0)
		*ret = sqlite3_last_insert_rowid(store->db);
	return r;
}

static int insert_point(struct tp_store *store, int64_t job, int position, enum tp_role role,
			int64_t kernel, const char *asked, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_POINT_CREATE, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_int(&sql, ":position", position);
	tp_sql_bind_text(&sql, ":role", tp_role_name(role));
	tp_sql_bind_int(&sql, ":kernel", kernel);
	tp_sql_bind_text(&sql, ":asked", asked);
	return tp_sql_run(&sql, NULL, reterr);
}

int tp_store_job_create(struct tp_store *store, const struct tp_job_new *job, int64_t now_ms,
			int64_t *ret_id, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "job-create");
	int64_t id = 0;
	int r;

	if (job->n_points < 1 || job->n_points > TP_PLAN_MAX_POINTS)
		return tp_err_set(reterr, -EINVAL, NULL, "a job has 1 to %d points, not %d",
				  TP_PLAN_MAX_POINTS, job->n_points);
	r = tp_txn_begin(&txn, reterr);
	if (r == 0)
		r = insert_job(store, job, now_ms, &id, reterr);
	for (int i = 0; r == 0 && i < job->n_points; i++)
		r = insert_point(store, id, i, job->points[i].role, job->points[i].kernel_id,
				 job->points[i].asked, reterr);
	if (r == 0)
		r = tp_txn_commit(&txn, reterr);
	if (r == 0)
		*ret_id = id;
	return r;
}

int tp_store_job_get(struct tp_store *store, int64_t id, struct tp_job_row *ret,
		     struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	struct tp_job_row row = {};
	int r = tp_sql_open(store, TP_STATEMENT_JOB_GET, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL,
				  "there is no job %lld; `triptych status` shows them",
				  (long long)id);
	if (r < 0)
		return r;
	row.id = tp_sql_int(&sql);
	row.kind = (enum tp_job_kind)tp_sql_word(&sql, tp_job_kind_parse);
	row.state = (enum tp_job_state)tp_sql_word(&sql, tp_job_state_parse);
	row.verdict = (enum tp_job_verdict)tp_sql_word(&sql, tp_job_verdict_parse);
	row.request_json = tp_sql_text(&sql);
	row.request_key = tp_sql_text(&sql);
	row.asked_by = tp_sql_text(&sql);
	row.reason = tp_sql_text(&sql);
	row.target_id = tp_sql_int(&sql);
	row.protocol_id = tp_sql_int(&sql);
	row.epoch = tp_sql_int(&sql);
	row.created_ms = tp_sql_int(&sql);
	row.finished_ms = tp_sql_int(&sql);
	row.max_boot_attempts = (int)tp_sql_int(&sql);
	row.max_infra_attempts = (int)tp_sql_int(&sql);
	row.cleaned = tp_sql_int(&sql) != 0;
	r = tp_sql_check(&sql, reterr);
	if (r < 0)
		tp_job_row_deinit(&row);
	else
		*ret = row;
	return r;
}

int tp_store_job_find(struct tp_store *store, const char *request_key, int64_t *ret_id,
		      struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_JOB_FIND, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":request_key", request_key);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL, "there is no such job yet");
	if (r < 0)
		return r;
	*ret_id = tp_sql_int(&sql);
	return 0;
}

/* Why a change of a job's row did nothing. @epoch < 0: any. */
static int why_not(struct tp_store *store, int64_t id, int64_t epoch, const char *wanted,
		   struct tp_err *reterr)
{
	_cleanup_(tp_job_row_deinit) struct tp_job_row row = {};
	int r = tp_store_job_get(store, id, &row, reterr);

	if (r != 0)
		return r;
	if (epoch >= 0 && row.epoch != epoch)
		return tp_db_fenced(id, reterr);
	return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL, "job %lld is %s and cannot become %s",
			  (long long)id, tp_job_state_name(row.state), wanted);
}

static int forget_steps(struct tp_store *store, int64_t job, int64_t epoch, int64_t now_ms,
			struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_STEP_FORGET, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	tp_sql_bind_int(&sql, ":now", now_ms);
	return tp_sql_run(&sql, NULL, reterr);
}

static int take(struct tp_store *store, int64_t id, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r = tp_sql_open(store, TP_STATEMENT_JOB_CLAIM, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_run(&sql, &changes, reterr);
	return r < 0 || changes > 0 ? r : why_not(store, id, -1, "running", reterr);
}

int tp_store_job_claim(struct tp_store *store, int64_t id, int64_t now_ms, int64_t *ret_epoch,
		       struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "job-claim");
	_cleanup_(tp_job_row_deinit) struct tp_job_row row = {};
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = take(store, id, reterr);
	if (r == 0)
		r = tp_store_job_get(store, id, &row, reterr);
	if (r == 0)
		r = forget_steps(store, id, row.epoch, now_ms, reterr);
	if (r == 0)
		r = tp_txn_commit(&txn, reterr);
	if (r == 0)
		*ret_epoch = row.epoch;
	return r;
}

int tp_store_job_finish(struct tp_store *store, int64_t id, int64_t epoch, enum tp_job_state state,
			enum tp_job_verdict verdict, const char *reason, int64_t now_ms,
			struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "job-finish");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r;

	if (state == TP_JOB_RUNNING || !tp_job_state_may(TP_JOB_RUNNING, state) ||
	    (state == TP_JOB_DONE) != (verdict != TP_VERDICT_NONE))
		return tp_err_set(reterr, -EINVAL, NULL,
				  "a job cannot end as %s with the verdict %s",
				  tp_job_state_name(state), tp_job_verdict_name(verdict));
	r = tp_txn_begin(&txn, reterr);
	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_JOB_FINISH, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	tp_sql_bind_text(&sql, ":state", tp_job_state_name(state));
	tp_sql_bind_text(&sql, ":verdict", tp_job_verdict_name(verdict));
	tp_sql_bind_text(&sql, ":reason", reason);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = why_not(store, id, epoch, tp_job_state_name(state), reterr);
	return r != 0 ? r : tp_txn_commit(&txn, reterr);
}

int tp_store_job_set_cleaned(struct tp_store *store, int64_t id, int64_t epoch,
			     struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "job-cleaned");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_JOB_SET_CLEANED, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = why_not(store, id, epoch, "cleaned", reterr);
	return r != 0 ? r : tp_txn_commit(&txn, reterr);
}
