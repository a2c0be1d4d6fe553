/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plan is shown, from a new job to a judged one. */
#include "store_helper.h"

static struct tp_snapshot take(struct world *w)
{
	struct tp_snapshot s;

	ok(w, tp_store_snapshot(w->store, w->job, &s, &w->err));
	return s;
}

static void a_new_job(void **state)
{
	struct world *w = *state;
	struct tp_snapshot s;

	fill_world(w);
	s = take(w);
	assert_int_equal(s.job_state, TP_JOB_RUNNING);
	assert_int_equal(s.limits.max_boot_attempts, 2);
	assert_int_equal(s.limits.max_infra_attempts, 5);
	assert_int_equal(s.n_kernels, 2);
	assert_int_equal(s.kernels[0].id, w->parent);
	assert_int_equal(s.kernels[1].id, w->child);
	assert_int_equal(s.kernels[0].state, TP_KERNEL_PLANNED);
	assert_string_equal(s.kernels[0].config_sha256, "");
	assert_string_equal(s.kernels[0].image_sha256, "");
	assert_int_equal(s.n_points, 3);
	assert_int_equal(s.points[0].kernel, 0);
	assert_int_equal(s.points[1].kernel, 1);
	assert_int_equal(s.points[2].kernel, 0);
	assert_int_equal(s.points[2].role, TP_ROLE_PARENT_B);
	assert_false(s.points[0].has_boot);
	assert_false(s.verdicts_stored);
	assert_false(s.cleaned);
	assert_false(s.config_differs_allowed);
	assert_int_equal(tp_plan_next(&s).kind, TP_ACTION_BUILD);
}

/* Kernels come in the order of their use, whatever their numbers. */
static void kernels_in_order_of_use(void **state)
{
	struct world *w = *state;
	struct tp_job_new job;
	struct tp_snapshot s;

	fill_world(w);
	job = exact_job(w);
	job.points[0].kernel_id = w->child;
	job.points[1].kernel_id = w->parent;
	job.points[2].kernel_id = w->child;
	ok(w, tp_store_job_create(w->store, &job, 1, &w->job, &w->err));
	s = take(w);
	assert_int_equal(s.kernels[0].id, w->child);
	assert_int_equal(s.points[0].kernel, 0);
	assert_int_equal(s.points[1].kernel, 1);
}

static void build(struct world *w, int64_t kernel, const char *canonical)
{
	struct tp_kernel_row row = {
	    .id = kernel,
	    .state = TP_KERNEL_BUILT,
	    .release = "r",
	    .build_id = "b",
	    .config_sha256 = KEY_A,
	    .image_sha256 = "bzimage",
	    .canonical_sha256 = (char *)canonical,
	};

	ok(w, tp_store_kernel_finish(w->store, &row, &w->err));
}

static void built_kernels(void **state)
{
	struct world *w = *state;
	struct tp_snapshot s;

	fill_world(w);
	build(w, w->parent, KEY_A);
	build(w, w->child, KEY_B);
	s = take(w);
	assert_int_equal(s.kernels[0].state, TP_KERNEL_BUILT);
	assert_string_equal(s.kernels[0].config_sha256, KEY_A);
	/* The canonical one: bzImages differ by their release even where the code does not. */
	assert_string_equal(s.kernels[0].image_sha256, KEY_A);
	assert_string_equal(s.kernels[1].image_sha256, KEY_B);
	assert_int_equal(tp_plan_next(&s).kind, TP_ACTION_NEW_BOOT);
}

static void fail_boot(struct world *w, enum tp_boot_outcome outcome)
{
	struct tp_boot_row fill = {.outcome = outcome};

	ok(w, tp_store_boot_move(w->store, w->epoch, new_boot(w, 0), TP_BOOT_PLANNED,
				 TP_BOOT_FAILED, &fill, 1, &w->err));
}

static void failures_by_whose_fault(void **state)
{
	struct world *w = *state;
	struct tp_snapshot s;
	int64_t boot;

	fill_world(w);
	fail_boot(w, TP_OUTCOME_INFRA);
	fail_boot(w, TP_OUTCOME_FELL_BACK);
	fail_boot(w, TP_OUTCOME_AGENT_DIED);
	fail_boot(w, TP_OUTCOME_NEVER_CAME_UP);
	fail_boot(w, TP_OUTCOME_NEVER_WENT_DOWN);
	boot = new_boot(w, 0);
	ok(w, tp_store_boot_move(w->store, w->epoch, boot, TP_BOOT_PLANNED, TP_BOOT_DISCARDED, NULL,
				 1, &w->err));
	fail_boot(w, TP_OUTCOME_RUN_FAILED);
	boot = new_boot(w, 0);
	bring_to(w, boot, TP_BOOT_ARMED);
	s = take(w);
	assert_int_equal(s.points[0].n_attempts, 8);
	assert_int_equal(s.points[0].n_kernel_failures, 3);
	assert_int_equal(s.points[0].n_infra_failures, 3);
	assert_true(s.points[0].has_boot);
	assert_int_equal(s.points[0].boot_id, boot);
	assert_int_equal(s.points[0].boot_state, TP_BOOT_ARMED);
	assert_int_equal(s.points[0].boot_outcome, TP_OUTCOME_NONE);
	assert_int_equal(s.points[1].n_attempts, 0);
	assert_int_equal(s.points[2].n_attempts, 0);
}

static void judged_and_cleaned(void **state)
{
	struct world *w = *state;
	struct tp_verdict verdict = {.label = "L", .reason = "r"};
	struct tp_verdict_extra extra = {.better = "lower", .metric_role = "primary"};
	struct tp_snapshot s;

	fill_world(w);
	build(w, w->parent, KEY_A);
	build(w, w->child, KEY_B);
	for (int i = 0; i < 3; i++)
		bring_to(w, new_boot(w, i), TP_BOOT_COMPLETE);
	s = take(w);
	assert_int_equal(s.points[2].boot_outcome, TP_OUTCOME_OK);
	assert_int_equal(tp_plan_next(&s).kind, TP_ACTION_JUDGE);
	ok(w, tp_store_verdict_put(w->store, w->job, "m", &verdict, &extra, 1, &w->err));
	s = take(w);
	assert_true(s.verdicts_stored);
	assert_int_equal(tp_plan_next(&s).kind, TP_ACTION_CLEAN);
	ok(w, tp_store_job_set_cleaned(w->store, w->job, w->epoch, &w->err));
	s = take(w);
	assert_true(s.cleaned);
	assert_int_equal(tp_plan_next(&s).kind, TP_ACTION_FINISH);
}

static void of_no_job(void **state)
{
	struct world *w = *state;
	struct tp_snapshot s = {.n_points = 7};

	refused(w, TP_STORE_E_NOT_FOUND, "no job 99", tp_store_snapshot(w->store, 99, &s, &w->err));
	assert_int_equal(s.n_points, 7);
}

static void inside_a_transaction(void **state)
{
	struct world *w = *state;
	struct tp_snapshot s;

	fill_world(w);
	ok(w, tp_store_begin(w->store, &w->err));
	new_boot(w, 0);
	s = take(w);
	assert_int_equal(s.points[0].n_attempts, 1);
	tp_store_rollback(w->store);
	s = take(w);
	assert_int_equal(s.points[0].n_attempts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(a_new_job),
	    world_test(kernels_in_order_of_use),
	    world_test(built_kernels),
	    world_test(failures_by_whose_fault),
	    world_test(judged_and_cleaned),
	    world_test(of_no_job),
	    world_test(inside_a_transaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
