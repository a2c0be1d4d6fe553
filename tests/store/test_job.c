/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs and steps: whole or not at all, one worker at a time, started once. */
#include "store_helper.h"

#include <errno.h>

static void created_whole(void **state)
{
	struct world *w = *state;
	struct tp_job_row row;

	fill_world(w);
	ok(w, tp_store_job_get(w->store, w->job, &row, &w->err));
	assert_int_equal(row.kind, TP_JOB_EXACT);
	assert_int_equal(row.state, TP_JOB_RUNNING);
	assert_int_equal(row.verdict, TP_VERDICT_NONE);
	assert_string_equal(row.request_json, "{}");
	assert_string_equal(row.asked_by, "tester");
	assert_null(row.reason);
	assert_int_equal(row.target_id, w->target);
	assert_int_equal(row.protocol_id, w->protocol);
	assert_int_equal(row.epoch, 1);
	assert_int_equal(row.created_ms, 2000);
	assert_int_equal(row.finished_ms, 0);
	assert_int_equal(row.max_boot_attempts, 2);
	assert_int_equal(row.max_infra_attempts, 5);
	assert_false(row.cleaned);
	tp_job_row_deinit(&row);
	assert_peek(w, "SELECT group_concat(role) FROM (SELECT role FROM points ORDER BY position)",
		    "parent_a,child,parent_b");
}

static void or_not_at_all(void **state)
{
	struct world *w = *state;
	struct tp_job_new job;
	int64_t id = 77;

	fill_world(w);
	job = exact_job(w);
	job.points[2].kernel_id = 999;
	refused(w, -EINVAL, "refuses a record: FOREIGN KEY",
		tp_store_job_create(w->store, &job, 1, &id, &w->err));
	job = exact_job(w);
	job.target_id = 999;
	refused(w, TP_STORE_E_NOT_FOUND, "no target number 999",
		tp_store_job_create(w->store, &job, 1, &id, &w->err));
	job = exact_job(w);
	job.n_points = 17;
	refused(w, -EINVAL, "1 to 16 points", tp_store_job_create(w->store, &job, 1, &id, &w->err));
	assert_int_equal(id, 77);
	assert_peek(w, "SELECT count(*) FROM job", "1");
	/* The same inside the caller's transaction: what else is in it stays. */
	job = exact_job(w);
	job.points[2].kernel_id = 999;
	ok(w, tp_store_begin(w->store, &w->err));
	ok(w, tp_store_event_add(w->store, 0, "kept", 1, &w->err));
	refused(w, -EINVAL, "FOREIGN KEY", tp_store_job_create(w->store, &job, 1, &id, &w->err));
	ok(w, tp_store_commit(w->store, &w->err));
	assert_peek(w, "SELECT count(*) FROM job", "1");
	assert_peek(w, "SELECT text FROM event", "kept");
}

static void the_newest_is_found(void **state)
{
	struct world *w = *state;
	struct tp_job_new job;
	int64_t newer, found;

	fill_world(w);
	job = exact_job(w);
	ok(w, tp_store_job_create(w->store, &job, 1, &newer, &w->err));
	ok(w, tp_store_job_find(w->store, "request", &found, &w->err));
	assert_int_equal(found, newer);
	refused(w, TP_STORE_E_NOT_FOUND, "no such job",
		tp_store_job_find(w->store, "none", &found, &w->err));
}

static void an_old_worker_is_fenced_everywhere(void **state)
{
	struct world *w = *state;
	int64_t old, boot, step, id, point;

	fill_world(w);
	boot = new_boot(w, 0);
	point = point_id(w, 1);
	ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_DEPLOY, 0, boot, 1, &step,
				  &w->err));
	old = w->epoch;
	ok(w, tp_store_job_claim(w->store, w->job, 10, &w->epoch, &w->err));
	assert_int_equal(w->epoch, old + 1);
	refused(w, TP_STORE_E_FENCED, "another worker has taken job 1 over; this one stops",
		tp_store_boot_move(w->store, old, boot, TP_BOOT_PLANNED, TP_BOOT_INSTALLED, NULL, 1,
				   &w->err));
	refused(w, TP_STORE_E_FENCED, "taken job 1 over",
		tp_store_boot_new(w->store, w->job, old, point, "t", 1, &id, &w->err));
	refused(w, TP_STORE_E_FENCED, "taken job 1 over",
		tp_store_step_start(w->store, w->job, old, TP_STEP_ARM, 0, boot, 1, &id, &w->err));
	refused(w, TP_STORE_E_FENCED, "has taken the job of step",
		tp_store_step_finish(w->store, old, step, TP_STEP_DONE, NULL, 1, &w->err));
	refused(w, TP_STORE_E_FENCED, "taken job 1 over",
		tp_store_job_finish(w->store, w->job, old, TP_JOB_FAILED, TP_VERDICT_NONE, NULL, 1,
				    &w->err));
	refused(w, TP_STORE_E_FENCED, "taken job 1 over",
		tp_store_job_set_cleaned(w->store, w->job, old, &w->err));
	assert_peek(w, "SELECT state FROM boot", "planned");
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_INSTALLED, NULL,
				 1, &w->err));
}

static void a_claim_forgets_what_was_started(void **state)
{
	struct world *w = *state;
	int64_t done, open, other;

	fill_world(w);
	ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->parent, 0, 1, &done,
				  &w->err));
	ok(w, tp_store_step_finish(w->store, w->epoch, done, TP_STEP_DONE, "cached", 5, &w->err));
	ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->child, 0, 6, &open,
				  &w->err));
	ok(w, tp_store_job_claim(w->store, w->job, 10, &w->epoch, &w->err));
	assert_peek(w, "SELECT state || finished_ms FROM step WHERE id = 1", "done5");
	assert_peek(w, "SELECT state || finished_ms FROM step WHERE id = 2", "unknown10");
	/* The same step may now be started again: a new row, the next attempt. */
	ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->child, 0, 11,
				  &other, &w->err));
	assert_int_not_equal(other, open);
	assert_peek(w, "SELECT attempt FROM step WHERE id = 3", "2");
}

static void no_second_start(void **state)
{
	struct world *w = *state;
	int64_t step, id;

	fill_world(w);
	ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->parent, 0, 1, &step,
				  &w->err));
	refused(w, TP_STORE_E_CONFLICT, "the step build of job 1 is started already",
		tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->parent, 0, 1, &id,
				    &w->err));
	ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->child, 0, 1, &id,
				  &w->err));
	ok(w,
	   tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_JUDGE, 0, 0, 1, &id, &w->err));
	refused(
	    w, TP_STORE_E_CONFLICT, "judge",
	    tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_JUDGE, 0, 0, 1, &id, &w->err));
	/* The database refuses too, whoever asks. */
	assert_null(peek(w, "INSERT INTO step (job_id, epoch, kind, state, attempt, started_ms) "
			    "VALUES (1, 1, 'judge', 'started', 9, 1) RETURNING id"));
	ok(w, tp_store_step_finish(w->store, w->epoch, step, TP_STEP_FAILED, "why", 2, &w->err));
	refused(w, TP_STORE_E_CONFLICT, "step 1 is failed, not started",
		tp_store_step_finish(w->store, w->epoch, step, TP_STEP_DONE, NULL, 3, &w->err));
	refused(w, -EINVAL, "cannot become planned",
		tp_store_step_finish(w->store, w->epoch, id, TP_STEP_PLANNED, NULL, 3, &w->err));
	refused(w, TP_STORE_E_NOT_FOUND, "no step 99",
		tp_store_step_finish(w->store, w->epoch, 99, TP_STEP_DONE, NULL, 3, &w->err));
	refused(w, TP_STORE_E_NOT_FOUND, "no job 99",
		tp_store_step_start(w->store, 99, 1, TP_STEP_JUDGE, 0, 0, 1, &id, &w->err));
}

static void ends_once_and_with_sense(void **state)
{
	struct world *w = *state;
	int64_t epoch;

	fill_world(w);
	refused(w, -EINVAL, "cannot end as done with the verdict NONE",
		tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_DONE, TP_VERDICT_NONE, NULL,
				    9, &w->err));
	refused(w, -EINVAL, "cannot end as failed with the verdict MEASURED",
		tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_FAILED, TP_VERDICT_MEASURED,
				    NULL, 9, &w->err));
	refused(w, -EINVAL, "cannot end as running",
		tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_RUNNING, TP_VERDICT_NONE,
				    NULL, 9, &w->err));
	ok(w, tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_DONE, TP_VERDICT_NO_OP,
				  "equal images", 9, &w->err));
	assert_peek(w, "SELECT state || verdict || reason || finished FROM jobs",
		    "doneNO_OPequal images1970-01-01T00:00:00.009Z");
	refused(w, TP_STORE_E_CONFLICT, "job 1 is done and cannot become failed",
		tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_FAILED, TP_VERDICT_NONE,
				    NULL, 9, &w->err));
	refused(w, TP_STORE_E_CONFLICT, "job 1 is done and cannot become running",
		tp_store_job_claim(w->store, w->job, 10, &epoch, &w->err));
	refused(w, TP_STORE_E_NOT_FOUND, "no job 99",
		tp_store_job_claim(w->store, 99, 10, &epoch, &w->err));
}

static void a_failed_job_goes_on(void **state)
{
	struct world *w = *state;
	struct tp_snapshot s;
	int64_t epoch;

	fill_world(w);
	ok(w, tp_store_job_set_cleaned(w->store, w->job, w->epoch, &w->err));
	/* A restart does not clean twice ... */
	ok(w, tp_store_job_claim(w->store, w->job, 10, &epoch, &w->err));
	ok(w, tp_store_snapshot(w->store, w->job, &s, &w->err));
	assert_true(s.cleaned);
	/* ... but a retry uses the target again. */
	ok(w, tp_store_job_finish(w->store, w->job, epoch, TP_JOB_FAILED, TP_VERDICT_NONE, "ssh", 9,
				  &w->err));
	ok(w, tp_store_job_claim(w->store, w->job, 10, &epoch, &w->err));
	ok(w, tp_store_snapshot(w->store, w->job, &s, &w->err));
	assert_false(s.cleaned);
	assert_int_equal(s.job_state, TP_JOB_RUNNING);
	assert_peek(w, "SELECT ifnull(reason, 'no') || ifnull(finished, 'no') FROM jobs", "nono");
}

static void means_are_of_the_same_target_and_kind(void **state)
{
	struct world *w = *state;
	int64_t step, mean;

	fill_world(w);
	ok(w, tp_store_step_mean_ms(w->store, w->target, TP_STEP_BUILD, &mean, &w->err));
	assert_int_equal(mean, 0);
	for (int i = 0; i < 25; i++) {
		/* The five oldest took an hour; they are forgotten. */
		int64_t took_ms = i < 5 ? 3600000 : 100 + (i % 2);

		ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->parent, 0,
					  0, &step, &w->err));
		ok(w, tp_store_step_finish(w->store, w->epoch, step, TP_STEP_DONE, NULL, took_ms,
					   &w->err));
	}
	ok(w, tp_store_step_start(w->store, w->job, w->epoch, TP_STEP_BUILD, w->parent, 0, 0, &step,
				  &w->err));
	ok(w,
	   tp_store_step_finish(w->store, w->epoch, step, TP_STEP_FAILED, NULL, 999999, &w->err));
	ok(w, tp_store_step_mean_ms(w->store, w->target, TP_STEP_BUILD, &mean, &w->err));
	assert_true(mean == 100 || mean == 101);
	ok(w, tp_store_step_mean_ms(w->store, w->target, TP_STEP_ARM, &mean, &w->err));
	assert_int_equal(mean, 0);
	ok(w, tp_store_step_mean_ms(w->store, 99, TP_STEP_BUILD, &mean, &w->err));
	assert_int_equal(mean, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(created_whole),
	    world_test(or_not_at_all),
	    world_test(the_newest_is_found),
	    world_test(an_old_worker_is_fenced_everywhere),
	    world_test(a_claim_forgets_what_was_started),
	    world_test(no_second_start),
	    world_test(ends_once_and_with_sense),
	    world_test(a_failed_job_goes_on),
	    world_test(means_are_of_the_same_target_and_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
