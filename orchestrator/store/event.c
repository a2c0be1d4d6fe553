/* SPDX-License-Identifier: GPL-2.0-or-later */
/* History for people; see store.h. */
#include "store/sql.h"

int tp_store_event_add(struct tp_store *store, int64_t job, const char *text, int64_t now_ms,
		       struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "event-add");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_EVENT_ADD, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	tp_sql_bind_int(&sql, ":now", now_ms);
	tp_sql_bind_text(&sql, ":text", text);
	r = tp_sql_run(&sql, NULL, reterr);
	return r < 0 ? r : tp_txn_commit(&txn, reterr);
}
