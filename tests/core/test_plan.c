/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan, played against a world that goes wrong at random: it always ends, never measures
 * out of order, never passes its limits, and gives the same action for the same snapshot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/plan.h"
#include "core/recover.h"

static uint64_t rng;

static unsigned dice(unsigned sides)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(rng >> 33) % sides;
}

static struct tp_snapshot sandwich(void)
{
	struct tp_snapshot s = {
	    .job_state = TP_JOB_RUNNING,
	    .limits = {.max_boot_attempts = 2, .max_infra_attempts = 3},
	    .n_kernels = 2,
	    .n_points = 3,
	};

	for (int i = 0; i < 3; i++)
		s.points[i] =
		    (struct tp_plan_point){.id = i + 1, .role = (enum tp_role)i, .kernel = i == 1};
	return s;
}

static void fail_boot(struct tp_plan_point *p, enum tp_boot_outcome outcome)
{
	p->boot_state = TP_BOOT_FAILED;
	p->boot_outcome = outcome;
	if (tp_outcome_is_kernels_fault(outcome))
		p->n_kernel_failures++;
	else
		p->n_infra_failures++;
}

/* What the world makes of an action; @luck is the chance in 100 that it goes well. */
static void act(struct tp_snapshot *s, const struct tp_action *a, unsigned luck)
{
	static const enum tp_boot_outcome faults[] = {
	    TP_OUTCOME_FELL_BACK,     TP_OUTCOME_WRONG_KERNEL, TP_OUTCOME_NEVER_WENT_DOWN,
	    TP_OUTCOME_NEVER_CAME_UP, TP_OUTCOME_RUN_FAILED,   TP_OUTCOME_AGENT_DIED,
	    TP_OUTCOME_INFRA,
	};
	struct tp_plan_point *p = a->point >= 0 ? &s->points[a->point] : NULL;
	bool well = dice(100) < luck;

	switch (a->kind) {
	case TP_ACTION_BUILD:
		assert_true(s->kernels[a->kernel].state == TP_KERNEL_PLANNED);
		s->kernels[a->kernel].state = well ? TP_KERNEL_BUILT : TP_KERNEL_BUILD_FAIL;
		snprintf(s->kernels[a->kernel].image_sha256, 65, "image%d",
			 dice(9) ? a->kernel : 0);
		strcpy(s->kernels[a->kernel].config_sha256, dice(20) ? "c" : "d");
		return;
	case TP_ACTION_NEW_BOOT:
		for (int i = 0; i < a->point; i++)
			assert_int_equal(s->points[i].boot_state, TP_BOOT_COMPLETE);
		p->has_boot = true;
		p->n_attempts++;
		p->boot_state = TP_BOOT_PLANNED;
		p->boot_outcome = TP_OUTCOME_NONE;
		return;
	case TP_ACTION_DEPLOY:
	case TP_ACTION_ARM:
	case TP_ACTION_REBOOT:
	case TP_ACTION_MEASURE:
		assert_true(p->has_boot && p->boot_state < TP_BOOT_COMPLETE);
		if (dice(40) == 0)
			p->boot_state = TP_BOOT_DISCARDED; /* a crash, recovered */
		else if (!well)
			fail_boot(p, faults[dice(TP_ARRAY_SIZE(faults))]);
		else if (a->kind == TP_ACTION_REBOOT)
			p->boot_state = TP_BOOT_IDENTIFIED;
		else
			p->boot_state += a->kind == TP_ACTION_MEASURE ? 2 : 1;
		return;
	case TP_ACTION_JUDGE:
		s->verdicts_stored = true;
		return;
	case TP_ACTION_CLEAN:
		s->cleaned = true;
		return;
	case TP_ACTION_FINISH:
		if (a->verdict == TP_VERDICT_MEASURED)
			assert_true(s->verdicts_stored && s->cleaned);
		s->job_state = TP_JOB_DONE;
		return;
	case TP_ACTION_GIVE_UP:
		s->job_state = TP_JOB_FAILED;
		return;
	case TP_ACTION_NOTHING:
	case _TP_ACTION_MAX:
		break;
	}
	fail_msg("nothing to do while the job runs");
}

static void play(unsigned luck)
{
	struct tp_snapshot s = sandwich();
	int steps = 0;

	while (s.job_state == TP_JOB_RUNNING) {
		struct tp_action a = tp_plan_next(&s);
		struct tp_action same = tp_plan_next(&s);

		assert_memory_equal(&a, &same, sizeof(a));
		assert_true(a.reason[0]);
		act(&s, &a, luck);
		assert_true(++steps < 10000);
	}
	for (int i = 0; i < 3; i++) {
		assert_true(s.points[i].n_infra_failures <= s.limits.max_infra_attempts);
		assert_true(s.points[i].n_kernel_failures <= s.limits.max_boot_attempts + 3);
	}
	assert_int_equal(tp_plan_next(&s).kind, TP_ACTION_NOTHING);
}

static void test_always_ends(void **state)
{
	(void)state;
	for (unsigned luck = 0; luck <= 100; luck += 5) {
		rng = 1000 + luck;
		for (int i = 0; i < 2000; i++)
			play(luck);
	}
}

static void test_build_fail_boots_nothing(void **state)
{
	struct tp_snapshot s = sandwich();
	struct tp_action a;

	(void)state;
	s.kernels[1].state = TP_KERNEL_BUILD_FAIL;
	a = tp_plan_next(&s);
	assert_int_equal(a.kind, TP_ACTION_FINISH);
	assert_int_equal(a.verdict, TP_VERDICT_BUILD_FAIL);
}

static void test_no_op_boots_nothing(void **state)
{
	struct tp_snapshot s = sandwich();
	struct tp_action a;

	(void)state;
	for (int i = 0; i < 2; i++) {
		s.kernels[i].state = TP_KERNEL_BUILT;
		strcpy(s.kernels[i].image_sha256, "same");
		strcpy(s.kernels[i].config_sha256, "c");
	}
	a = tp_plan_next(&s);
	assert_int_equal(a.kind, TP_ACTION_FINISH);
	assert_int_equal(a.verdict, TP_VERDICT_NO_OP);
	strcpy(s.kernels[1].config_sha256, "d");
	assert_int_equal(tp_plan_next(&s).verdict, TP_VERDICT_CONFIG_DIFFERS);
	s.config_differs_allowed = true;
	assert_int_equal(tp_plan_next(&s).verdict, TP_VERDICT_NO_OP);
}

/* Recovery never moves a boot forward, and never to where the table does not lead. */
static void test_recover_boot(void **state)
{
	(void)state;
	for (int from = 0; from < _TP_BOOT_STATE_MAX; from++) {
		for (unsigned bits = 0; bits < 32; bits++) {
			struct tp_probe probe = {bits & 1, bits & 2, bits & 4, bits & 8, bits & 16};
			enum tp_boot_state to = tp_recover_boot((enum tp_boot_state)from, &probe);

			assert_true((int)to == from || to == TP_BOOT_DISCARDED);
			assert_true((int)to == from ||
				    tp_boot_state_may((enum tp_boot_state)from, to));
			if (from >= TP_BOOT_INSTALLED && from < TP_BOOT_COMPLETE &&
			    !probe.reachable)
				assert_int_equal(to, TP_BOOT_DISCARDED);
			if (from == TP_BOOT_MEASURING)
				assert_int_equal(to, TP_BOOT_DISCARDED);
		}
	}
}

static void test_words(void **state)
{
	(void)state;
	for (int i = 0; i < _TP_BOOT_STATE_MAX; i++)
		assert_int_equal(tp_boot_state_parse(tp_boot_state_name((enum tp_boot_state)i)), i);
	for (int i = 0; i < _TP_BOOT_OUTCOME_MAX; i++)
		assert_int_equal(
		    tp_boot_outcome_parse(tp_boot_outcome_name((enum tp_boot_outcome)i)), i);
	for (int i = 0; i < _TP_JOB_VERDICT_MAX; i++)
		assert_int_equal(tp_job_verdict_parse(tp_job_verdict_name((enum tp_job_verdict)i)),
				 i);
	assert_int_equal(tp_role_parse("nobody"), -1);
	assert_string_equal(tp_role_name(_TP_ROLE_MAX), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_always_ends),
	    cmocka_unit_test(test_build_fail_boots_nothing),
	    cmocka_unit_test(test_no_op_boots_nothing),
	    cmocka_unit_test(test_recover_boot),
	    cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
