/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs from start to end in a world that answers in every way, with workers killed at every step:
 * each ends, in order, within its limits, and with the verdict that its history deserves.
 */
#include "plan_world.h"

static void act_build(struct world *w, struct tp_plan_kernel *kernel)
{
	bool fails = choose_outcome(w->choices, 2) == 1;

	if (is_killed(w))
		return;
	kernel->state = fails ? TP_KERNEL_BUILD_FAIL : TP_KERNEL_BUILT;
}

static void act_clean(struct world *w)
{
	w->machine.running = RESCUE;
	w->machine.armed = 0;
	w->machine.installed = 0;
	if (!is_killed(w))
		w->s.cleaned = true;
}

static void assert_end_is_deserved(const struct world *w, const struct tp_action *a)
{
	const struct tp_plan_point *p = a->point >= 0 ? &w->s.points[a->point] : NULL;

	if (w->n_attempts > 0) {
		assert_true(w->s.cleaned);
		assert_int_equal(w->machine.running, RESCUE);
		assert_int_equal(w->machine.armed, 0);
	}
	if (a->kind == TP_ACTION_GIVE_UP) {
		assert_int_equal(a->verdict, TP_VERDICT_NONE);
		assert_int_equal(p->n_infra_failures, w->s.limits.max_infra_attempts);
	} else if (a->verdict == TP_VERDICT_MEASURED) {
		assert_int_equal(w->n_measured, w->s.n_points);
		assert_true(w->s.verdicts_stored);
	} else if (a->verdict == TP_VERDICT_BOOT_FAIL || a->verdict == TP_VERDICT_RUN_FAIL) {
		assert_int_equal(p->n_kernel_failures, w->s.limits.max_boot_attempts);
	} else {
		assert_int_equal(w->n_attempts, 0); /* known before anything was booted */
	}
}

static void act_end(struct world *w, const struct tp_action *a)
{
	if (is_killed(w))
		return;
	assert_end_is_deserved(w, a);
	w->verdict = a->verdict;
	w->s.job_state = a->kind == TP_ACTION_FINISH ? TP_JOB_DONE : TP_JOB_FAILED;
}

static void act(struct world *w, const struct tp_action *a)
{
	struct tp_plan_point *p = a->point >= 0 ? &w->s.points[a->point] : NULL;

	switch (a->kind) {
	case TP_ACTION_BUILD:
		return act_build(w, &w->s.kernels[a->kernel]);
	case TP_ACTION_NEW_BOOT:
		return act_new_boot(w, p);
	case TP_ACTION_DEPLOY:
		return act_deploy(w, p);
	case TP_ACTION_ARM:
		return act_arm(w, p);
	case TP_ACTION_REBOOT:
		return act_reboot(w, p);
	case TP_ACTION_MEASURE:
		return act_measure(w, a->point);
	case TP_ACTION_JUDGE:
		if (!is_killed(w))
			w->s.verdicts_stored = true;
		return;
	case TP_ACTION_CLEAN:
		return act_clean(w);
	case TP_ACTION_FINISH:
	case TP_ACTION_GIVE_UP:
		return act_end(w, a);
	case TP_ACTION_NOTHING:
	case _TP_ACTION_MAX:
		break;
	}
}

/* A person says `retry`: the faults so far are forgiven, and the target is dirty again. */
static bool is_retried(struct world *w)
{
	int forgiven = 0;

	if (w->s.job_state != TP_JOB_FAILED || w->retries_left == 0)
		return false;
	w->retries_left--;
	for (int i = 0; i < w->s.n_points; i++) {
		if (w->s.points[i].n_infra_failures > forgiven)
			forgiven = w->s.points[i].n_infra_failures;
	}
	w->s.limits.max_infra_attempts += forgiven;
	w->s.cleaned = false;
	w->s.job_state = TP_JOB_RUNNING;
	return true;
}

/* Until there is nothing to do; every path there is short. */
static void run_to_the_end(struct world *w)
{
	for (int step = 0; step < 2000; step++) {
		struct tp_action a = tp_plan_next(&w->s);

		if (a.kind == TP_ACTION_NOTHING && !is_retried(w))
			return;
		act(w, &a);
	}
	fail_msg("the job does not end");
}

static struct world new_world(struct chooser *choices, int n_points, int boot_limit,
			      int infra_limit)
{
	struct world w = {.choices = choices, .s = fresh()};

	w.s.n_points = n_points;
	w.s.limits.max_boot_attempts = boot_limit;
	w.s.limits.max_infra_attempts = infra_limit;
	w.s.kernels[PARENT].state = w.s.kernels[CHILD].state = TP_KERNEL_PLANNED;
	return w;
}

/* Goes through every history there is; returns how many, with the verdicts counted. */
static int run_all(int n_points, int boot_limit, int infra_limit, int kills,
		   int verdicts[_TP_JOB_VERDICT_MAX])
{
	struct chooser choices = {.mode = EXHAUSTIVE};
	int n = 0;

	do {
		struct world w = new_world(&choices, n_points, boot_limit, infra_limit);

		w.kills_left = kills;
		run_to_the_end(&w);
		verdicts[w.verdict]++;
		n++;
	} while (next_combination(&choices));
	return n;
}

static void every_history_of_two_boots(void **state)
{
	int verdicts[_TP_JOB_VERDICT_MAX] = {};

	(void)state;
	assert_true(run_all(2, 2, 2, 0, verdicts) > 20000);
	assert_true(verdicts[TP_VERDICT_MEASURED] && verdicts[TP_VERDICT_NONE] &&
		    verdicts[TP_VERDICT_BUILD_FAIL] && verdicts[TP_VERDICT_BOOT_FAIL] &&
		    verdicts[TP_VERDICT_RUN_FAIL]);
}

static void every_history_of_a_sandwich(void **state)
{
	int verdicts[_TP_JOB_VERDICT_MAX] = {};

	(void)state;
	assert_true(run_all(3, 2, 1, 0, verdicts) > 500);
	assert_int_equal(verdicts[TP_VERDICT_MEASURED], 4 * 4 * 4);
}

/* One kill anywhere in any history of a sandwich: at least as many as there are steps to kill. */
static void every_history_with_one_kill(void **state)
{
	int verdicts[_TP_JOB_VERDICT_MAX] = {};

	(void)state;
	assert_true(run_all(3, 1, 1, 1, verdicts) > 1000);
	assert_true(verdicts[TP_VERDICT_MEASURED] > 50);
}

static void every_history_with_two_kills(void **state)
{
	int verdicts[_TP_JOB_VERDICT_MAX] = {};

	(void)state;
	assert_true(run_all(2, 1, 1, 2, verdicts) > 10000);
}

/* Where the world is kind, a kill anywhere changes no verdict and loses no complete boot. */
static void a_kill_changes_no_verdict(void **state)
{
	int kill = 0;

	(void)state;
	for (bool killed = true; killed; kill++) {
		for (int fate = 0; fate < 3; fate++) {
			struct chooser kind = {.mode = KIND, .kill_at = kill, .fate = fate};
			struct world w = new_world(&kind, 3, 1, 1);

			w.kills_left = 1;
			run_to_the_end(&w);
			assert_int_equal(w.verdict, TP_VERDICT_MEASURED);
			assert_in_range(w.n_attempts, 3, 4);
			killed = w.kills_left == 0;
		}
	}
	assert_in_range(kill, 25, 50);
}

/* Long sequences, many kills, retries: what going through them all cannot reach. */
static void random_histories(void **state)
{
	int verdicts[_TP_JOB_VERDICT_MAX] = {};

	(void)state;
	for (uint64_t seed = 0; seed < 20000; seed++) {
		struct chooser choices = {.mode = RANDOM, .seed = seed};
		struct world w;
		int kernels = choose(&choices, 8);

		w = new_world(&choices, 3, 1 + choose(&choices, 3), 1 + choose(&choices, 4));
		w.kills_left = 20;
		w.retries_left = choose(&choices, 3);
		if (kernels < 2)
			strcpy(w.s.kernels[CHILD].config_sha256, "other");
		w.s.config_differs_allowed = kernels == 1;
		if (kernels == 2)
			strcpy(w.s.kernels[CHILD].image_sha256, "parent's");
		run_to_the_end(&w);
		verdicts[w.verdict]++;
	}
	for (int i = 0; i < _TP_JOB_VERDICT_MAX; i++)
		assert_true(verdicts[i] > 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_history_of_two_boots),
	    cmocka_unit_test(every_history_of_a_sandwich),
	    cmocka_unit_test(every_history_with_one_kill),
	    cmocka_unit_test(every_history_with_two_kills),
	    cmocka_unit_test(a_kill_changes_no_verdict),
	    cmocka_unit_test(random_histories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
