/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocols, stored whole; see store.h. */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

static int find(struct tp_store *store, const char *sha256, int64_t *ret, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_PROTOCOL_FIND, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":sha256", sha256);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, -EIO, NULL, "the protocol %.12s was not stored", sha256);
	if (r < 0)
		return r;
	*ret = tp_sql_int(&sql);
	return 0;
}

int tp_store_protocol_put(struct tp_store *store, const char *name, const char *sha256,
			  const char *text, int64_t now_ms, int64_t *ret_id, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "protocol-put");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int64_t id = 0;
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_PROTOCOL_PUT, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_text(&sql, ":name", name);
	tp_sql_bind_text(&sql, ":sha256", sha256);
	tp_sql_bind_text(&sql, ":text", text);
	tp_sql_bind_int(&sql, ":now", now_ms);
	r = tp_sql_run(&sql, NULL, reterr);
	if (r == 0)
		r = find(store, sha256, &id, reterr);
	if (r == 0)
		r = tp_txn_commit(&txn, reterr);
	if (r == 0)
		*ret_id = id;
	return r;
}

int tp_store_protocol_get(struct tp_store *store, int64_t id, char **ret_text,
			  char ret_sha256[static TP_SHA256_HEX], struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	_cleanup_(tp_freep) char *text = NULL;
	const char *sha256;
	int r = tp_sql_open(store, TP_STATEMENT_PROTOCOL_GET, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":id", id);
	r = tp_sql_step(&sql, reterr);
	if (r == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, NULL,
				  "there is no protocol number %lld", (long long)id);
	if (r < 0)
		return r;
	text = tp_sql_text(&sql);
	sha256 = tp_sql_peek(&sql);
	r = tp_sql_check(&sql, reterr);
	if (r < 0)
		return r;
	memcpy(ret_sha256, sha256, TP_SHA256_HEX); /* CHECK: 64 digits */
	*ret_text = TP_TAKE(text);
	return 0;
}
