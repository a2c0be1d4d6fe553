/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan that is frozen before the first boot: what is sound, and which key is named if not. */
#include "core_helper.h"

#include <stdlib.h>

#include "core/protocol.h"

static char name[] = "p", agent[] = "inotify-watch", a_ns[] = "a_ns", b_ns[] = "b_ns",
	    ratio[] = "r";
static int looks[] = {3, 5, 7, 9};

/* A sound plan over static memory; each test spoils one thing. */
struct plan {
	struct tp_metric_def metrics[3];
	struct tp_protocol p;
};

static struct tp_protocol *sound(struct plan *plan)
{
	*plan = (struct plan){
	    .metrics = {{.name = a_ns},
			{.name = b_ns, .role = TP_METRIC_CONTROL},
			{.name = ratio, .paired_num = a_ns, .paired_den = b_ns}},
	    .p = {.name = name,
		  .workload = {.agent = agent},
		  .warmup = 2,
		  .rounds = 25,
		  .gates = tp_gates_default(),
		  .looks = looks,
		  .n_looks = 4,
		  .alpha = 0.05,
		  .n_metrics = 3},
	};
	plan->p.metrics = plan->metrics;
	return &plan->p;
}

static void accept(const struct tp_protocol *p)
{
	struct tp_err err = {};

	if (tp_protocol_validate(p, &err) != 0)
		fail_msg("refused: %s", err.text);
}

/* The sentence names the key, and so does the origin, by which a reader finds the line. */
static void refuse(const struct tp_protocol *p, const char *key, const char *words)
{
	struct tp_err err = {};

	assert_int_equal(tp_protocol_validate(p, &err), -EINVAL);
	assert_string_equal(err.origin, key);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" does not say \"%s\"", err.text, words);
	assert_int_equal(tp_protocol_validate(p, NULL), -EINVAL);
}

static void defaults_are_the_published_gates(void **state)
{
	struct tp_gates g = tp_gates_default();

	(void)state;
	assert_same(g.signal_pct, 5);
	assert_same(g.drift_pct, 5);
	assert_same(g.cv_pct, 15);
	assert_same(g.floor_pct, 2);
	assert_same(g.quantum_pct, 0.1);
	assert_int_equal(tp_gates_validate(&g, NULL), 0);
}

static void sound_plans_are_accepted(void **state)
{
	struct plan plan;
	struct tp_protocol *p = sound(&plan);

	(void)state;
	accept(p);
	p->warmup = 0;
	p->rounds = 1;
	accept(p);
	p->rounds = 1000000;
	p->gates.floor_pct = 0;
	accept(p);
	p->gates.floor_pct = p->gates.signal_pct;
	accept(p);
	p->n_looks = 0;
	p->n_metrics = 1;
	accept(p);
}

static void missing_names_are_refused(void **state)
{
	static char empty[] = "";
	struct plan plan;

	(void)state;
	sound(&plan)->name = NULL;
	refuse(&plan.p, "name", "a protocol needs a name");
	sound(&plan)->name = empty;
	refuse(&plan.p, "name", "a protocol needs a name");
	sound(&plan)->workload.agent = NULL;
	refuse(&plan.p, "workload.agent", "workload");
	sound(&plan);
	plan.metrics[1].name = NULL;
	refuse(&plan.p, "metrics", "no name");
}

static void counts_out_of_range_are_refused(void **state)
{
	struct plan plan;

	(void)state;
	sound(&plan)->warmup = -1;
	refuse(&plan.p, "warmup", "between 0 and 1000000");
	sound(&plan)->warmup = 1000001;
	refuse(&plan.p, "warmup", "between 0 and 1000000");
	sound(&plan)->rounds = 0;
	refuse(&plan.p, "rounds", "between 1 and 1000000");
	sound(&plan)->rounds = 1000001;
	refuse(&plan.p, "rounds", "between 1 and 1000000");
	sound(&plan)->rounds = 1;
	plan.p.drop_first = TP_DROP_FIRST_PRIMARY;
	refuse(&plan.p, "drop_first", "leaves none");
}

static void gates_that_gate_nothing_are_refused(void **state)
{
	static const struct {
		const char *key;
		size_t offset;
	} limits[] = {
	    {"signal_pct", offsetof(struct tp_gates, signal_pct)},
	    {"drift_pct", offsetof(struct tp_gates, drift_pct)},
	    {"cv_pct", offsetof(struct tp_gates, cv_pct)},
	    {"quantum_pct", offsetof(struct tp_gates, quantum_pct)},
	};
	const double bad[] = {0, -0.0, -5, NAN, INFINITY, -INFINITY};
	struct plan plan;

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(limits); i++) {
		for (size_t k = 0; k < TP_ARRAY_SIZE(bad); k++) {
			sound(&plan);
			*(double *)((char *)&plan.p.gates + limits[i].offset) = bad[k];
			refuse(&plan.p, "gates", limits[i].key);
		}
	}
}

static void floors_above_the_gate_are_refused(void **state)
{
	struct plan plan;

	(void)state;
	sound(&plan)->gates.floor_pct = nextafter(5, 6);
	refuse(&plan.p, "gates.floor_pct", "above signal_pct");
	sound(&plan)->gates.floor_pct = -0.1;
	refuse(&plan.p, "gates.floor_pct", "at least 0");
	sound(&plan)->gates.floor_pct = NAN;
	refuse(&plan.p, "gates.floor_pct", "at least 0");
}

static void looks_must_be_odd_and_rise(void **state)
{
	static int even[] = {3, 4}, falling[] = {5, 3}, twice[] = {3, 3}, one[] = {1};
	const double alphas[] = {0, 1, -1, NAN};
	struct plan plan;

	(void)state;
	sound(&plan)->looks = even;
	plan.p.n_looks = 2;
	refuse(&plan.p, "boots.looks", "odd");
	plan.p.looks = falling;
	refuse(&plan.p, "boots.looks", "rise");
	plan.p.looks = twice;
	refuse(&plan.p, "boots.looks", "rise");
	plan.p.looks = one;
	plan.p.n_looks = 1;
	refuse(&plan.p, "boots.looks", "odd");
	for (size_t i = 0; i < TP_ARRAY_SIZE(alphas); i++) {
		sound(&plan)->alpha = alphas[i];
		refuse(&plan.p, "boots.alpha", "between 0 and 1");
	}
}

static void metrics_must_make_sense_together(void **state)
{
	struct plan plan;

	(void)state;
	sound(&plan);
	plan.metrics[2].name = a_ns;
	refuse(&plan.p, "metrics", "a_ns is named twice");
	sound(&plan);
	plan.metrics[2].paired_den = NULL;
	refuse(&plan.p, "metrics", "two names");
	sound(&plan);
	plan.metrics[2].paired_num = b_ns;
	refuse(&plan.p, "metrics", "two different names");
	sound(&plan)->n_metrics = 0;
	refuse(&plan.p, "metrics", "not be a control");
	sound(&plan)->n_metrics = 1;
	plan.metrics[0].role = TP_METRIC_CONTROL;
	refuse(&plan.p, "metrics", "not be a control");
}

static void words_of_the_plan(void **state)
{
	(void)state;
	assert_string_equal(tp_location_name(TP_LOCATION_MEDIAN), "median");
	assert_string_equal(tp_location_name(TP_LOCATION_MEAN), "mean");
	assert_string_equal(tp_location_name(_TP_LOCATION_MAX), "?");
	assert_string_equal(tp_drop_first_name(TP_DROP_FIRST_SENSITIVITY), "sensitivity");
	assert_string_equal(tp_drop_first_name(TP_DROP_FIRST_PRIMARY), "primary");
	assert_string_equal(tp_drop_first_name(TP_DROP_FIRST_OFF), "off");
	assert_string_equal(tp_drop_first_name(_TP_DROP_FIRST_MAX), "?");
	assert_string_equal(tp_better_name(TP_BETTER_LOWER), "lower");
	assert_string_equal(tp_better_name(TP_BETTER_HIGHER), "higher");
	assert_string_equal(tp_better_name((enum tp_better) - 1), "?");
	assert_string_equal(tp_metric_role_name(TP_METRIC_PRIMARY), "primary");
	assert_string_equal(tp_metric_role_name(TP_METRIC_AUXILIARY), "auxiliary");
	assert_string_equal(tp_metric_role_name(TP_METRIC_CONTROL), "control");
	assert_string_equal(tp_metric_role_name(_TP_METRIC_ROLE_MAX), "?");
}

/* Under the address sanitizer this also proves that nothing is left behind. */
static void deinit_frees_all_and_may_be_repeated(void **state)
{
	struct tp_protocol p = {.name = strdup("p"), .n_looks = 1, .n_metrics = 1};

	(void)state;
	p.workload.agent = strdup("a");
	p.workload.n_params = 2;
	p.workload.params = calloc(3, sizeof(char *));
	p.workload.params[0] = strdup("--workers");
	p.workload.params[1] = strdup("8");
	p.looks = calloc(1, sizeof(int));
	p.metrics = calloc(1, sizeof(*p.metrics));
	p.metrics[0] = (struct tp_metric_def){
	    .name = strdup("m"), .paired_num = strdup("x"), .paired_den = strdup("y")};
	tp_protocol_deinit(&p);
	assert_null(p.name);
	assert_int_equal(p.n_metrics, 0);
	tp_protocol_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_are_the_published_gates),
	    cmocka_unit_test(sound_plans_are_accepted),
	    cmocka_unit_test(missing_names_are_refused),
	    cmocka_unit_test(counts_out_of_range_are_refused),
	    cmocka_unit_test(gates_that_gate_nothing_are_refused),
	    cmocka_unit_test(floors_above_the_gate_are_refused),
	    cmocka_unit_test(looks_must_be_odd_and_rise),
	    cmocka_unit_test(metrics_must_make_sense_together),
	    cmocka_unit_test(words_of_the_plan),
	    cmocka_unit_test(deinit_frees_all_and_may_be_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
