/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world to act in: a machine with a bootloader, a worker that may be killed between any two
 * steps, and choices that are either drawn at random or gone through one and all.
 *
 * The worker here does what the engine does, on a snapshot instead of a database. What it insists
 * on while acting is the heart of the tests: what is measured is what is running.
 */
#pragma once

#include "plan_helper.h"

#include "core/recover.h"

/*
 * Where choices come from: at random; all of them, by an odometer over what was chosen before; or
 * always the first, "goes well", with one kill at a given chance.
 */
struct chooser {
	enum { RANDOM, EXHAUSTIVE, KIND } mode;
	uint64_t seed;
	struct {
		int pick, of;
	} trail[512];
	int n, at;
	int n_chances, kill_at, fate; /* KIND: chances to be killed so far, and the one that is */
};

static inline int choose(struct chooser *c, int of)
{
	if (c->mode == KIND)
		return 0;
	if (c->mode == RANDOM)
		return random_below(&c->seed, of);
	assert_true(c->at < (int)TP_ARRAY_SIZE(c->trail));
	if (c->at == c->n) {
		c->trail[c->n].pick = 0;
		c->trail[c->n++].of = of;
	}
	assert_int_equal(c->trail[c->at].of, of);
	return c->trail[c->at++].pick;
}

/* The first choice, "goes well", is the likely one where choices are drawn. */
static inline int choose_outcome(struct chooser *c, int of)
{
	if (c->mode == RANDOM && random_below(&c->seed, 4) > 0)
		return 0;
	return choose(c, of);
}

/* On to the next combination of choices; false after the last. */
static inline bool next_combination(struct chooser *c)
{
	c->at = 0;
	while (c->n > 0 && c->trail[c->n - 1].pick + 1 == c->trail[c->n - 1].of)
		c->n--;
	if (c->n > 0)
		c->trail[c->n - 1].pick++;
	return c->n > 0;
}

#define RESCUE	 0
#define STRANGER (-1)

struct world {
	struct chooser *choices;
	struct tp_snapshot s;
	enum tp_job_verdict verdict;
	int kills_left, retries_left;
	int n_attempts;	    /* over all points: an attempt's number is its token */
	int boot_no_before; /* noted when the last attempt was armed */
	int n_measured;	    /* points complete, in the order in which they became it */
	struct {
		int boot_no;
		int running, installed, armed; /* an attempt's number, or RESCUE, or STRANGER */
	} machine;
};

static inline void power_cycle(struct world *w, int into)
{
	w->machine.boot_no++;
	w->machine.running = into;
	w->machine.armed = 0;
}

/* Every move must be one of the table, and no count may pass its limit. */
static inline void move_boot(struct world *w, struct tp_plan_point *p, enum tp_boot_state to,
			     enum tp_boot_outcome outcome)
{
	assert_true(tp_boot_state_may(p->boot_state, to));
	p->boot_state = to;
	p->boot_outcome = outcome;
	if (to != TP_BOOT_FAILED)
		return;
	assert_int_not_equal(outcome, TP_OUTCOME_NONE);
	if (tp_outcome_is_kernels_fault(outcome))
		p->n_kernel_failures++;
	else
		p->n_infra_failures++;
	assert_true(p->n_kernel_failures <= w->s.limits.max_boot_attempts);
	assert_true(p->n_infra_failures <= w->s.limits.max_infra_attempts);
}

/* A new worker finds a machine that is as it was, does not answer, or rebooted meanwhile. */
static inline void restart(struct world *w)
{
	int fate = w->choices->mode == KIND ? w->choices->fate : choose(w->choices, 3);

	if (fate == 2)
		power_cycle(w, w->machine.armed);
	for (int i = 0; i < w->s.n_points; i++) {
		struct tp_plan_point *p = &w->s.points[i];
		struct tp_probe probe = {
		    .reachable = fate != 1,
		    .boot_id_changed = w->machine.boot_no != w->boot_no_before,
		    .token_matches = w->machine.running == p->boot_id,
		    .installed = w->machine.installed == p->boot_id,
		    .armed = w->machine.armed == p->boot_id,
		};
		enum tp_boot_state to;

		if (!p->has_boot)
			continue;
		to = tp_recover_boot(p->boot_state, &probe);
		if (to != p->boot_state)
			move_boot(w, p, to, TP_OUTCOME_NONE);
	}
}

static inline bool is_time_to_die(struct chooser *c)
{
	switch (c->mode) {
	case RANDOM:
		return choose(c, 12) == 1;
	case EXHAUSTIVE:
		return choose(c, 2) == 1;
	case KIND:
		break;
	}
	return c->n_chances++ == c->kill_at;
}

/* True when the worker was killed here; the next one has started by then. */
static inline bool is_killed(struct world *w)
{
	if (w->kills_left == 0 || !is_time_to_die(w->choices))
		return false;
	w->kills_left--;
	restart(w);
	return true;
}

static inline void act_new_boot(struct world *w, struct tp_plan_point *p)
{
	if (is_killed(w))
		return;
	assert_true(!p->has_boot || p->boot_state == TP_BOOT_FAILED ||
		    p->boot_state == TP_BOOT_DISCARDED);
	p->has_boot = true;
	p->n_attempts++;
	p->boot_id = ++w->n_attempts;
	p->boot_state = TP_BOOT_PLANNED;
	p->boot_outcome = TP_OUTCOME_NONE;
}

static inline void act_deploy(struct world *w, struct tp_plan_point *p)
{
	bool fails = choose_outcome(w->choices, 2) == 1;

	w->machine.installed = (int)p->boot_id;
	if (is_killed(w))
		return;
	move_boot(w, p, fails ? TP_BOOT_FAILED : TP_BOOT_INSTALLED,
		  fails ? TP_OUTCOME_INFRA : TP_OUTCOME_NONE);
}

static inline void act_arm(struct world *w, struct tp_plan_point *p)
{
	bool fails = choose_outcome(w->choices, 2) == 1;

	assert_int_equal(w->machine.installed, p->boot_id);
	w->machine.armed = (int)p->boot_id;
	if (is_killed(w))
		return;
	w->boot_no_before = w->machine.boot_no;
	move_boot(w, p, fails ? TP_BOOT_FAILED : TP_BOOT_ARMED,
		  fails ? TP_OUTCOME_INFRA : TP_OUTCOME_NONE);
}

static inline enum tp_boot_outcome reboot_machine(struct world *w)
{
	static const enum tp_boot_outcome ends[] = {
	    TP_OUTCOME_OK,	     TP_OUTCOME_FELL_BACK,	 TP_OUTCOME_NEVER_CAME_UP,
	    TP_OUTCOME_WRONG_KERNEL, TP_OUTCOME_NEVER_WENT_DOWN, TP_OUTCOME_INFRA};
	enum tp_boot_outcome outcome = ends[choose_outcome(w->choices, TP_ARRAY_SIZE(ends))];

	if (outcome == TP_OUTCOME_OK)
		power_cycle(w, w->machine.armed);
	else if (outcome == TP_OUTCOME_WRONG_KERNEL)
		power_cycle(w, STRANGER);
	else if (outcome != TP_OUTCOME_NEVER_WENT_DOWN)
		power_cycle(w, RESCUE);
	return outcome;
}

/* A boot found rebooting is only identified: it must have come up with its token by itself. */
static inline void act_reboot(struct world *w, struct tp_plan_point *p)
{
	enum tp_boot_outcome outcome = TP_OUTCOME_OK;

	if (p->boot_state == TP_BOOT_ARMED) {
		assert_int_equal(w->machine.armed, p->boot_id);
		move_boot(w, p, TP_BOOT_REBOOTING, TP_OUTCOME_NONE);
		if (is_killed(w))
			return;
		outcome = reboot_machine(w);
	}
	if (outcome == TP_OUTCOME_OK) {
		assert_int_equal(w->machine.running, p->boot_id);
		assert_int_not_equal(w->machine.boot_no, w->boot_no_before);
	}
	if (is_killed(w))
		return;
	if (outcome == TP_OUTCOME_OK)
		move_boot(w, p, TP_BOOT_IDENTIFIED, TP_OUTCOME_NONE);
	else
		move_boot(w, p, TP_BOOT_FAILED, outcome);
}

static inline void act_measure(struct world *w, int point)
{
	static const enum tp_boot_outcome ends[] = {TP_OUTCOME_OK, TP_OUTCOME_RUN_FAILED,
						    TP_OUTCOME_AGENT_DIED, TP_OUTCOME_INFRA};
	struct tp_plan_point *p = &w->s.points[point];
	enum tp_boot_outcome outcome;

	assert_int_equal(w->machine.running, p->boot_id);
	assert_int_equal(w->n_measured, point);
	move_boot(w, p, TP_BOOT_MEASURING, TP_OUTCOME_NONE);
	if (is_killed(w))
		return;
	outcome = ends[choose_outcome(w->choices, TP_ARRAY_SIZE(ends))];
	if (is_killed(w))
		return;
	if (outcome != TP_OUTCOME_OK) {
		move_boot(w, p, TP_BOOT_FAILED, outcome);
		return;
	}
	move_boot(w, p, TP_BOOT_COMPLETE, TP_OUTCOME_OK);
	w->n_measured++;
}
