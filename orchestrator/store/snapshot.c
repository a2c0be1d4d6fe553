/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job as core/plan sees it: one consistent picture of its rows; see store.h. */
#include "store/sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int too_many(int64_t job, struct tp_err *reterr)
{
	return tp_err_set(reterr, -EBADMSG, NULL, "job %lld has more than %d points",
			  (long long)job, TP_PLAN_MAX_POINTS);
}

static int read_kernels(struct tp_store *store, int64_t job, struct tp_snapshot *s,
			struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_SNAPSHOT_KERNELS, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	while ((r = tp_sql_step(&sql, reterr)) > 0) {
		struct tp_plan_kernel *k;

		if (s->n_kernels == TP_PLAN_MAX_POINTS)
			return too_many(job, reterr);
		k = &s->kernels[s->n_kernels++];
		k->id = tp_sql_int(&sql);
		k->state = (enum tp_kernel_state)tp_sql_word(&sql, tp_kernel_state_parse);
		snprintf(k->config_sha256, sizeof(k->config_sha256), "%s", tp_sql_peek(&sql));
		snprintf(k->image_sha256, sizeof(k->image_sha256), "%s", tp_sql_peek(&sql));
		r = tp_sql_check(&sql, reterr);
		if (r < 0)
			return r;
	}
	return r;
}

static int kernel_index(const struct tp_snapshot *s, int64_t id)
{
	for (int i = 0; i < s->n_kernels; i++) {
		if (s->kernels[i].id == id)
			return i;
	}
	return -1; /* not possible: both were read in one transaction */
}

static int read_points(struct tp_store *store, int64_t job, struct tp_snapshot *s,
		       struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_SNAPSHOT_POINTS, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	while ((r = tp_sql_step(&sql, reterr)) > 0) {
		struct tp_plan_point *p;

		if (s->n_points == TP_PLAN_MAX_POINTS)
			return too_many(job, reterr);
		p = &s->points[s->n_points++];
		p->id = tp_sql_int(&sql);
		p->role = (enum tp_role)tp_sql_word(&sql, tp_role_parse);
		p->kernel = kernel_index(s, tp_sql_int(&sql));
		r = tp_sql_check(&sql, reterr);
		if (r < 0)
			return r;
	}
	return r;
}

/* Discarded attempts count as attempts, but as nobody's fault. */
static void count_boot(struct tp_plan_point *p)
{
	p->has_boot = true;
	p->n_attempts++;
	if (p->boot_state != TP_BOOT_FAILED)
		return;
	if (tp_outcome_is_kernels_fault(p->boot_outcome))
		p->n_kernel_failures++;
	else
		p->n_infra_failures++;
}

static int read_boots(struct tp_store *store, struct tp_plan_point *p, struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_SNAPSHOT_BOOTS, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":point", p->id);
	while ((r = tp_sql_step(&sql, reterr)) > 0) {
		p->boot_id = tp_sql_int(&sql);
		p->boot_state = (enum tp_boot_state)tp_sql_word(&sql, tp_boot_state_parse);
		p->boot_outcome = (enum tp_boot_outcome)tp_sql_word(&sql, tp_boot_outcome_parse);
		r = tp_sql_check(&sql, reterr);
		if (r < 0)
			return r;
		count_boot(p);
	}
	return r;
}

static int read_job(struct tp_store *store, int64_t job, struct tp_snapshot *s,
		    struct tp_err *reterr)
{
	_cleanup_(tp_job_row_deinit) struct tp_job_row row = {};
	int r = tp_store_job_get(store, job, &row, reterr);

	if (r != 0)
		return r;
	s->job_state = row.state;
	s->limits.max_boot_attempts = row.max_boot_attempts;
	s->limits.max_infra_attempts = row.max_infra_attempts;
	s->cleaned = row.cleaned;
	return 0;
}

static int read_verdicts(struct tp_store *store, int64_t job, struct tp_snapshot *s,
			 struct tp_err *reterr)
{
	_cleanup_(tp_sql_close) struct tp_sql sql = {};
	int r = tp_sql_open(store, TP_STATEMENT_SNAPSHOT_VERDICTS, &sql, reterr);

	if (r < 0)
		return r;
	tp_sql_bind_int(&sql, ":job", job);
	r = tp_sql_step(&sql, reterr);
	if (r < 0)
		return r;
	s->verdicts_stored = tp_sql_int(&sql) != 0;
	return 0;
}

int tp_store_snapshot(struct tp_store *store, int64_t job, struct tp_snapshot *ret,
		      struct tp_err *reterr)
{
	_cleanup_(tp_txn_end) struct tp_txn txn = TP_TXN(store, "snapshot");
	struct tp_snapshot s = {};
	int r = tp_txn_begin_read(&txn, reterr);

	if (r == 0)
		r = read_job(store, job, &s, reterr);
	if (r == 0)
		r = read_kernels(store, job, &s, reterr);
	if (r == 0)
		r = read_points(store, job, &s, reterr);
	for (int i = 0; r == 0 && i < s.n_points; i++)
		r = read_boots(store, &s.points[i], reterr);
	if (r == 0)
		r = read_verdicts(store, job, &s, reterr);
	if (r == 0)
		*ret = s;
	return r;
}
