/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boot attempts: every move that core allows, none that it does not, and what is kept. */
#include "store_helper.h"

#include <errno.h>

static struct tp_boot_row boot_of(struct world *w, int64_t id)
{
	struct tp_boot_row row;

	ok(w, tp_store_boot_get(w->store, id, &row, &w->err));
	return row;
}

static void every_move(void **state)
{
	struct world *w = *state;
	struct tp_job_new job;
	int allowed = 0;

	fill_world(w);
	for (int from = 0; from < _TP_BOOT_STATE_MAX; from++) {
		for (int to = 0; to < _TP_BOOT_STATE_MAX; to++) {
			struct tp_boot_row fill = {.outcome = TP_OUTCOME_INFRA};
			bool may = tp_boot_state_may(from, to);
			bool ends = to == TP_BOOT_FAILED || to == TP_BOOT_DISCARDED;
			int64_t boot;
			int r;

			job = exact_job(w);
			ok(w, tp_store_job_create(w->store, &job, 1, &w->job, &w->err));
			ok(w, tp_store_job_claim(w->store, w->job, 1, &w->epoch, &w->err));
			boot = new_boot(w, 0);
			bring_to(w, boot, from);
			r = tp_store_boot_move(w->store, w->epoch, boot, from, to,
					       ends ? &fill : NULL, 7000, &w->err);
			assert_int_equal(r, may ? 0 : -EINVAL);
			allowed += may;
			if (may) {
				_cleanup_(tp_boot_row_deinit) struct tp_boot_row row =
				    boot_of(w, boot);

				assert_int_equal(row.state, to);
				assert_int_equal(row.outcome, ends ? TP_OUTCOME_INFRA
							      : to == TP_BOOT_COMPLETE
								  ? TP_OUTCOME_OK
								  : TP_OUTCOME_NONE);
				assert_int_equal(row.finished_ms,
						 ends || to == TP_BOOT_COMPLETE ? 7000 : 0);
			}
		}
	}
	assert_int_equal(allowed, 6 + 6 * 2);
}

static void compare_and_set(void **state)
{
	struct world *w = *state;
	int64_t boot;

	fill_world(w);
	boot = new_boot(w, 0);
	refused(w, TP_STORE_E_CONFLICT, "is planned, not installed",
		tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_INSTALLED, TP_BOOT_ARMED, NULL,
				   1, &w->err));
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_INSTALLED, NULL,
				 1, &w->err));
	refused(w, TP_STORE_E_CONFLICT, "is installed, not planned",
		tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_INSTALLED,
				   NULL, 1, &w->err));
	refused(w, TP_STORE_E_NOT_FOUND, "no boot number 99",
		tp_store_boot_move(w->store, w->epoch, 99, TP_BOOT_PLANNED, TP_BOOT_INSTALLED, NULL,
				   1, &w->err));
}

static void outcomes_go_with_states(void **state)
{
	struct world *w = *state;
	struct tp_boot_row fine = {.outcome = TP_OUTCOME_OK};
	struct tp_boot_row none = {};
	struct tp_boot_row panic = {.outcome = TP_OUTCOME_FELL_BACK};
	int64_t boot;

	fill_world(w);
	boot = new_boot(w, 0);
	refused(w, -EINVAL, "cannot become failed with the outcome NONE",
		tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_FAILED, &none,
				   1, &w->err));
	refused(w, -EINVAL, "cannot become failed with the outcome OK",
		tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_FAILED, &fine,
				   1, &w->err));
	refused(w, -EINVAL, "cannot become installed with the outcome FELL_BACK",
		tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_INSTALLED,
				   &panic, 1, &w->err));
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_DISCARDED, NULL,
				 1, &w->err));
}

static void texts_are_filled_as_they_come(void **state)
{
	struct world *w = *state;
	struct tp_boot_row before = {.boot_id_before = "old-id"};
	struct tp_boot_row proof = {
	    .boot_id = "new-id", .identity_json = "{\"r\":1}", .console_path = "/c"};
	struct tp_boot_row env = {
	    .env_before_json = "{\"b\":1}", .env_after_json = "{\"a\":1}", .detail = "fine"};
	_cleanup_(tp_boot_row_deinit) struct tp_boot_row row = {};
	int64_t boot;

	fill_world(w);
	boot = new_boot(w, 1);
	bring_to(w, boot, TP_BOOT_ARMED);
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_ARMED, TP_BOOT_REBOOTING,
				 &before, 1, &w->err));
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_REBOOTING, TP_BOOT_IDENTIFIED,
				 &proof, 1, &w->err));
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_IDENTIFIED, TP_BOOT_MEASURING,
				 NULL, 1, &w->err));
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_MEASURING, TP_BOOT_COMPLETE,
				 &env, 9000, &w->err));
	row = boot_of(w, boot);
	assert_int_equal(row.point_id, point_id(w, 1));
	assert_int_equal(row.kernel_id, w->child);
	assert_int_equal(row.job_id, w->job);
	assert_int_equal(row.attempt, 1);
	assert_int_equal(strlen(row.token), 16);
	assert_string_equal(row.boot_id_before, "old-id");
	assert_string_equal(row.boot_id, "new-id");
	assert_string_equal(row.identity_json, "{\"r\":1}");
	assert_string_equal(row.env_before_json, "{\"b\":1}");
	assert_string_equal(row.env_after_json, "{\"a\":1}");
	assert_string_equal(row.console_path, "/c");
	assert_string_equal(row.detail, "fine");
	assert_int_equal(row.created_ms, 4000);
	assert_int_equal(row.finished_ms, 9000);
	assert_true(row.n_rounds_known);
	assert_int_equal(row.n_rounds, 0);
}

static void one_attempt_at_a_time(void **state)
{
	struct world *w = *state;
	struct tp_boot_row fill = {.outcome = TP_OUTCOME_INFRA};
	int64_t first, second, id = 0;
	int64_t point;

	fill_world(w);
	point = point_id(w, 0);
	first = new_boot(w, 0);
	refused(w, TP_STORE_E_CONFLICT, "has an attempt that is planned",
		tp_store_boot_new(w->store, w->job, w->epoch, point, "t2", 1, &id, &w->err));
	ok(w, tp_store_boot_move(w->store, w->epoch, first, TP_BOOT_PLANNED, TP_BOOT_FAILED, &fill,
				 1, &w->err));
	second = new_boot(w, 0);
	bring_to(w, second, TP_BOOT_COMPLETE);
	refused(w, TP_STORE_E_CONFLICT, "has an attempt that is complete",
		tp_store_boot_new(w->store, w->job, w->epoch, point, "t3", 1, &id, &w->err));
	refused(w, TP_STORE_E_NOT_FOUND, "job 1 has no point 99",
		tp_store_boot_new(w->store, w->job, w->epoch, 99, "t4", 1, &id, &w->err));
	assert_peek(w, "SELECT group_concat(attempt || state) FROM boot", "1failed,2complete");
	ok(w, tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_FAILED, TP_VERDICT_NONE, NULL,
				  1, &w->err));
	refused(
	    w, TP_STORE_E_CONFLICT, "job 1 is failed, not running",
	    tp_store_boot_new(w->store, w->job, w->epoch, point_id(w, 1), "t5", 1, &id, &w->err));
	assert_int_equal(id, 0);
}

static void a_token_is_used_once(void **state)
{
	struct world *w = *state;
	int64_t id;

	fill_world(w);
	ok(w,
	   tp_store_boot_new(w->store, w->job, w->epoch, point_id(w, 0), "same", 1, &id, &w->err));
	refused(
	    w, -EINVAL, "UNIQUE",
	    tp_store_boot_new(w->store, w->job, w->epoch, point_id(w, 1), "same", 1, &id, &w->err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(every_move),
	    world_test(compare_and_set),
	    world_test(outcomes_go_with_states),
	    world_test(texts_are_filled_as_they_come),
	    world_test(one_attempt_at_a_time),
	    world_test(a_token_is_used_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
