/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boot attempts; see store.h. */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>

void tp_boot_row_deinit(struct tp_boot_row *row)
{
	free(row->token);
	free(row->boot_id_before);
	free(row->boot_id);
	free(row->detail);
	free(row->identity_json);
	free(row->env_before_json);
	free(row->env_after_json);
	free(row->console_path);
	*row = (struct tp_boot_row){};
}

static int why_not_new(struct tp_store *store, int64_t job, int64_t epoch, int64_t point,
		       struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_BOOT_WHY_NOT_NEW, &sql, reterr);
	const char *job_state, *boot_state;

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_int(&sql, ":point", point);
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL, "job %lld has no point %lld",
				  (long long)job, (long long)point);
	if (tp_sql_int(&sql) != epoch)
		return tp_db_fenced(job, reterr);
	job_state = tp_sql_peek(&sql);
	boot_state = tp_sql_peek(&sql);
	if (boot_state[0])
		return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL,
				  "point %lld of job %lld has an attempt that is %s",
				  (long long)point, (long long)job, boot_state);
	return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL, "job %lld is %s, not running",
			  (long long)job, job_state);
}

int tp_store_boot_new(struct tp_store *store, int64_t job, int64_t epoch, int64_t point,
		      const char *token, int64_t now_ms, int64_t *ret_id, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "boot-new");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int64_t id = 0;
	int changes;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_BOOT_NEW, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	tp_sql_bind_int(&sql, ":point", point);
	tp_sql_bind_text(&sql, ":token", token);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = why_not_new(store, job, epoch, point, reterr);
	if (r != 0)
		return r;
	id = sqlite3_last_insert_rowid(store->db);
	r = tp_txn_commit(&txn, reterr);
	if (r == 0)
		*ret_id = id;
	return r;
}

static void read_texts(struct tp_sql *sql, struct tp_boot_row *row)
{
	row->token = tp_sql_text(sql);
	row->boot_id_before = tp_sql_text(sql);
	row->boot_id = tp_sql_text(sql);
	row->detail = tp_sql_text(sql);
	row->identity_json = tp_sql_text(sql);
	row->env_before_json = tp_sql_text(sql);
	row->env_after_json = tp_sql_text(sql);
	row->console_path = tp_sql_text(sql);
}

static int read_row(struct tp_store *store, int64_t id, struct tp_boot_row *row,
		    struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_BOOT_GET, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL,
				  "there is no boot number %lld", (long long)id);
	if (r < 0)
		return r;
	row->id = tp_sql_int(&sql);
	row->point_id = tp_sql_int(&sql);
	row->kernel_id = tp_sql_int(&sql);
	row->job_id = tp_sql_int(&sql);
	row->attempt = (int)tp_sql_int(&sql);
	row->state = (enum tp_boot_state)tp_sql_word(&sql, tp_boot_state_parse);
	row->outcome = (enum tp_boot_outcome)tp_sql_word(&sql, tp_boot_outcome_parse);
	read_texts(&sql, row);
	row->created_ms = tp_sql_int(&sql);
	row->finished_ms = tp_sql_int(&sql);
	return tp_sql_check(&sql, reterr);
}

static int read_n_rounds(struct tp_store *store, struct tp_boot_row *row, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_ROUND_COUNT, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":boot", row->id);
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	row->n_rounds = (int)tp_sql_int(&sql);
	row->n_rounds_known = true;
	return 0;
}

int tp_store_boot_get(struct tp_store *store, int64_t id, struct tp_boot_row *ret,
		      struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "boot-get");
	struct tp_boot_row row = {};
	int r = tp_txn_begin_read(&txn, reterr);

	if (r == 0)
		r = read_row(store, id, &row, reterr);
	/* Rounds are stored with the move to complete: before, there are none to count. */
	if (r == 0 && row.state == TP_BOOT_COMPLETE)
		r = read_n_rounds(store, &row, reterr);
	if (r != 0)
		tp_boot_row_deinit(&row);
	else
		*ret = row;
	return r;
}

/* The outcome that goes with a state; NONE where the caller has not said what it must. */
static enum tp_boot_outcome outcome_for(enum tp_boot_state to, const struct tp_boot_row *fill)
{
	if (to == TP_BOOT_COMPLETE)
		return TP_OUTCOME_OK;
	return fill ? fill->outcome : TP_OUTCOME_NONE;
}

static int check_move(enum tp_boot_state from, enum tp_boot_state to, enum tp_boot_outcome outcome,
		      struct tp_err *reterr)
{
	bool ends_badly = to == TP_BOOT_FAILED || to == TP_BOOT_DISCARDED;

	if (!tp_boot_state_may(from, to))
		return tp_err_set(reterr, -EINVAL, NULL, "a boot that is %s cannot become %s",
				  tp_boot_state_name(from), tp_boot_state_name(to));
	if ((to == TP_BOOT_FAILED && outcome == TP_OUTCOME_NONE) ||
	    (outcome == TP_OUTCOME_OK) != (to == TP_BOOT_COMPLETE) ||
	    (outcome != TP_OUTCOME_NONE && outcome != TP_OUTCOME_OK && !ends_badly))
		return tp_err_set(reterr, -EINVAL, NULL,
				  "a boot cannot become %s with the outcome %s",
				  tp_boot_state_name(to), tp_boot_outcome_name(outcome));
	return 0;
}

static int why_not_moved(struct tp_store *store, int64_t id, int64_t epoch, enum tp_boot_state from,
			 struct tp_err *reterr)
{
	_cleanup_(tp_boot_row_deinit) struct tp_boot_row row = {};
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	const char *state;
	int r = read_row(store, id, &row, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_BOOT_STATE, &sql, reterr);
	if (r != 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	state = tp_sql_peek(&sql);
	if (tp_sql_int(&sql) != epoch)
		return tp_db_fenced(row.job_id, reterr);
	return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL, "boot %lld is %s, not %s",
			  (long long)id, state, tp_boot_state_name(from));
}

int tp_store_boot_move(struct tp_store *store, int64_t epoch, int64_t id, enum tp_boot_state from,
		       enum tp_boot_state to, const struct tp_boot_row *fill, int64_t now_ms,
		       struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "boot-move");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	enum tp_boot_outcome outcome = outcome_for(to, fill);
	int changes;
	int r = check_move(from, to, outcome, reterr);

	if (r == 0)
		r = tp_txn_begin(&txn, reterr);
	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_BOOT_MOVE, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	tp_sql_bind_int(&sql, ":epoch", epoch);
	tp_sql_bind_text(&sql, ":from", tp_boot_state_name(from));
	tp_sql_bind_text(&sql, ":to", tp_boot_state_name(to));
	tp_sql_bind_text(&sql, ":outcome", tp_boot_outcome_name(outcome));
	tp_sql_bind_int(&sql, ":now", now_ms);
	tp_sql_bind_text(&sql, ":boot_id_before", fill ? fill->boot_id_before : NULL);
	tp_sql_bind_text(&sql, ":boot_id", fill ? fill->boot_id : NULL);
	tp_sql_bind_text(&sql, ":detail", fill ? fill->detail : NULL);
	tp_sql_bind_text(&sql, ":identity_json", fill ? fill->identity_json : NULL);
	tp_sql_bind_text(&sql, ":env_before_json", fill ? fill->env_before_json : NULL);
	tp_sql_bind_text(&sql, ":env_after_json", fill ? fill->env_after_json : NULL);
	tp_sql_bind_text(&sql, ":console_path", fill ? fill->console_path : NULL);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = why_not_moved(store, id, epoch, from, reterr);
	return r != 0 ? r : tp_txn_commit(&txn, reterr);
}
