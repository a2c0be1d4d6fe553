/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernels by content address; see store.h. */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>

void tp_kernel_row_deinit(struct tp_kernel_row *row)
{
	char *texts[] = {
	    row->key,	       row->spec,
	    row->commit_id,    row->tree_id,
	    row->subject,      row->release,
	    row->build_id,     row->config_sha256,
	    row->image_sha256, row->canonical_sha256,
	    row->artifact_dir, row->manifest_json,
	    row->first_error,  row->log_path,
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(texts); i++)
		free(texts[i]);
	*row = (struct tp_kernel_row){};
}

static int find(struct tp_store *store, const char *key, int64_t *ret, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_KERNEL_FIND, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":key", key);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, -EIO, NULL, "the kernel %.12s was not stored", key);
	if (r < 0)
		return r;
	*ret = tp_sql_int(&sql);
	return 0;
}

int tp_store_kernel_put(struct tp_store *store, const char *key, const char *spec,
			const char *commit_id, const char *tree_id, const char *subject,
			int64_t now_ms, int64_t *ret_id, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "kernel-put");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int64_t id = 0;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_KERNEL_PUT, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":key", key);
	tp_sql_bind_text(&sql, ":spec", spec);
	tp_sql_bind_text(&sql, ":commit_id", commit_id);
	tp_sql_bind_text(&sql, ":tree_id", tree_id);
	tp_sql_bind_text(&sql, ":subject", subject);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, NULL, reterr);
	if (r == 0)
		r = find(store, key, &id, reterr);
	if (r == 0)
		r = tp_txn_commit(&txn, reterr);
	if (r == 0)
		*ret_id = id;
	return r;
}

int tp_store_kernel_get(struct tp_store *store, int64_t id, struct tp_kernel_row *ret,
			struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	struct tp_kernel_row row = {};
	int r = tp_sql_open(store, TP_STATEMENT_KERNEL_GET, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL,
				  "there is no kernel number %lld", (long long)id);
	if (r < 0)
		return r;
	row.id = tp_sql_int(&sql);
	row.state = (enum tp_kernel_state)tp_sql_word(&sql, tp_kernel_state_parse);
	row.key = tp_sql_text(&sql);
	row.spec = tp_sql_text(&sql);
	row.commit_id = tp_sql_text(&sql);
	row.tree_id = tp_sql_text(&sql);
	row.subject = tp_sql_text(&sql);
	row.release = tp_sql_text(&sql);
	row.build_id = tp_sql_text(&sql);
	row.config_sha256 = tp_sql_text(&sql);
	row.image_sha256 = tp_sql_text(&sql);
	row.canonical_sha256 = tp_sql_text(&sql);
	row.artifact_dir = tp_sql_text(&sql);
	row.manifest_json = tp_sql_text(&sql);
	row.first_error = tp_sql_text(&sql);
	row.log_path = tp_sql_text(&sql);
	row.build_ms = tp_sql_int(&sql);
	r = tp_sql_check(&sql, reterr);
	if (r < 0)
		tp_kernel_row_deinit(&row);
	else
		*ret = row;
	return r;
}

static int not_expected(struct tp_store *store, int64_t id, const char *expected,
			struct tp_err *reterr)
{
	_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row row = {};
	int r = tp_store_kernel_get(store, id, &row, reterr);

	if (r != 0)
		return r;
	return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL, "kernel %lld (%s) is %s, not %s",
			  (long long)id, row.spec, tp_kernel_state_name(row.state), expected);
}

static void bind_results(struct tp_sql *sql, const struct tp_kernel_row *row)
{
	tp_sql_bind_int(sql, ":id", row->id);
	tp_sql_bind_text(sql, ":state", tp_kernel_state_name(row->state));
	tp_sql_bind_text(sql, ":release", row->release);
	tp_sql_bind_text(sql, ":build_id", row->build_id);
	tp_sql_bind_text(sql, ":config_sha256", row->config_sha256);
	tp_sql_bind_text(sql, ":image_sha256", row->image_sha256);
	tp_sql_bind_text(sql, ":canonical_sha256", row->canonical_sha256);
	tp_sql_bind_text(sql, ":artifact_dir", row->artifact_dir);
	tp_sql_bind_text(sql, ":manifest_json", row->manifest_json);
	tp_sql_bind_text(sql, ":first_error", row->first_error);
	tp_sql_bind_text(sql, ":log_path", row->log_path);
	tp_sql_bind_int(sql, ":build_ms", row->build_ms);
}

int tp_store_kernel_finish(struct tp_store *store, const struct tp_kernel_row *row,
			   struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "kernel-finish");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r;

	if (row->state == TP_KERNEL_PLANNED)
		return tp_err_set(reterr, -EINVAL, NULL, "a finished build cannot be planned");
	r = tp_txn_begin(&txn, reterr);
	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_KERNEL_FINISH, &sql, reterr);
	if (r < 0)
		return r;
	bind_results(&sql, row);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = not_expected(store, row->id, "planned", reterr);
	return r != 0 ? r : tp_txn_commit(&txn, reterr);
}

int tp_store_kernel_reset(struct tp_store *store, int64_t id, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "kernel-reset");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_KERNEL_RESET, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == 0 && changes == 0)
		r = not_expected(store, id, "built", reterr);
	return r != 0 ? r : tp_txn_commit(&txn, reterr);
}
