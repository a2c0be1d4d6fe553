/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The next action in the situations that a person would name. */
#include "plan_helper.h"

#include <limits.h>

static struct tp_action expect(const struct tp_snapshot *s, enum tp_action_kind kind, int point,
			       int kernel)
{
	struct tp_action a = tp_plan_next(s);

	if (a.kind != kind || a.point != point || a.kernel != kernel)
		fail_msg("%s point %d kernel %d (%s), not %s point %d kernel %d",
			 tp_action_name(a.kind), a.point, a.kernel, a.reason, tp_action_name(kind),
			 point, kernel);
	assert_true(a.reason[0] != '\0');
	return a;
}

/* CLEAN first, with the verdict already on it, then the end itself. */
static void expect_end(struct tp_snapshot s, enum tp_action_kind kind, enum tp_job_verdict verdict,
		       int point, int kernel)
{
	assert_int_equal(expect(&s, TP_ACTION_CLEAN, point, kernel).verdict, verdict);
	s.cleaned = true;
	assert_int_equal(expect(&s, kind, point, kernel).verdict, verdict);
}

static void a_job_that_does_not_run_has_nothing_to_do(void **state)
{
	(void)state;
	for (int job = 0; job < _TP_JOB_STATE_MAX; job++) {
		struct tp_snapshot s = fresh();

		s.job_state = (enum tp_job_state)job;
		if (job != TP_JOB_RUNNING)
			expect(&s, TP_ACTION_NOTHING, -1, -1);
	}
}

static void kernels_are_built_before_anything_boots(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	s.kernels[PARENT].state = s.kernels[CHILD].state = TP_KERNEL_PLANNED;
	expect(&s, TP_ACTION_BUILD, -1, PARENT);
	s.kernels[PARENT].state = TP_KERNEL_BUILT;
	expect(&s, TP_ACTION_BUILD, -1, CHILD);
	s.kernels[CHILD].state = TP_KERNEL_BUILT;
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
}

/* Also before the other kernel is built: its hours would be for nothing. */
static void a_kernel_that_does_not_build_ends_the_job(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	s.kernels[PARENT].state = TP_KERNEL_PLANNED;
	s.kernels[CHILD].state = TP_KERNEL_BUILD_FAIL;
	assert_int_equal(expect(&s, TP_ACTION_FINISH, -1, CHILD).verdict, TP_VERDICT_BUILD_FAIL);
}

/* Artefacts were lost after a boot, and now it does not build: the target is left clean. */
static void a_late_build_failure_cleans_the_target(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	complete(&s, 1);
	s.kernels[CHILD].state = TP_KERNEL_BUILD_FAIL;
	expect_end(s, TP_ACTION_FINISH, TP_VERDICT_BUILD_FAIL, -1, CHILD);
}

static void differing_configs_are_refused_unless_allowed(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	strcpy(s.kernels[CHILD].config_sha256, "other");
	assert_int_equal(expect(&s, TP_ACTION_FINISH, -1, -1).verdict, TP_VERDICT_CONFIG_DIFFERS);
	s.config_differs_allowed = true;
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
}

/* An allow-list does not turn identical kernels into different ones, nor the reverse. */
static void identical_images_are_a_no_op(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	strcpy(s.kernels[CHILD].image_sha256, "parent's");
	assert_int_equal(expect(&s, TP_ACTION_FINISH, -1, -1).verdict, TP_VERDICT_NO_OP);
	s.kernels[PARENT].image_sha256[0] = s.kernels[CHILD].image_sha256[0] = '\0';
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
}

/* A probe boots full, variant, full: parents that share an image are no no-op. */
static void equal_parents_alone_are_no_no_op(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	s.kernels[2] = s.kernels[PARENT];
	s.n_kernels = 3;
	s.points[2].kernel = 2;
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
}

static void a_point_goes_through_its_steps(void **state)
{
	static const struct {
		enum tp_boot_state state;
		enum tp_action_kind action;
	} steps[] = {
	    {TP_BOOT_PLANNED, TP_ACTION_DEPLOY},     {TP_BOOT_INSTALLED, TP_ACTION_ARM},
	    {TP_BOOT_ARMED, TP_ACTION_REBOOT},	     {TP_BOOT_REBOOTING, TP_ACTION_REBOOT},
	    {TP_BOOT_IDENTIFIED, TP_ACTION_MEASURE}, {TP_BOOT_MEASURING, TP_ACTION_NEW_BOOT},
	    {TP_BOOT_DISCARDED, TP_ACTION_NEW_BOOT},
	};

	(void)state;
	for (int point = 0; point < 3; point++) {
		for (size_t i = 0; i < TP_ARRAY_SIZE(steps); i++) {
			struct tp_snapshot s = fresh();

			complete(&s, point);
			set_boot(&s, point, steps[i].state, TP_OUTCOME_NONE);
			expect(&s, steps[i].action, point, s.points[point].kernel);
		}
	}
}

static void points_are_measured_strictly_in_order(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
	set_boot(&s, 0, TP_BOOT_COMPLETE, TP_OUTCOME_OK);
	expect(&s, TP_ACTION_NEW_BOOT, 1, CHILD);
	set_boot(&s, 1, TP_BOOT_COMPLETE, TP_OUTCOME_OK);
	expect(&s, TP_ACTION_NEW_BOOT, 2, PARENT);
	set_boot(&s, 2, TP_BOOT_COMPLETE, TP_OUTCOME_OK);
	expect(&s, TP_ACTION_JUDGE, -1, -1);
	s.verdicts_stored = true;
	expect_end(s, TP_ACTION_FINISH, TP_VERDICT_MEASURED, -1, -1);
}

static void the_kernels_faults_and_ours_are_told_apart(void **state)
{
	static const bool kernels[_TP_BOOT_OUTCOME_MAX] = {
	    [TP_OUTCOME_FELL_BACK] = true,
	    [TP_OUTCOME_NEVER_CAME_UP] = true,
	    [TP_OUTCOME_RUN_FAILED] = true,
	};

	(void)state;
	for (int i = 0; i < _TP_BOOT_OUTCOME_MAX; i++)
		assert_int_equal(tp_outcome_is_kernels_fault((enum tp_boot_outcome)i), kernels[i]);
}

static void a_kernel_that_does_not_boot_is_tried_again_then_named(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	complete(&s, 1);
	set_boot(&s, 1, TP_BOOT_FAILED, TP_OUTCOME_NEVER_CAME_UP);
	expect(&s, TP_ACTION_NEW_BOOT, 1, CHILD);
	set_boot(&s, 1, TP_BOOT_FAILED, TP_OUTCOME_FELL_BACK);
	expect_end(s, TP_ACTION_FINISH, TP_VERDICT_BOOT_FAIL, 1, CHILD);
	assert_string_equal(tp_plan_next(&s).reason, "this kernel does not boot: 2 attempts failed "
						     "through it, 2 are allowed");
	s.points[1].boot_outcome = TP_OUTCOME_RUN_FAILED;
	expect_end(s, TP_ACTION_FINISH, TP_VERDICT_RUN_FAIL, 1, CHILD);
}

/* Neither blames the commit: there is no verdict, the job failed and may be retried. */
static void our_faults_are_retried_then_the_job_gives_up(void **state)
{
	static const enum tp_boot_outcome ours[] = {TP_OUTCOME_INFRA, TP_OUTCOME_AGENT_DIED,
						    TP_OUTCOME_WRONG_KERNEL,
						    TP_OUTCOME_NEVER_WENT_DOWN};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(ours); i++) {
		struct tp_snapshot s = fresh();

		for (int failure = 1; failure < 3; failure++) {
			set_boot(&s, 0, TP_BOOT_FAILED, ours[i]);
			expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
		}
		set_boot(&s, 0, TP_BOOT_FAILED, ours[i]);
		expect_end(s, TP_ACTION_GIVE_UP, TP_VERDICT_NONE, 0, PARENT);
		s.limits.max_infra_attempts += 3; /* what `retry` does */
		expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
	}
}

/* Two faults of ours and one of the kernel's use up neither limit. */
static void the_two_limits_are_counted_apart(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	set_boot(&s, 0, TP_BOOT_FAILED, TP_OUTCOME_INFRA);
	set_boot(&s, 0, TP_BOOT_FAILED, TP_OUTCOME_FELL_BACK);
	set_boot(&s, 0, TP_BOOT_FAILED, TP_OUTCOME_AGENT_DIED);
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
	set_boot(&s, 0, TP_BOOT_FAILED, TP_OUTCOME_FELL_BACK);
	expect_end(s, TP_ACTION_FINISH, TP_VERDICT_BOOT_FAIL, 0, PARENT);
}

static void discarded_boots_use_up_nothing(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	for (int i = 0; i < 50; i++)
		set_boot(&s, 0, TP_BOOT_DISCARDED, TP_OUTCOME_NONE);
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
}

static void limits_below_one_mean_one(void **state)
{
	struct tp_snapshot s = fresh();

	(void)state;
	s.limits.max_boot_attempts = INT_MIN;
	expect(&s, TP_ACTION_NEW_BOOT, 0, PARENT);
	set_boot(&s, 0, TP_BOOT_FAILED, TP_OUTCOME_FELL_BACK);
	expect_end(s, TP_ACTION_FINISH, TP_VERDICT_BOOT_FAIL, 0, PARENT);
}

static void expect_contradiction(const struct tp_snapshot *s, const char *words)
{
	struct tp_action a = expect(s, TP_ACTION_GIVE_UP, -1, -1);

	assert_int_equal(a.verdict, TP_VERDICT_NONE);
	if (!strstr(a.reason, "contradict one another") || !strstr(a.reason, words))
		fail_msg("\"%s\" does not say \"%s\"", a.reason, words);
}

static void senseless_records_are_not_acted_on(void **state)
{
	static const int bad_counts[] = {0, -1, TP_PLAN_MAX_POINTS + 1, INT_MAX};
	struct tp_snapshot s;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(bad_counts); i++) {
		s = fresh();
		s.n_points = bad_counts[i];
		expect_contradiction(&s, "no points");
		s = fresh();
		s.n_kernels = bad_counts[i];
		expect_contradiction(&s, "no kernels");
	}
	s = fresh();
	s.points[1].kernel = 2;
	expect_contradiction(&s, "no kernel of the job");
	s.points[1].kernel = -1;
	expect_contradiction(&s, "no kernel of the job");
	s = fresh();
	s.kernels[1].state = (enum tp_kernel_state) - 1;
	expect_contradiction(&s, "kernel has no known state");
	s = fresh();
	set_boot(&s, 0, _TP_BOOT_STATE_MAX, TP_OUTCOME_NONE);
	expect_contradiction(&s, "boot has no known state");
	s = fresh();
	set_boot(&s, 1, TP_BOOT_PLANNED, TP_OUTCOME_NONE);
	expect_contradiction(&s, "before the one that precedes it");
}

static void actions_have_names(void **state)
{
	(void)state;
	for (int i = 0; i < _TP_ACTION_MAX; i++) {
		for (int k = 0; k < i; k++)
			assert_string_not_equal(tp_action_name((enum tp_action_kind)i),
						tp_action_name((enum tp_action_kind)k));
	}
	assert_string_equal(tp_action_name(TP_ACTION_NEW_BOOT), "new-boot");
	assert_string_equal(tp_action_name(TP_ACTION_NOTHING), "nothing");
	assert_string_equal(tp_action_name(_TP_ACTION_MAX), "?");
	assert_string_equal(tp_action_name((enum tp_action_kind) - 1), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_job_that_does_not_run_has_nothing_to_do),
	    cmocka_unit_test(kernels_are_built_before_anything_boots),
	    cmocka_unit_test(a_kernel_that_does_not_build_ends_the_job),
	    cmocka_unit_test(a_late_build_failure_cleans_the_target),
	    cmocka_unit_test(differing_configs_are_refused_unless_allowed),
	    cmocka_unit_test(identical_images_are_a_no_op),
	    cmocka_unit_test(equal_parents_alone_are_no_no_op),
	    cmocka_unit_test(a_point_goes_through_its_steps),
	    cmocka_unit_test(points_are_measured_strictly_in_order),
	    cmocka_unit_test(the_kernels_faults_and_ours_are_told_apart),
	    cmocka_unit_test(a_kernel_that_does_not_boot_is_tried_again_then_named),
	    cmocka_unit_test(our_faults_are_retried_then_the_job_gives_up),
	    cmocka_unit_test(the_two_limits_are_counted_apart),
	    cmocka_unit_test(discarded_boots_use_up_nothing),
	    cmocka_unit_test(limits_below_one_mean_one),
	    cmocka_unit_test(senseless_records_are_not_acted_on),
	    cmocka_unit_test(actions_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
