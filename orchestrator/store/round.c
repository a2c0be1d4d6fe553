/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw rounds, and the location of each boot that they give; see store.h. */
#include "store/sql.h"

#include <errno.h>
#include <stdlib.h>

int tp_store_round_add(struct tp_store *store, int64_t boot, const struct tp_round_row *round,
		       struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int changes;
	int r;

	/* A hundred thousand commits would take minutes, and half a boot is none. */
	if (!store->in_transaction)
		return tp_err_set(reterr, -EINVAL, NULL,
				  "rounds are stored in the transaction that completes their boot");
	r = tp_sql_open(store, TP_STATEMENT_ROUND_ADD, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":boot", boot);
	tp_sql_bind_text(&sql, ":metric", round->metric);
	tp_sql_bind_text(&sql, ":phase", tp_phase_name(round->phase));
	tp_sql_bind_int(&sql, ":round", round->round);
	tp_sql_bind_int(&sql, ":elapsed_ns", round->elapsed_ns);
	tp_sql_bind_int(&sql, ":ops", round->ops);
	tp_sql_bind_int(&sql, ":position", round->order);
	tp_sql_bind_int(&sql, ":semantic_ok", round->semantic_ok);
	tp_sql_bind_int(&sql, ":affinity_ok", round->affinity_ok);
	tp_sql_bind_text(&sql, ":fields_json", round->fields_json);
	r = tp_sql_run(&sql, &changes, reterr);
	if (r == -EINVAL) /* a CHECK or the key: what the agent says contradicts itself */
		return tp_err_set(reterr, -EBADMSG, NULL,
				  "%s round %d of %.100s is there a second time or has impossible "
				  "values",
				  tp_phase_name(round->phase), round->round,
				  round->metric ? round->metric : "no metric");
	if (r == 0 && changes == 0)
		return tp_err_set(reterr, TP_STORE_E_CONFLICT, NULL,
				  "boot %lld is not measuring: its rounds cannot be stored",
				  (long long)boot);
	return r;
}

void tp_round_values_deinit(struct tp_round_values *values)
{
	free(values->elapsed_ns);
	free(values->ops);
	free(values->round);
	*values = (struct tp_round_values){};
}

static int grow(struct tp_round_values *v, size_t cap)
{
	int64_t *elapsed_ns = reallocarray(v->elapsed_ns, cap, sizeof(*elapsed_ns));
	int64_t *ops = elapsed_ns ? reallocarray(v->ops, cap, sizeof(*ops)) : NULL;
	int *round = ops ? reallocarray(v->round, cap, sizeof(*round)) : NULL;

	v->elapsed_ns = elapsed_ns ? elapsed_ns : v->elapsed_ns;
	v->ops = ops ? ops : v->ops;
	v->round = round ? round : v->round;
	return round ? 0 : -ENOMEM;
}

static int read_values(struct tp_sql *sql, struct tp_round_values *v, struct tp_err *reterr)
{
	size_t cap = 0;
	int r;

	while ((r = tp_sql_step(sql, reterr)) > 0) {
		if (v->n == cap) {
			cap = cap ? 2 * cap : 64;
			if (grow(v, cap) < 0)
				return tp_err_oom(reterr);
		}
		v->round[v->n] = (int)tp_sql_int(sql);
		v->elapsed_ns[v->n] = tp_sql_int(sql);
		v->ops[v->n] = tp_sql_int(sql);
		v->n_bad_semantic += tp_sql_int(sql) == 0;
		v->n_bad_affinity += tp_sql_int(sql) == 0;
		v->n++;
	}
	return r;
}

int tp_store_round_values(struct tp_store *store, int64_t boot, const char *metric,
			  enum tp_phase phase, struct tp_round_values *ret, struct tp_err *reterr)
{
	_cleanup_(tp_round_values_deinit) struct tp_round_values values = {};
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_ROUND_VALUES, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":boot", boot);
	tp_sql_bind_text(&sql, ":metric", metric);
	tp_sql_bind_text(&sql, ":phase", tp_phase_name(phase));
	r = read_values(&sql, &values, reterr);
	if (r < 0)
		return r;
	if (values.n == 0)
		return tp_err_set(reterr, TP_STORE_E_NOT_FOUND, metric,
				  "boot %lld has no %s rounds of %s", (long long)boot,
				  tp_phase_name(phase), metric);
	*ret = values;
	values = (struct tp_round_values){};
	return 0;
}

int tp_store_location_put(struct tp_store *store, int64_t boot, const char *metric, size_t n,
			  double location, double cv_pct, double sd, double ci_low, double ci_high,
			  double location_drop_first, struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "location-put");
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_txn_begin(&txn, reterr);

	if (r == 0)
		r = tp_sql_open(store, TP_STATEMENT_LOCATION_PUT, &sql, reterr);
	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":boot", boot);
	tp_sql_bind_text(&sql, ":metric", metric);
	tp_sql_bind_int(&sql, ":n", (int64_t)n);
	tp_sql_bind_real(&sql, ":location", location);
	tp_sql_bind_real(&sql, ":cv_pct", cv_pct);
	tp_sql_bind_real(&sql, ":sd", sd);
	tp_sql_bind_real(&sql, ":ci_low", ci_low);
	tp_sql_bind_real(&sql, ":ci_high", ci_high);
	tp_sql_bind_real(&sql, ":drop_first", location_drop_first);
	r = tp_sql_run(&sql, NULL, reterr);
	return r < 0 ? r : tp_txn_commit(&txn, reterr);
}
