/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of this machine, and of invented ones that this machine is not. */
#include "agent_helper.h"

#include <sys/utsname.h>

static json_t *facts_of(struct answer *a)
{
	json_t *record = json_array_get(a->records, 0);

	assert_ended_ok(a);
	assert_int_equal(json_array_size(a->records), 2);
	assert_int_equal(int_of(record, "triptych_agent"), 1);
	assert_string_equal(text_of(record, "record"), "facts");
	return json_object_get(record, "facts");
}

static void knows_this_kernel(void **state)
{
	struct answer a = ASK(*state, "facts");
	json_t *facts = facts_of(&a);
	struct utsname uts;

	uname(&uts);
	assert_string_equal(text_of(facts, "release"), uts.release);
	assert_string_equal(text_of(facts, "version"), uts.version);
	assert_string_equal(text_of(facts, "machine"), uts.machine);
	assert_int_equal(strlen(text_of(facts, "boot_id")), 36);
	assert_true(int_of(json_object_get(facts, "load"), "uptime_ms") > 0);
	assert_true(int_of(json_object_get(facts, "memory"), "total_kib") > 0);
	assert_true(int_of(json_object_get(facts, "interrupts"), "total") > 0);
	answer_free(&a);
}

static void two_answers_agree_on_what_must_be_equal(void **state)
{
	static const char *const equal[] = {"release", "machine", "build_id",	     "tainted",
					    "preempt", "cpu",	  "vulnerabilities", "dmi",
					    "clock",   "cmdline", "fingerprint"};
	struct answer a = ASK(*state, "facts");
	struct answer b = ASK(*state, "facts");

	for (size_t i = 0; i < TP_ARRAY_SIZE(equal); i++) {
		json_t *left = json_object_get(facts_of(&a), equal[i]);

		assert_non_null(left);
		assert_true(json_equal(left, json_object_get(facts_of(&b), equal[i])));
	}
	answer_free(&a);
	answer_free(&b);
}

static void put(const char *root, const char *path, const char *text)
{
	char *whole = tp_strf("%s%s", root, path);
	char *slash = strrchr(whole, '/');

	*slash = '\0';
	assert_int_equal(tp_dir_make(whole, 0755, NULL), 0);
	*slash = '/';
	assert_int_equal(tp_file_write(whole, text, strlen(text), 0644, NULL), 0);
	free(whole);
}

/* The names that an empty machine lacks are there all the same. */
static void unreadable_facts_are_null_not_absent(void **state)
{
	struct answer empty = ASK(*state, "facts", "--root", *state);
	struct answer real = ASK(*state, "facts");
	json_t *nothing = facts_of(&empty);
	const char *key;
	json_t *value;

	assert_true(json_is_null(json_object_get(nothing, "boot_id")));
	assert_true(json_is_null(json_object_get(nothing, "build_id")));
	assert_true(json_is_null(json_object_get(nothing, "tainted")));
	json_object_foreach(facts_of(&real), key, value)
	    assert_non_null(json_object_get(nothing, key));
	json_object_foreach(json_object_get(facts_of(&real), "cpu"), key, value)
	    assert_non_null(json_object_get(json_object_get(nothing, "cpu"), key));
	json_object_foreach(json_object_get(facts_of(&real), "memory"), key, value)
	    assert_non_null(json_object_get(json_object_get(nothing, "memory"), key));
	answer_free(&empty);
	answer_free(&real);
}

static void invent_machine(const char *root)
{
	put(root, "/proc/cmdline", "root=/dev/sda nokaslr preempt=none x=\"\\\xff preempt=full\n");
	put(root, "/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Thu\n");
	put(root, "/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
	put(root, "/sys/devices/cpu_core/cpus", "0-15\n");
	put(root, "/sys/devices/cpu_atom/cpus", "16-23\n");
	put(root, "/sys/devices/system/cpu/cpufreq/policy10/scaling_governor", "powersave\n");
	put(root, "/sys/devices/system/cpu/cpufreq/policy2/scaling_governor", "performance\n");
	put(root, "/sys/devices/system/cpu/cpufreq/policy2/scaling_max_freq", "3600000\n");
	put(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	put(root, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
	put(root, "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n");
	put(root, "/sys/devices/system/cpu/vulnerabilities/mds", "Mitigation: \"x\"\n");
	put(root, "/proc/interrupts",
	    "            CPU0       CPU1\n  0:        100         20   IO-APIC  timer 5\n"
	    "NMI:          1          2   Non-maskable interrupts\nERR:          9\n");
	put(root, "/proc/iomem",
	    "00000000-00000fff : Reserved\n00001000-000fffff : System RAM\n"
	    "  00002000-00002fff : System RAM\n00100000-001fffff : System RAM\n");
	put(root, "/proc/12/comm", "irqbalance\n");
	put(root, "/proc/13/comm", "cronologist\n");
}

static void reads_an_invented_machine(void **state)
{
	struct answer a;
	json_t *facts, *policies, *interrupts, *services;

	invent_machine(*state);
	a = ASK(*state, "facts", "--root", *state);
	facts = facts_of(&a);
	policies = json_object_get(json_object_get(facts, "frequency"), "policies");
	interrupts = json_object_get(facts, "interrupts");
	services = json_object_get(facts, "services");
	assert_true(json_is_false(json_object_get(facts, "kaslr_cmdline")));
	assert_string_equal(text_of(json_object_get(facts, "preempt"), "live"), "full");
	assert_string_equal(text_of(json_object_get(facts, "preempt"), "cmdline"), "full");
	assert_string_equal(text_of(json_object_get(facts, "preempt"), "build"), "PREEMPT_DYNAMIC");
	assert_string_equal(
	    text_of(json_object_get(json_object_get(facts, "cpu"), "hybrid"), "atom_cpus"),
	    "16-23");
	assert_int_equal(json_array_size(policies), 2);
	assert_string_equal(text_of(json_array_get(policies, 0), "policy"), "policy2");
	assert_int_equal(int_of(json_array_get(policies, 0), "max_khz"), 3600000);
	assert_true(json_is_null(json_object_get(json_array_get(policies, 1), "max_khz")));
	assert_int_equal(int_of(json_object_get(facts, "frequency"), "intel_no_turbo"), 1);
	assert_int_equal(int_of(json_object_get(facts, "thermal"), "core_throttles"), 7);
	assert_string_equal(text_of(json_object_get(facts, "vulnerabilities"), "mds"),
			    "Mitigation: \"x\"");
	assert_int_equal(int_of(interrupts, "total"), 123);
	assert_int_equal(
	    json_integer_value(json_array_get(json_object_get(interrupts, "per_cpu"), 1)), 22);
	assert_int_equal(int_of(json_object_get(facts, "memory"), "installed_kib"), 1020 + 1024);
	assert_true(json_is_true(json_object_get(services, "irqbalance")));
	assert_true(json_is_false(json_object_get(services, "cron")));
	answer_free(&a);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(knows_this_kernel),
	    scratch_test(two_answers_agree_on_what_must_be_equal),
	    scratch_test(unreadable_facts_are_null_not_absent),
	    scratch_test(reads_an_invented_machine),
	};

	find_agent(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
