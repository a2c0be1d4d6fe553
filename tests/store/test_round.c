/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounds: raw, all of a boot or none, a hundred thousand of them in bounded memory. */
#include "store_helper.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>

#include "util/clock.h"

static struct tp_round_row make_round(int round, int64_t elapsed_ns)
{
	return (struct tp_round_row){
	    .phase = TP_PHASE_MEASURED,
	    .round = round,
	    .metric = "m_ns",
	    .elapsed_ns = elapsed_ns,
	    .ops = 96,
	    .order = round % 2,
	    .semantic_ok = true,
	    .affinity_ok = true,
	};
}

static int64_t measuring_boot(struct world *w)
{
	int64_t boot;

	fill_world(w);
	boot = new_boot(w, 0);
	bring_to(w, boot, TP_BOOT_MEASURING);
	return boot;
}

static void complete(struct world *w, int64_t boot)
{
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_MEASURING, TP_BOOT_COMPLETE,
				 NULL, 9000, &w->err));
	ok(w, tp_store_commit(w->store, &w->err));
}

static void stored_as_they_are(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_round_values_deinit) struct tp_round_values v = {};
	int64_t boot = measuring_boot(w);
	struct tp_round_row round;
	struct tp_boot_row row;

	ok(w, tp_store_begin(w->store, &w->err));
	/* Out of order, and with a warm-up that must not be among them. */
	for (int i = 3; i >= 1; i--) {
		round = make_round(i, 9007199254740993LL + i); /* no double holds it */
		round.semantic_ok = i != 2;
		round.affinity_ok = i == 1;
		round.fields_json = i == 1 ? "{\"adds\":96}" : NULL;
		ok(w, tp_store_round_add(w->store, boot, &round, &w->err));
	}
	round = make_round(1, 5);
	round.phase = TP_PHASE_WARMUP;
	ok(w, tp_store_round_add(w->store, boot, &round, &w->err));
	complete(w, boot);
	ok(w, tp_store_round_values(w->store, boot, "m_ns", TP_PHASE_MEASURED, &v, &w->err));
	assert_int_equal(v.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(v.round[i], i + 1);
		assert_true(v.elapsed_ns[i] == 9007199254740994LL + i);
		assert_int_equal(v.ops[i], 96);
	}
	assert_int_equal(v.n_bad_semantic, 1);
	assert_int_equal(v.n_bad_affinity, 2);
	ok(w, tp_store_boot_get(w->store, boot, &row, &w->err));
	assert_int_equal(row.n_rounds, 3);
	tp_boot_row_deinit(&row);
}

static void nothing_there(void **state)
{
	struct world *w = *state;
	struct tp_round_values v = {};

	refused(w, TP_STORE_E_NOT_FOUND, "boot 5 has no measured rounds of m_ns",
		tp_store_round_values(w->store, 5, "m_ns", TP_PHASE_MEASURED, &v, &w->err));
	assert_null(v.round);
}

static void only_while_measuring(void **state)
{
	struct world *w = *state;
	int64_t boot = measuring_boot(w);
	struct tp_round_row round = make_round(1, 5);

	refused(w, -EINVAL, "in the transaction that completes",
		tp_store_round_add(w->store, boot, &round, &w->err));
	ok(w, tp_store_begin(w->store, &w->err));
	complete(w, boot);
	ok(w, tp_store_begin(w->store, &w->err));
	refused(w, TP_STORE_E_CONFLICT, "is not measuring",
		tp_store_round_add(w->store, boot, &round, &w->err));
	tp_store_rollback(w->store);
	assert_peek(w, "SELECT count(*) FROM round", "0");
}

static void impossible_rounds(void **state)
{
	struct world *w = *state;
	int64_t boot = measuring_boot(w);
	struct tp_round_row round;

	ok(w, tp_store_begin(w->store, &w->err));
	round = make_round(1, 5);
	ok(w, tp_store_round_add(w->store, boot, &round, &w->err));
	refused(w, -EBADMSG, "measured round 1 of m_ns is there a second time",
		tp_store_round_add(w->store, boot, &round, &w->err));
	round = make_round(2, 0);
	refused(w, -EBADMSG, "impossible values",
		tp_store_round_add(w->store, boot, &round, &w->err));
	round = make_round(0, 5);
	refused(w, -EBADMSG, "impossible values",
		tp_store_round_add(w->store, boot, &round, &w->err));
	round = make_round(2, 5);
	round.ops = 0;
	refused(w, -EBADMSG, "impossible values",
		tp_store_round_add(w->store, boot, &round, &w->err));
	round = make_round(2, 5);
	round.metric = NULL;
	refused(w, -EBADMSG, "impossible values",
		tp_store_round_add(w->store, boot, &round, &w->err));
	complete(w, boot);
	assert_peek(w, "SELECT count(*) FROM round", "1");
}

/* A worker that another one replaced while it stored its rounds leaves none of them. */
static void a_fenced_boot_leaves_no_rounds(void **state)
{
	struct world *w = *state;
	int64_t boot = measuring_boot(w), old = w->epoch;
	struct tp_round_row round = make_round(1, 5);

	ok(w, tp_store_job_claim(w->store, w->job, 1, &w->epoch, &w->err));
	ok(w, tp_store_begin(w->store, &w->err));
	ok(w, tp_store_round_add(w->store, boot, &round, &w->err));
	refused(w, TP_STORE_E_FENCED, "taken job 1 over",
		tp_store_boot_move(w->store, old, boot, TP_BOOT_MEASURING, TP_BOOT_COMPLETE, NULL,
				   1, &w->err));
	tp_store_rollback(w->store);
	assert_peek(w, "SELECT count(*) FROM round", "0");
}

static void a_hundred_thousand(void **state)
{
	struct world *w = *state;
	_cleanup_(tp_round_values_deinit) struct tp_round_values v = {};
	int64_t boot = measuring_boot(w);
	int64_t start_ms = tp_clock_mono_ms();
	size_t before, grown;

	ok(w, tp_store_begin(w->store, &w->err));
	before = mallinfo2().uordblks;
	for (int i = 1; i <= 100000; i++) {
		struct tp_round_row round = make_round(i, 1000000 + i);

		ok(w, tp_store_round_add(w->store, boot, &round, &w->err));
	}
	grown = mallinfo2().uordblks - before;
	complete(w, boot);
	printf("100 000 rounds: %lld ms, %zu KiB more\n",
	       (long long)(tp_clock_mono_ms() - start_ms), grown / 1024);
	assert_true(grown < 16u << 20);
	assert_true(tp_clock_mono_ms() - start_ms < 60000);
	ok(w, tp_store_round_values(w->store, boot, "m_ns", TP_PHASE_MEASURED, &v, &w->err));
	assert_int_equal(v.n, 100000);
	assert_int_equal(v.elapsed_ns[99999], 1100000);
}

static void estimates_and_labels(void **state)
{
	struct world *w = *state;
	int64_t boot = measuring_boot(w);
	struct tp_verdict verdict = {
	    .parent_a = 100.5,
	    .child = 110,
	    .parent_b = 101,
	    .midpoint = 100.75,
	    .child_vs_parent_a_pct = 9.45,
	    .cv_pct = {1.5, NAN, 2.5},
	    .label = "EXACT_CHILD_SLOWER",
	    .reason = "both above",
	};
	struct tp_verdict_extra extra = {
	    .better = "lower",
	    .metric_role = "primary",
	    .label_drop_first = "NO_MATERIAL_SIGNAL",
	    .sensitivity_conflict = true,
	};

	ok(w, tp_store_begin(w->store, &w->err));
	complete(w, boot);
	/* Twice: judging again writes the same rows. */
	for (int i = 0; i < 2; i++) {
		ok(w, tp_store_location_put(w->store, boot, "m_ns", 25, 104.25 + i, 1.5, NAN, 100,
					    108, NAN, &w->err));
		ok(w,
		   tp_store_verdict_put(w->store, w->job, "m_ns", &verdict, &extra, 9000, &w->err));
	}
	assert_peek(w, "SELECT location || ifnull(sd, 'null') FROM points WHERE metric = 'm_ns'",
		    "105.25null");
	assert_peek(w, "SELECT count(*) FROM verdicts", "1");
	assert_peek(w,
		    "SELECT evidence || ' ' || kernel || ' ' || label || parent_a_cv_pct || "
		    "ifnull(child_cv_pct, 'null') || sensitivity_conflict || judged FROM verdicts",
		    "virtual v2 EXACT_CHILD_SLOWER1.5null11970-01-01T00:00:09.000Z");
	extra.better = "faster";
	refused(w, -EINVAL, "refuses a record",
		tp_store_verdict_put(w->store, w->job, "m_ns", &verdict, &extra, 9000, &w->err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(stored_as_they_are),
	    world_test(nothing_there),
	    world_test(only_while_measuring),
	    world_test(impossible_rounds),
	    world_test(a_fenced_boot_leaves_no_rounds),
	    world_test(a_hundred_thousand),
	    world_test(estimates_and_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
