/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A protocol as it should not be: each mistake has its line and its column. */
#include "config_helper.h"

#define HEAD	  "name: q\nworkload: {agent: a-b}\nwarmup: 0\nrounds: 9\n"
#define METRICS	  "metrics: [{name: m}]\n"
#define WORK(w)	  "name: q\nworkload: " w "\nwarmup: 0\nrounds: 9\n" METRICS
#define PLAN(x)	  HEAD x "\n" METRICS
#define METRIC(m) HEAD "metrics: [" m "]\n"

static void keys(void **state)
{
	(void)state;
	refuse_protocol(PLAN("loops: 3"), "x.yaml:5:1", "unknown key \"loops\"");
	refuse_protocol(PLAN("rounds: 3"), "x.yaml:5:1", "\"rounds\" is here a second time");
	refuse_protocol(PLAN("gates: {signal: 5}"), "x.yaml:5:9",
			"unknown key \"signal\" in gates");
	refuse_protocol(METRIC("{name: m, rol: control}"), "x.yaml:5:21", "unknown key \"rol\"");
	refuse_protocol(METRIC("{better: lower}"), "x.yaml:5:11", "the key \"name\" is missing");
	refuse_protocol(HEAD, "x.yaml:1:1", "the key \"metrics\" is missing");
	refuse_protocol("name: q\nworkload: {agent: a}\nrounds: 9\n" METRICS, "x.yaml:1:1",
			"the key \"warmup\" is missing");
	refuse_protocol("name: q\nwarmup: 0\nrounds: 9\n" METRICS, "x.yaml:1:1",
			"the key \"workload\" is missing");
}

static void values(void **state)
{
	(void)state;
	refuse_protocol(PLAN("location: mode"), "x.yaml:5:11",
			"location must be one of median, mean, not \"mode\"");
	refuse_protocol(PLAN("drop_first: no"), "x.yaml:5:13", "drop_first must be one of");
	refuse_protocol(METRIC("{name: m, better: faster}"), "x.yaml:5:29",
			"better must be one of");
	refuse_protocol(METRIC("{name: m, role: main}"), "x.yaml:5:27", "role must be one of");
	refuse_protocol(PLAN("gates: {cv_pct: 5%}"), "x.yaml:5:17", "cv_pct must be a decimal");
	refuse_protocol(PLAN("gates: {cv_pct: nan}"), "x.yaml:5:17", "cv_pct must be a decimal");
	refuse_protocol(PLAN("gates: {cv_pct: inf}"), "x.yaml:5:17", "cv_pct must be a decimal");
	refuse_protocol(PLAN("gates: {cv_pct: 1e999}"), "x.yaml:5:17", "cv_pct must be a decimal");
	refuse_protocol(PLAN("gates: {cv_pct: 0x5}"), "x.yaml:5:17", "cv_pct must be a decimal");
	refuse_protocol("name: q\nworkload: {agent: a}\nwarmup: 0\nrounds: many\n" METRICS,
			"x.yaml:4:9", "rounds must be a whole decimal number, not \"many\"");
	refuse_protocol("name: Q!\nworkload: {agent: a}\nwarmup: 0\nrounds: 2\n" METRICS,
			"x.yaml:1:7", "name is \"Q!\"");
	refuse_protocol(METRIC("{name: 'a b'}"), "x.yaml:5:18", "\"a b\" cannot name a metric");
	refuse_protocol(METRIC("{name: m, paired: [a]}"), "x.yaml:5:29", "paired has 1 entries");
	refuse_protocol(METRIC("{name: m, paired: [a, 'b c']}"), "x.yaml:5:29", "paired of m");
	refuse_protocol(METRIC("{name: m}, {name: m}"), "x.yaml:5:29",
			"the metric m is here a second time");
	refuse_protocol(METRIC(""), "x.yaml:5:10", "metrics has 0 entries");
}

/* What core refuses is reported where its key stands. */
static void plans(void **state)
{
	(void)state;
	refuse_protocol("name: q\nworkload: {agent: a}\nwarmup: -1\nrounds: 2\n" METRICS,
			"x.yaml:3:9", "warmup");
	refuse_protocol("name: q\nworkload: {agent: a}\nwarmup: 0\nrounds: 0\n" METRICS,
			"x.yaml:4:9", "rounds");
	refuse_protocol(PLAN("gates: {floor_pct: 6}"), "x.yaml:5:20", "signal_pct");
	refuse_protocol(PLAN("gates: {floor_pct: -1}"), "x.yaml:5:20", "floor_pct");
	refuse_protocol(PLAN("gates: {signal_pct: 0}"), "x.yaml:5:8", "gates");
	refuse_protocol(PLAN("boots: {looks: [3, 4]}"), "x.yaml:5:16", "looks");
	refuse_protocol(PLAN("boots: {looks: [5, 3]}"), "x.yaml:5:16", "looks");
	refuse_protocol(PLAN("boots: {alpha: 1.5}"), "x.yaml:5:16", "alpha");
	refuse_protocol(METRIC("{name: m, role: control}"), "x.yaml:5:10", "control");
	refuse_protocol(METRIC("{name: m, paired: [a, a]}"), "x.yaml:5:10", "paired");
}

static void workloads(void **state)
{
	(void)state;
	refuse_protocol(WORK("{workers: 1}"), "x.yaml:2:11", "workload.agent is missing");
	refuse_protocol(WORK("inotify"), "x.yaml:2:11", "workload must hold the key \"agent\"");
	refuse_protocol(WORK("{agent: A_b}"), "x.yaml:2:19", "workload.agent is \"A_b\"");
	refuse_protocol(WORK("{agent: [a, b]}"), "x.yaml:2:19", "workload.agent is \"a,b\"");
	refuse_protocol(WORK("{agent: a, agent: b}"), "x.yaml:2:22", "a second time");
	refuse_protocol(WORK("{agent: a, Bad: 1}"), "x.yaml:2:22", "the parameter \"Bad\"");
	refuse_protocol(WORK("{agent: a, -x: 1}"), "x.yaml:2:22", "the parameter \"-x\"");
	refuse_protocol(WORK("{agent: a, rounds: 1}"), "x.yaml:2:22", "no parameter of a workload");
	refuse_protocol(WORK("{agent: a, x: 'a b'}"), "x.yaml:2:25", "\"a b\" cannot be");
	refuse_protocol(WORK("{agent: a, x: $HOME}"), "x.yaml:2:25", "cannot be");
	refuse_protocol(WORK("{agent: a, x: a;b}"), "x.yaml:2:25", "cannot be");
	refuse_protocol(WORK("{agent: a, x: ../`id`}"), "x.yaml:2:25", "cannot be");
	refuse_protocol(WORK("{agent: a, x: --out=/etc/passwd}"), "x.yaml:2:25", "cannot be");
	refuse_protocol(WORK("{agent: a, x: [1, '2,3']}"), "x.yaml:2:29", "\"2,3\" cannot be");
	refuse_protocol(WORK("{agent: a, x: [1, [2]]}"), "x.yaml:2:29", "one value or a list");
	refuse_protocol(WORK("{agent: a, x: {y: z}}"), "x.yaml:2:25", "one value or a list");
	refuse_protocol(WORK("{agent: a, x: []}"), "x.yaml:2:25", "this list is empty");
	refuse_protocol(WORK("{agent: a, x: }"), "x.yaml:2:25", "has no value");
	refuse_protocol(WORK("{agent: a, x: é}"), "x.yaml:2:25", "cannot be");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keys),
	    cmocka_unit_test(values),
	    cmocka_unit_test(plans),
	    cmocka_unit_test(workloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
