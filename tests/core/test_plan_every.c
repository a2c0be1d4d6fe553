/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every snapshot of a sandwich, sensible or not: kernels x configs x images x boots x counts x
 * flags, 2.9 million of them. For each, the action must be one that the snapshot permits.
 */
#include "plan_helper.h"

/* Takes one digit of mixed radix off @rest. */
static int digit(unsigned *rest, unsigned radix)
{
	unsigned d = *rest % radix;

	*rest /= radix;
	return (int)d;
}

/* No boot, the eight states that have no outcome to choose, failed with each outcome. */
#define N_BOOTS (1 + (_TP_BOOT_STATE_MAX - 1) + _TP_BOOT_OUTCOME_MAX)

static void choose_boot(struct tp_plan_point *p, int choice)
{
	static const enum tp_boot_state others[] = {
	    TP_BOOT_PLANNED,	TP_BOOT_INSTALLED, TP_BOOT_ARMED,    TP_BOOT_REBOOTING,
	    TP_BOOT_IDENTIFIED, TP_BOOT_MEASURING, TP_BOOT_COMPLETE, TP_BOOT_DISCARDED};

	if (choice == 0)
		return;
	p->has_boot = true;
	p->n_attempts = 4;
	if (choice <= (int)TP_ARRAY_SIZE(others)) {
		p->boot_state = others[choice - 1];
		return;
	}
	p->boot_state = TP_BOOT_FAILED;
	p->boot_outcome = (enum tp_boot_outcome)(choice - 1 - (int)TP_ARRAY_SIZE(others));
}

/* Two kernels: eight pairs of states that are not both built, then six of built ones. */
#define N_KERNELS 14

static void choose_kernels(struct tp_snapshot *s, int choice)
{
	if (choice < 8) {
		unsigned rest = (unsigned)choice;

		/* planned, build_fail, built: both built would be number 8 */
		static const enum tp_kernel_state order[] = {TP_KERNEL_PLANNED,
							     TP_KERNEL_BUILD_FAIL, TP_KERNEL_BUILT};

		s->kernels[PARENT].state = order[digit(&rest, 3)];
		s->kernels[CHILD].state = order[rest];
		return;
	}
	choice -= 8;
	if (choice % 3 > 0)
		strcpy(s->kernels[CHILD].config_sha256, "other");
	s->config_differs_allowed = choice % 3 == 2;
	if (choice >= 3)
		strcpy(s->kernels[CHILD].image_sha256, "parent's");
}

#define N_SNAPSHOTS (N_BOOTS * N_BOOTS * N_BOOTS * N_KERNELS * 9 * 4)

static struct tp_snapshot snapshot_of(unsigned rest)
{
	struct tp_snapshot s = fresh();
	int kernel_failures, infra_failures;

	for (int i = 0; i < 3; i++)
		choose_boot(&s.points[i], digit(&rest, N_BOOTS));
	choose_kernels(&s, digit(&rest, N_KERNELS));
	kernel_failures = digit(&rest, 3);
	infra_failures = digit(&rest, 3) + 1; /* limits are 2 and 3 */
	for (int i = 0; i < 3; i++) {
		s.points[i].n_kernel_failures = kernel_failures;
		s.points[i].n_infra_failures = infra_failures;
	}
	s.verdicts_stored = digit(&rest, 2);
	s.cleaned = rest;
	return s;
}

static bool is_complete(const struct tp_plan_point *p)
{
	return p->has_boot && p->boot_state == TP_BOOT_COMPLETE;
}

static int n_complete_in_front(const struct tp_snapshot *s)
{
	int n = 0;

	while (n < s->n_points && is_complete(&s->points[n]))
		n++;
	return n;
}

static bool is_out_of_order(const struct tp_snapshot *s)
{
	for (int i = n_complete_in_front(s) + 1; i < s->n_points; i++) {
		if (s->points[i].has_boot)
			return true;
	}
	return false;
}

static int n_kernels_in(const struct tp_snapshot *s, enum tp_kernel_state state)
{
	return (s->kernels[PARENT].state == state) + (s->kernels[CHILD].state == state);
}

static bool is_comparable(const struct tp_snapshot *s)
{
	bool same_config =
	    strcmp(s->kernels[PARENT].config_sha256, s->kernels[CHILD].config_sha256) == 0;
	bool same_image =
	    strcmp(s->kernels[PARENT].image_sha256, s->kernels[CHILD].image_sha256) == 0;

	return n_kernels_in(s, TP_KERNEL_BUILT) == 2 && !same_image &&
	       (same_config || s->config_differs_allowed);
}

/* Anything that touches the target for a boot: only of the first point that is not complete. */
static void check_boot_action(const struct tp_snapshot *s, const struct tp_action *a,
			      enum tp_boot_state wanted, enum tp_boot_state or_wanted)
{
	const struct tp_plan_point *p = &s->points[a->point];

	assert_true(is_comparable(s));
	assert_false(is_out_of_order(s));
	assert_int_equal(a->point, n_complete_in_front(s));
	assert_int_equal(a->kernel, p->kernel);
	assert_true(p->has_boot && (p->boot_state == wanted || p->boot_state == or_wanted));
}

static void check_new_boot(const struct tp_snapshot *s, const struct tp_action *a)
{
	const struct tp_plan_point *p = &s->points[a->point];

	assert_true(is_comparable(s));
	assert_int_equal(a->point, n_complete_in_front(s));
	if (!p->has_boot || p->boot_state != TP_BOOT_FAILED) {
		assert_true(!p->has_boot || p->boot_state == TP_BOOT_DISCARDED ||
			    p->boot_state == TP_BOOT_MEASURING);
		return;
	}
	if (tp_outcome_is_kernels_fault(p->boot_outcome))
		assert_true(p->n_kernel_failures < s->limits.max_boot_attempts);
	else
		assert_true(p->n_infra_failures < s->limits.max_infra_attempts);
}

/* Is the verdict what the records say? */
static void check_verdict(const struct tp_snapshot *s, const struct tp_action *a)
{
	bool built = n_kernels_in(s, TP_KERNEL_BUILT) == 2;
	const struct tp_plan_point *p = a->point >= 0 ? &s->points[a->point] : NULL;

	switch (a->verdict) {
	case TP_VERDICT_MEASURED:
		assert_true(is_comparable(s) && n_complete_in_front(s) == 3 && s->verdicts_stored);
		return;
	case TP_VERDICT_BUILD_FAIL:
		assert_int_equal(s->kernels[a->kernel].state, TP_KERNEL_BUILD_FAIL);
		return;
	case TP_VERDICT_CONFIG_DIFFERS:
		assert_true(built && !s->config_differs_allowed && !is_comparable(s));
		return;
	case TP_VERDICT_NO_OP:
		assert_true(built && !is_comparable(s));
		return;
	case TP_VERDICT_BOOT_FAIL:
	case TP_VERDICT_RUN_FAIL:
		assert_true(is_comparable(s));
		assert_true(tp_outcome_is_kernels_fault(p->boot_outcome));
		assert_true(p->n_kernel_failures >= s->limits.max_boot_attempts);
		assert_int_equal(a->verdict == TP_VERDICT_RUN_FAIL,
				 p->boot_outcome == TP_OUTCOME_RUN_FAILED);
		return;
	case TP_VERDICT_NONE: /* on the way to GIVE_UP */
		assert_true(p && !tp_outcome_is_kernels_fault(p->boot_outcome));
		assert_true(p->n_infra_failures >= s->limits.max_infra_attempts);
		return;
	case _TP_JOB_VERDICT_MAX:
		break;
	}
	fail_msg("no such verdict: %d", a->verdict);
}

static void check_end(const struct tp_snapshot *s, const struct tp_action *a)
{
	bool booted = s->points[0].has_boot || s->points[1].has_boot || s->points[2].has_boot;

	if (is_out_of_order(s)) {
		assert_int_equal(a->kind, TP_ACTION_GIVE_UP);
		return;
	}
	assert_int_equal(a->kind == TP_ACTION_CLEAN, booted && !s->cleaned);
	if (a->kind != TP_ACTION_CLEAN)
		assert_int_equal(a->kind == TP_ACTION_FINISH, a->verdict != TP_VERDICT_NONE);
	check_verdict(s, a);
}

static void check_action(const struct tp_snapshot *s, const struct tp_action *a)
{
	switch (a->kind) {
	case TP_ACTION_BUILD:
		assert_int_equal(a->point, -1);
		assert_int_equal(s->kernels[a->kernel].state, TP_KERNEL_PLANNED);
		assert_int_equal(n_kernels_in(s, TP_KERNEL_BUILD_FAIL), 0);
		return;
	case TP_ACTION_NEW_BOOT:
		check_new_boot(s, a);
		return;
	case TP_ACTION_DEPLOY:
		check_boot_action(s, a, TP_BOOT_PLANNED, TP_BOOT_PLANNED);
		return;
	case TP_ACTION_ARM:
		check_boot_action(s, a, TP_BOOT_INSTALLED, TP_BOOT_INSTALLED);
		return;
	case TP_ACTION_REBOOT:
		check_boot_action(s, a, TP_BOOT_ARMED, TP_BOOT_REBOOTING);
		return;
	case TP_ACTION_MEASURE:
		check_boot_action(s, a, TP_BOOT_IDENTIFIED, TP_BOOT_IDENTIFIED);
		return;
	case TP_ACTION_JUDGE:
		assert_true(is_comparable(s) && n_complete_in_front(s) == 3 && !s->verdicts_stored);
		return;
	case TP_ACTION_CLEAN:
	case TP_ACTION_FINISH:
	case TP_ACTION_GIVE_UP:
		check_end(s, a);
		return;
	case TP_ACTION_NOTHING: /* a job that runs always has something to do */
	case _TP_ACTION_MAX:
		break;
	}
	fail_msg("%s is no answer for a job that runs", tp_action_name(a->kind));
}

/* Where the loop stands, for whoever must repeat a failure. */
static unsigned code;

static int say_where(void **state)
{
	(void)state;
	if (code < N_SNAPSHOTS)
		print_message("that was snapshot_of(%u)\n", code);
	return 0;
}

static void every_snapshot_has_one_sound_action(void **state)
{
	int seen[_TP_ACTION_MAX] = {};

	(void)state;
	for (code = 0; code < N_SNAPSHOTS; code++) {
		struct tp_snapshot s = snapshot_of(code);
		struct tp_action a = tp_plan_next(&s);
		struct tp_action again = tp_plan_next(&s);

		if (a.kind != again.kind || a.point != again.point || a.kernel != again.kernel ||
		    a.verdict != again.verdict || strcmp(a.reason, again.reason) != 0)
			fail_msg("two answers: %s and %s", tp_action_name(a.kind),
				 tp_action_name(again.kind));
		assert_true(a.reason[0] && strlen(a.reason) < sizeof(a.reason) - 1);
		check_action(&s, &a);
		seen[a.kind]++;
	}
	for (int kind = 0; kind < TP_ACTION_NOTHING; kind++)
		assert_true(seen[kind] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(every_snapshot_has_one_sound_action, say_where),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
