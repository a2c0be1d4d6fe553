/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conformance table of machines; see machine_checks.h. */
#include "machine_checks.h"

#include <errno.h>

#include "target/agent.h"
#include "target/identity.h"
#include "util/hash.h"
#include "../util/scratch.h"

#define OTHER_TOKEN "00000000000000ff"

#define must(call)                                                                                 \
	do {                                                                                       \
		struct tp_err err = {};                                                            \
		int r_ = (call);                                                                   \
		if (r_)                                                                            \
			fail_msg("%s: %d %s", #call, r_, err.text);                                \
	} while (0)

static struct tp_identity who(struct machine_bench *b)
{
	struct tp_identity id = {};

	must(tp_machine_identify(b->m, &id, &err));
	return id;
}

static void assert_rescue(struct machine_bench *b)
{
	struct tp_identity id = who(b);
	char token[64];

	tp_identity_token(id.cmdline, token, sizeof(token));
	assert_string_equal(token, "");
	assert_true(tp_boot_id_valid(id.boot_id));
}

static bool is_armed(struct machine_bench *b)
{
	bool armed = true;

	must(tp_machine_armed(b->m, &b->request, &armed, &err));
	return armed;
}

static bool is_installed(struct machine_bench *b)
{
	bool there = false;

	must(tp_machine_installed(b->m, &b->request, &there, &err));
	return there;
}

/* Install, arm, boot from whatever runs now. */
static struct tp_boot_report boot(struct machine_bench *b)
{
	struct tp_identity before = who(b);
	struct tp_boot_report report = {};

	must(tp_machine_install(b->m, &b->request, &err));
	must(tp_machine_arm(b->m, &b->request, &err));
	must(tp_machine_boot(b->m, &b->request, before.boot_id, false, &report, &err));
	print_message("    %s: %s (down %lld, up %lld, settle %lld ms)\n",
		      tp_boot_outcome_name(report.outcome), report.detail,
		      (long long)report.down_ms, (long long)report.up_ms,
		      (long long)report.settle_ms);
	return report;
}

static void known_and_fit(struct machine_bench *b)
{
	_cleanup_(tp_freep) char *facts = NULL;
	struct tp_identity id = who(b);

	assert_rescue(b);
	assert_true(id.release[0]);
	assert_true(strlen(id.build_id) >= 16);
	assert_true(id.uptime_ms >= 0);
	must(tp_machine_facts(b->m, &facts, &err));
	assert_true(facts[0] == '{' && strstr(facts, id.boot_id));
	must(tp_machine_precheck(b->m, &err));
}

static void kernels_come_and_stay(struct machine_bench *b)
{
	assert_false(is_installed(b));
	must(tp_machine_install(b->m, &b->request, &err));
	assert_true(is_installed(b));
	must(tp_machine_install(b->m, &b->request, &err));
	assert_true(is_installed(b));
}

static void damaged_artefact_is_refused(struct machine_bench *b)
{
	struct tp_boot_request q = b->request;
	struct tp_err err = {};

	q.image_sha256 = "0123456789012345678901234567890123456789012345678901234567890123";
	assert_int_equal(tp_machine_install(b->m, &q, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "bzImage"));
}

static void arming_reads_back(struct machine_bench *b)
{
	struct tp_boot_request other = b->request;
	bool armed = true;

	must(tp_machine_install(b->m, &b->request, &err));
	assert_false(is_armed(b));
	must(tp_machine_arm(b->m, &b->request, &err));
	assert_true(is_armed(b));
	other.token = OTHER_TOKEN;
	must(tp_machine_armed(b->m, &other, &armed, &err));
	assert_false(armed);
	must(tp_machine_arm(b->m, &other, &err));
	assert_false(is_armed(b));
	must(tp_machine_clean(b->m, &err));
	must(tp_machine_armed(b->m, &other, &armed, &err));
	assert_false(armed);
	assert_false(is_installed(b));
	assert_rescue(b);
}

static void good_boot(struct machine_bench *b)
{
	struct tp_identity before = who(b), after;
	struct tp_boot_report report = boot(b);
	char token[64];

	assert_int_equal(report.outcome, TP_OUTCOME_OK);
	assert_string_not_equal(report.identity.boot_id, before.boot_id);
	assert_string_equal(report.identity.release, b->request.release);
	assert_string_equal(report.identity.build_id, b->request.build_id);
	assert_non_null(report.console);
	assert_true(report.settle_ms >= b->config->settle_ms || report.settle_ms == 0);
	tp_boot_report_deinit(&report);
	after = who(b);
	tp_identity_token(after.cmdline, token, sizeof(token));
	assert_string_equal(token, b->request.token);
	assert_false(is_armed(b)); /* once means once */
}

static void successor_finds_the_boot(struct machine_bench *b)
{
	struct tp_boot_report report = {};

	must(tp_machine_boot(b->m, &b->request, "01234567-89ab-4cde-8f01-23456789abcd", true,
			     &report, &err));
	assert_int_equal(report.outcome, TP_OUTCOME_OK);
	tp_boot_report_deinit(&report);
}

static void boot_needs_a_boot_id(struct machine_bench *b)
{
	struct tp_boot_report report = {};
	struct tp_err err = {};

	assert_int_equal(tp_machine_boot(b->m, &b->request, "", false, &report, &err), -EINVAL);
}

struct seen {
	int calls, last_round, rounds;
	bool warmup, backwards;
};

static void see(enum tp_phase phase, int round, int rounds, void *data)
{
	struct seen *seen = data;

	seen->calls++;
	seen->warmup |= phase == TP_PHASE_WARMUP;
	seen->backwards |= round < seen->last_round;
	seen->last_round = round;
	seen->rounds = rounds;
}

static struct tp_run_report run(struct machine_bench *b, const char *local, struct seen *seen)
{
	struct tp_run_report report = {};

	must(tp_machine_run(b->m, &b->run, local, see, seen, &report, &err));
	print_message("    %s%s%s (warm-up %lld ms, measured %lld ms, %d polls)\n",
		      tp_boot_outcome_name(report.outcome), report.detail[0] ? ": " : "",
		      report.detail, (long long)report.warmup_ms, (long long)report.measured_ms,
		      report.polls);
	return report;
}

static void good_run(struct machine_bench *b)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/records", b->dir);
	struct tp_run_report report;
	struct seen seen = {};
	bool ok = false;
	char reason[64];

	report = run(b, local, &seen);
	assert_int_equal(report.outcome, TP_OUTCOME_OK);
	must(tp_agent_read_end(local, &ok, reason, sizeof(reason), &err));
	assert_true(ok);
	assert_true(seen.warmup && !seen.backwards && seen.calls > 1);
	assert_int_equal(seen.rounds, b->run.rounds);
	assert_true(seen.last_round <= b->run.rounds);
	must(tp_dir_remove(local, &err));
}

static void failed_run(struct machine_bench *b)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/failed", b->dir);
	struct tp_run_report report;
	struct seen seen = {};

	b->provoke(b, FAULT_RUN_FAILED);
	report = run(b, local, &seen);
	b->provoke(b, FAULT_NONE);
	assert_int_equal(report.outcome, TP_OUTCOME_RUN_FAILED);
	assert_non_null(strstr(report.detail, "failed"));
	assert_null(strchr(report.detail, '\033'));
}

static void dead_agent(struct machine_bench *b)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/dead", b->dir);
	struct tp_run_report report;
	struct seen seen = {};

	b->provoke(b, FAULT_AGENT_DIED);
	report = run(b, local, &seen);
	b->provoke(b, FAULT_NONE);
	assert_int_equal(report.outcome, TP_OUTCOME_AGENT_DIED);
	assert_false(tp_path_exists(local));
	good_run(b);
}

static void clean_leaves_rescue(struct machine_bench *b)
{
	must(tp_machine_clean(b->m, &err));
	assert_rescue(b);
	assert_false(is_installed(b));
	assert_false(is_armed(b));
	must(tp_machine_clean(b->m, &err));
}

static void no_boot(struct machine_bench *b, enum machine_fault fault,
		    enum tp_boot_outcome expected)
{
	struct tp_boot_report report;

	b->provoke(b, fault);
	report = boot(b);
	assert_int_equal(report.outcome, expected);
	assert_true(report.detail[0]);
	assert_non_null(report.console);
	tp_boot_report_deinit(&report);
	b->provoke(b, FAULT_NONE);
	assert_false(is_armed(b));
	must(tp_machine_clean(b->m, &err));
	assert_rescue(b);
}

static void fell_back(struct machine_bench *b)
{
	no_boot(b, FAULT_FELL_BACK, TP_OUTCOME_FELL_BACK);
}

static void wrong_kernel(struct machine_bench *b)
{
	no_boot(b, FAULT_WRONG_KERNEL, TP_OUTCOME_WRONG_KERNEL);
}

static void never_went_down(struct machine_bench *b)
{
	no_boot(b, FAULT_NEVER_WENT_DOWN, TP_OUTCOME_NEVER_WENT_DOWN);
}

static void never_came_up(struct machine_bench *b)
{
	no_boot(b, FAULT_NEVER_CAME_UP, TP_OUTCOME_NEVER_CAME_UP);
}

static void full_disk(struct machine_bench *b)
{
	struct tp_err err = {};
	int r;

	assert_false(is_installed(b));
	b->provoke(b, FAULT_NO_SPACE);
	r = tp_machine_install(b->m, &b->request, &err);
	b->provoke(b, FAULT_NONE);
	assert_int_equal(r, TP_MACHINE_E_NO_SPACE);
	assert_true(err.text[0]);
	assert_false(is_installed(b));
	must(tp_machine_install(b->m, &b->request, &err));
	must(tp_machine_clean(b->m, &err));
}

static void unreachable(struct machine_bench *b)
{
	struct tp_identity id;
	struct tp_err err = {};

	b->provoke(b, FAULT_UNREACHABLE);
	assert_int_equal(tp_machine_identify(b->m, &id, &err), TP_MACHINE_E_UNREACHABLE);
	assert_int_equal(err.code, TP_MACHINE_E_UNREACHABLE);
	assert_int_equal(tp_machine_precheck(b->m, &err), TP_MACHINE_E_UNREACHABLE);
	b->provoke(b, FAULT_NONE);
	assert_rescue(b);
}

static void power(struct machine_bench *b)
{
	struct tp_identity before = who(b), after;
	struct tp_err nobody = {};
	bool on = false;

	must(tp_machine_power(b->m, "status", &on, &err));
	assert_true(on);
	must(tp_machine_power(b->m, "off", &on, &err));
	assert_false(on);
	must(tp_power_act(b->config, "status", &on, &err));
	assert_false(on);
	assert_int_equal(tp_machine_identify(b->m, &after, &nobody), TP_MACHINE_E_UNREACHABLE);
	must(tp_machine_rescue(b->m, &err));
	after = who(b);
	assert_string_not_equal(before.boot_id, after.boot_id);
	assert_rescue(b);
	must(tp_machine_rescue(b->m, &err));
	assert_string_equal(who(b).boot_id, after.boot_id); /* nobody was reset for nothing */
	assert_int_equal(tp_machine_power(b->m, "explode", &on, &nobody), -EINVAL);
}

const struct machine_check machine_checks[] = {
    {"known and fit", known_and_fit},
    {"kernels come and stay", kernels_come_and_stay},
    {"a damaged artefact is refused", damaged_artefact_is_refused},
    {"arming reads back", arming_reads_back},
    {"a boot needs a boot id", boot_needs_a_boot_id},
    {"a good boot", good_boot},
    {"a successor finds the boot", successor_finds_the_boot},
    {"a good run", good_run},
    {"a failed run", failed_run},
    {"a dead agent", dead_agent},
    {"clean leaves rescue", clean_leaves_rescue},
    {"fell back", fell_back},
    {"wrong kernel", wrong_kernel},
    {"never went down", never_went_down},
    {"never came up", never_came_up},
    {"a full disk", full_disk},
    {"unreachable", unreachable},
    {"power", power},
};
const int n_machine_checks = TP_ARRAY_SIZE(machine_checks);
