/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From stored raw rounds to stored labels. Pure numbers go through core; here they are read,
 * handed over and written back in one transaction.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/classify.h"
#include "core/stats.h"
#include "engine/act.h"
#include "util/clock.h"
#include "engine/environment.h"
#include "util/failpoint.h"
#include "util/str.h"

/* One metric of one boot: a value per measured round. */
struct series {
	double *values;
	size_t n;
	bool semantic_bad, quantum_bad;
};

static void series_deinit(struct series *s)
{
	free(s->values);
}

static int series_alloc(struct series *s, size_t n, struct tp_err *reterr)
{
	s->values = calloc(n ? n : 1, sizeof(double));
	s->n = n;
	return s->values ? 0 : tp_err_oom(reterr);
}

static int missing(const char *metric, struct tp_err *reterr)
{
	return tp_err_set(reterr, -ENODATA, metric,
			  "the agent measured no metric named %s; compare the protocol's metrics "
			  "with those of the workload",
			  metric);
}

/* The clock's own step against what one round takes: raw elapsed times, before any division. */
static bool quantum_is_coarse(const struct tp_round_values *raw, double limit_pct)
{
	double elapsed = 0;

	for (size_t i = 0; i < raw->n; i++)
		elapsed += (double)raw->elapsed_ns[i];
	if (raw->n < 3)
		return false;
	return 100 * (double)tp_stats_quantum(raw->elapsed_ns, raw->n) /
		   (elapsed / (double)raw->n) >
	       limit_pct;
}

static int read_plain(struct tp_worker *w, int64_t boot, const char *metric, struct series *ret,
		      struct tp_err *reterr)
{
	_cleanup_(tp_round_values_deinit) struct tp_round_values raw = {};
	int r = tp_store_round_values(w->store, boot, metric, TP_PHASE_MEASURED, &raw, reterr);

	if (r == TP_STORE_E_NOT_FOUND)
		return missing(metric, reterr);
	if (r == 0)
		r = series_alloc(ret, raw.n, reterr);
	if (r != 0)
		return r;
	for (size_t i = 0; i < raw.n; i++)
		ret->values[i] = (double)raw.elapsed_ns[i] / (double)raw.ops[i];
	ret->semantic_bad =
	    raw.n_bad_semantic > 0 || raw.n_bad_affinity > 0 || raw.n != (size_t)w->protocol.rounds;
	ret->quantum_bad = quantum_is_coarse(&raw, w->protocol.gates.quantum_pct);
	return 0;
}

/* Pairs are matched inside one round; both series are in round order and must be complete. */
static int read_paired(struct tp_worker *w, int64_t boot, const struct tp_metric_def *metric,
		       struct series *ret, struct tp_err *reterr)
{
	_cleanup_(series_deinit) struct series num = {};
	_cleanup_(series_deinit) struct series den = {};
	int r = read_plain(w, boot, metric->paired_num, &num, reterr);

	if (r == 0)
		r = read_plain(w, boot, metric->paired_den, &den, reterr);
	if (r == 0 && num.n != den.n)
		r = tp_err_set(reterr, -EBADMSG, metric->name,
			       "%s: %zu rounds of %s but %zu of %s; pairs need both", metric->name,
			       num.n, metric->paired_num, den.n, metric->paired_den);
	if (r == 0)
		r = series_alloc(ret, num.n, reterr);
	if (r != 0)
		return r;
	for (size_t i = 0; i < num.n; i++)
		ret->values[i] = num.values[i] / den.values[i];
	ret->semantic_bad = num.semantic_bad || den.semantic_bad;
	ret->quantum_bad = num.quantum_bad || den.quantum_bad;
	return 0;
}

static int read_series(struct tp_worker *w, int64_t boot, const struct tp_metric_def *metric,
		       struct series *ret, struct tp_err *reterr)
{
	if (metric->paired_num)
		return read_paired(w, boot, metric, ret, reterr);
	return read_plain(w, boot, metric->name, ret, reterr);
}

/* The sample that is judged; @first is the index of the first round that counts. */
static struct tp_boot_sample sample_of(const struct tp_worker *w, const struct series *s,
				       size_t first)
{
	size_t n = s->n > first ? s->n - first : 0;
	const double *values = s->values + (n ? first : 0);

	return (struct tp_boot_sample){
	    .location = n ? tp_stats_location(values, n, w->protocol.location) : NAN,
	    .cv_pct = n ? tp_stats_cv_pct(values, n) : NAN,
	    .n = n,
	};
}

static int store_location(struct tp_worker *w, int64_t boot, const char *metric,
			  const struct series *s, const struct tp_boot_sample *sample,
			  double drop_first, struct tp_err *reterr)
{
	size_t first = s->n - sample->n;
	double low, high;

	tp_stats_median_interval(s->values + first, sample->n, &low, &high);
	return tp_store_location_put(w->store, boot, metric, sample->n, sample->location,
				     sample->cv_pct, tp_stats_sd(s->values + first, sample->n), low,
				     high, drop_first, reterr);
}

static void extra_of(const struct tp_metric_def *metric, const struct tp_verdict *verdict,
		     const struct tp_verdict *dropped, struct tp_verdict_extra *ret)
{
	*ret = (struct tp_verdict_extra){
	    .better = tp_better_name(metric->better),
	    .metric_role = tp_metric_role_name(metric->role),
	    .label_drop_first = dropped ? dropped->label : NULL,
	    .sensitivity_conflict = dropped && dropped->rule != verdict->rule,
	    .control_failed =
		metric->role == TP_METRIC_CONTROL && verdict->rule != TP_RULE_NO_MATERIAL_SIGNAL,
	};
}

/* Judge all rounds, and without measured round 1 as the sensitivity check. */
static int judge_samples(struct tp_worker *w, const struct tp_metric_def *metric,
			 const struct tp_boot_sample all[3], const struct tp_boot_sample dropped[3],
			 const struct tp_disqualified *disqualified, struct tp_err *reterr)
{
	bool sensitivity =
	    w->protocol.drop_first == TP_DROP_FIRST_SENSITIVITY && w->protocol.rounds > 1;
	struct tp_verdict verdict, verdict_dropped;
	struct tp_verdict_extra extra;
	int r = tp_classify(metric, &w->protocol.gates, all, disqualified, &verdict, reterr);

	if (r == 0 && sensitivity)
		r = tp_classify(metric, &w->protocol.gates, dropped, disqualified, &verdict_dropped,
				reterr);
	if (r != 0)
		return r;
	extra_of(metric, &verdict, sensitivity ? &verdict_dropped : NULL, &extra);
	return tp_store_verdict_put(w->store, w->job, metric->name, &verdict, &extra,
				    tp_clock_wall_ms(), reterr);
}

static int judge_metric(struct tp_worker *w, const struct tp_snapshot *s,
			const struct tp_metric_def *metric, bool environment_bad,
			struct tp_err *reterr)
{
	size_t first = w->protocol.drop_first == TP_DROP_FIRST_PRIMARY ? 1 : 0;
	struct tp_disqualified disqualified = {.environment = environment_bad};
	struct tp_boot_sample all[3], dropped[3];
	int r = 0;

	for (int i = 0; r == 0 && i < 3; i++) {
		_cleanup_(series_deinit) struct series series = {};
		int64_t boot = s->points[i].boot_id;

		r = read_series(w, boot, metric, &series, reterr);
		if (r != 0)
			break;
		all[i] = sample_of(w, &series, first);
		dropped[i] = sample_of(w, &series, 1);
		disqualified.semantic |= series.semantic_bad;
		disqualified.quantization |= series.quantum_bad;
		r = store_location(w, boot, metric->name, &series, &all[i], dropped[i].location,
				   reterr);
	}
	if (r == 0)
		r = judge_samples(w, metric, all, dropped, &disqualified, reterr);
	return r;
}

/* Microcode, clock source and the like must be equal at A, child and B, before and after. */
static int check_environment(struct tp_worker *w, const struct tp_snapshot *s, bool *ret_bad,
			     struct tp_err *reterr)
{
	_cleanup_(tp_boot_row_deinit) struct tp_boot_row first = {};
	int r = tp_store_boot_get(w->store, s->points[0].boot_id, &first, reterr);

	*ret_bad = false;
	for (int i = 0; r == 0 && i < s->n_points; i++) {
		_cleanup_(tp_boot_row_deinit) struct tp_boot_row boot = {};
		_cleanup_(tp_freep) char *before = NULL;
		_cleanup_(tp_freep) char *after = NULL;

		r = tp_store_boot_get(w->store, s->points[i].boot_id, &boot, reterr);
		if (r == 0)
			r = tp_environment_diff(first.env_before_json, boot.env_before_json,
						&before, reterr);
		if (r == 0)
			r = tp_environment_diff(first.env_before_json, boot.env_after_json, &after,
						reterr);
		if (r == 0 && (before[0] || after[0])) {
			*ret_bad = true;
			tp_act_say(w, "the environment of %s differs from the first boot's: %s",
				   tp_role_name(s->points[i].role), before[0] ? before : after);
		}
	}
	return r;
}

static int judge_all(struct tp_worker *w, const struct tp_snapshot *s, int64_t step,
		     struct tp_err *reterr)
{
	bool environment_bad = false;
	int r = check_environment(w, s, &environment_bad, reterr);

	if (r == 0)
		r = tp_store_begin(w->store, reterr);
	for (int i = 0; r == 0 && i < w->protocol.n_metrics; i++)
		r = judge_metric(w, s, &w->protocol.metrics[i], environment_bad, reterr);
	if (r == 0)
		r = tp_store_step_finish(w->store, w->epoch, step, TP_STEP_DONE, NULL,
					 tp_clock_wall_ms(), reterr);
	if (r == 0)
		r = tp_store_commit(w->store, reterr);
	if (r != 0)
		tp_store_rollback(w->store);
	return r;
}

int tp_act_judge(struct tp_worker *w, const struct tp_snapshot *s, struct tp_err *reterr)
{
	int64_t step;
	int r;

	if (s->n_points != 3)
		return tp_err_set(reterr, -ENOTSUP, NULL, "a sandwich has three points, not %d",
				  s->n_points);
	tp_progress_activity(&w->progress, "judging");
	r = tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_JUDGE, 0, 0, tp_clock_wall_ms(),
				&step, reterr);
	if (r != 0)
		return r;
	tp_failpoint("act:judging");
	return judge_all(w, s, step, reterr);
}
