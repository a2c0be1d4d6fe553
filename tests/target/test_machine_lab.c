/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real boots: the conformance table of machines on the virtual lab machine, and what only a
 * machine with a wire and a bootloader can show. */
#include <stdio.h>
#include <string.h>

#include "lab_machine.h"
#include "target/agent.h"
#include "util/clock.h"
#include "util/fd.h"
#include "../util/scratch.h"

static struct lab_machine lab;
static char *scratch;

static void conforms(void **state)
{
	const char *only = getenv("TRIPTYCH_LAB_CHECK");

	(void)state;
	for (int i = 0; i < n_machine_checks; i++) {
		int64_t start = tp_clock_mono_ms();

		if (only && !strstr(machine_checks[i].name, only))
			continue;
		print_message("lab: %s\n", machine_checks[i].name);
		machine_checks[i].run(&lab.bench);
		print_message("    %lld ms\n", (long long)(tp_clock_mono_ms() - start));
	}
}

static struct tp_run_report run_workload(const char *workload)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/records", scratch);
	struct tp_run_request request = lab.bench.run;
	struct tp_run_report report = {};
	struct tp_err err = {};

	request.workload = workload;
	request.run_id = workload;
	if (tp_machine_run(lab.bench.m, &request, local, NULL, NULL, &report, &err) != 0)
		fail_msg("%s: %s", workload, err.text);
	print_message("    %s %s\n", tp_boot_outcome_name(report.outcome), report.detail);
	return report;
}

static void cut_connection_does_not_end_a_run(void **state)
{
	(void)state;
	assert_int_equal(run_workload("cut").outcome, TP_OUTCOME_OK);
}

/* The agent itself, when it was built: precheck, facts, a run of its first workload. */
static void agent_measures(void **state)
{
	static char *params[] = {"--workers", "1"};
	const char *agent = getenv("TRIPTYCH_AGENT");
	_cleanup_(tp_freep) char *local = tp_strf("%s/agent-records", scratch);
	_cleanup_(tp_freep) char *text = NULL;
	_cleanup_(tp_freep) char *facts = NULL;
	const struct tp_run_request request = {.run_id = "aa55",
					       .workload = "inotify-watch",
					       .params = params,
					       .n_params = 2,
					       .warmup = 2,
					       .rounds = 25};
	struct tp_run_report report = {};
	struct tp_machine *m = NULL;
	struct tp_err err = {};

	(void)state;
	if (!agent)
		skip();
	if (tp_machine_open(&lab.config, agent, &m, &err) != 0 ||
	    tp_machine_precheck(m, &err) != 0 || tp_machine_facts(m, &facts, &err) != 0 ||
	    tp_machine_run(m, &request, local, NULL, NULL, &report, &err) != 0)
		fail_msg("%s", err.text);
	print_message("    %s %s (warm-up %lld ms, measured %lld ms, %d polls)\n",
		      tp_boot_outcome_name(report.outcome), report.detail,
		      (long long)report.warmup_ms, (long long)report.measured_ms, report.polls);
	assert_int_equal(report.outcome, TP_OUTCOME_OK);
	assert_non_null(strstr(facts, lab.rescue.build_id));
	assert_int_equal(tp_file_read(local, 1 << 20, &text, NULL, NULL), 0);
	assert_non_null(strstr(text, "\"round\":25,\"metric\":\"p1_distinct_ns_per_watch\""));
	assert_non_null(strstr(text, "\"run_id\":\"aa55\""));
	tp_machine_close(m);
}

static void refusal_before_the_first_round(void **state)
{
	struct tp_run_report report = run_workload("fail");

	(void)state;
	assert_int_equal(report.outcome, TP_OUTCOME_RUN_FAILED);
	assert_non_null(strstr(report.detail, "a planted failure"));
}

static void reboot_in_mid_run(void **state)
{
	struct tp_run_report report = run_workload("panic");

	(void)state;
	assert_int_equal(report.outcome, TP_OUTCOME_AGENT_DIED);
	assert_non_null(strstr(report.detail, "rebooted"));
}

static void changed_host_key_is_refused(void **state)
{
	char *pinned = lab.config.transport.host_key;
	struct tp_machine *m = NULL;
	struct tp_err err = {};
	int r;

	(void)state;
	lab.config.transport.host_key = strdup(pinned);
	strcpy(lab.config.transport.host_key + strlen(pinned) - 4, "AAAA");
	r = tp_machine_open(&lab.config, lab.agent, &m, &err);
	free(lab.config.transport.host_key);
	lab.config.transport.host_key = pinned;
	assert_int_equal(r, TP_MACHINE_E_REFUSED);
	assert_non_null(strstr(err.text, "host key"));
}

static void other_peoples_entries_stay(void **state)
{
	static const char theirs[] = "menuentry 'mine' --id mine {\n\techo hi\n}";
	_cleanup_(tp_freep) char *script =
	    tp_strf("printf '%%s' \"%s\" >/boot/grub/custom.cfg", theirs);
	_cleanup_(tp_freep) char *armed = NULL;
	_cleanup_(tp_freep) char *cleaned = NULL;
	_cleanup_(tp_freep) char *gone = NULL;

	(void)state;
	free(lab_machine_sh(&lab, script));
	assert_int_equal(tp_machine_install(lab.bench.m, &lab.bench.request, NULL), 0);
	assert_int_equal(tp_machine_arm(lab.bench.m, &lab.bench.request, NULL), 0);
	armed = lab_machine_sh(&lab, "cat /boot/grub/custom.cfg");
	assert_true(tp_str_starts(armed, theirs));
	assert_non_null(strstr(armed, "--id triptych-00112233445566aa"));
	assert_int_equal(tp_machine_clean(lab.bench.m, NULL), 0);
	cleaned = lab_machine_sh(&lab, "cat /boot/grub/custom.cfg; rm /boot/grub/custom.cfg");
	assert_true(tp_str_starts(cleaned, theirs));
	assert_null(strstr(cleaned, "triptych"));
	gone =
	    lab_machine_sh(&lab, "find /boot/triptych /var/lib/triptych -mindepth 1 2>/dev/null");
	assert_string_equal(gone, "");
}

/* GRUB reads another environment than the one that was configured. */
static void ignored_one_shot_is_our_fault(void **state)
{
	char *grub_dir = lab.config.boot.grub_dir;
	static char other[] = "/boot/other";
	struct tp_boot_report report = {};
	struct tp_identity id;
	struct tp_err err = {};
	int r;

	(void)state;
	free(lab_machine_sh(&lab, "mkdir /boot/other && cp /boot/grub/grubenv /boot/other/"));
	lab.config.boot.grub_dir = other;
	assert_int_equal(tp_machine_identify(lab.bench.m, &id, NULL), 0);
	assert_int_equal(tp_machine_install(lab.bench.m, &lab.bench.request, NULL), 0);
	assert_int_equal(tp_machine_arm(lab.bench.m, &lab.bench.request, NULL), 0);
	r = tp_machine_boot(lab.bench.m, &lab.bench.request, id.boot_id, false, &report, &err);
	lab.config.boot.grub_dir = grub_dir;
	assert_int_equal(r, TP_MACHINE_E_REFUSED);
	assert_non_null(strstr(err.text, "ignored"));
	free(lab_machine_sh(&lab, "rm -r /boot/other"));
	assert_int_equal(tp_machine_clean(lab.bench.m, NULL), 0);
}

static void refused_prechecks(void **state)
{
	struct {
		const char *spoil, *mend, *word;
	} cases[] = {
	    {"mount -o remount,ro /boot", "mount -o remount,rw /boot", "read-only"},
	    {"grub-editenv /boot/grub/grubenv set saved_entry=triptych-00",
	     "grub-editenv /boot/grub/grubenv set saved_entry=rescue", "default"},
	    {"echo 'set default=0' >/boot/grub/grub.cfg", "rm /boot/grub/grub.cfg", "custom.cfg"},
	    {"mv /boot/initrd.img /boot/x", "mv /boot/x /boot/initrd.img", "initrd"},
	    {"printf '#!/bin/sh\\necho lvm\\n' >/bin/grub-probe; chmod 755 /bin/grub-probe",
	     "rm /bin/grub-probe", "LVM"},
	};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct tp_err err = {};
		int r;

		free(lab_machine_sh(&lab, cases[i].spoil));
		r = tp_machine_precheck(lab.bench.m, &err);
		free(lab_machine_sh(&lab, cases[i].mend));
		print_message("    %s\n", err.text);
		assert_true(r == TP_MACHINE_E_REFUSED || r == TP_MACHINE_E_STICKY);
		assert_non_null(strstr(err.text, cases[i].word));
	}
	assert_int_equal(tp_machine_precheck(lab.bench.m, NULL), 0);
}

static int start_lab(void **state)
{
	if (scratch_setup((void **)&scratch) < 0)
		return -1;
	*state = scratch;
	lab_machine_start(&lab, scratch);
	return 0;
}

static int stop_lab(void **state)
{
	(void)state;
	lab_machine_stop(&lab);
	return scratch_teardown((void **)&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(conforms),
	    cmocka_unit_test(agent_measures),
	    cmocka_unit_test(cut_connection_does_not_end_a_run),
	    cmocka_unit_test(refusal_before_the_first_round),
	    cmocka_unit_test(changed_host_key_is_refused),
	    cmocka_unit_test(other_peoples_entries_stay),
	    cmocka_unit_test(refused_prechecks),
	    cmocka_unit_test(ignored_one_shot_is_our_fault),
	    cmocka_unit_test(reboot_in_mid_run),
	};

	if (!lab_machine_available())
		return 77;
	return cmocka_run_group_tests(tests, start_lab, stop_lab);
}
