/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels with the numbers they rest on; see store.h. */
#include "store/sql.h"

static void bind_numbers(struct tp_sql *sql, const struct tp_verdict *v)
{
	tp_sql_bind_real(sql, ":parent_a", v->parent_a);
	tp_sql_bind_real(sql, ":child", v->child);
	tp_sql_bind_real(sql, ":parent_b", v->parent_b);
	tp_sql_bind_real(sql, ":midpoint", v->midpoint);
	tp_sql_bind_real(sql, ":vs_a", v->child_vs_parent_a_pct);
	tp_sql_bind_real(sql, ":vs_b", v->child_vs_parent_b_pct);
	tp_sql_bind_real(sql, ":vs_midpoint", v->child_vs_midpoint_pct);
	tp_sql_bind_real(sql, ":drift", v->parent_drift_pct);
	tp_sql_bind_real(sql, ":drift_signed", v->parent_drift_signed_pct);
	tp_sql_bind_real(sql, ":cv_a", v->cv_pct[0]);
	tp_sql_bind_real(sql, ":cv_child", v->cv_pct[1]);
	tp_sql_bind_real(sql, ":cv_b", v->cv_pct[2]);
}

int tp_store_verdict_put(struct tp_store *store, int64_t job, const char *metric,
			 const struct tp_verdict *verdict, const struct tp_verdict_extra *extra,
			 int64_t now_ms, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "verdict-put");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_VERDICT_PUT, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_text(&sql, ":metric", metric);
	tp_sql_bind_text(&sql, ":metric_role", extra->metric_role);
	tp_sql_bind_text(&sql, ":better", extra->better);
	tp_sql_bind_text(&sql, ":label", verdict->label);
	tp_sql_bind_text(&sql, ":reason", verdict->reason);
	bind_numbers(&sql, verdict);
	tp_sql_bind_text(&sql, ":label_drop_first", extra->label_drop_first);
	tp_sql_bind_int(&sql, ":sensitivity_conflict", extra->sensitivity_conflict);
	tp_sql_bind_int(&sql, ":control_failed", extra->control_failed);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, NULL, reterr);
	return r < 0 ? r : tp_txn_commit(&txn, reterr);
}
