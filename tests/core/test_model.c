/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words and back, and every transition of every state, written out once more. */
#include "core_helper.h"

#include "core/model.h"

typedef const char *(*name_fn)(int value);

/* Enum parameters are ints to the caller; these make that a conversion, not a cast of pointers. */
#define NAMES(stem, type)                                                                          \
	static const char *stem##_word(int value)                                                  \
	{                                                                                          \
		return tp_##stem##_name((type)value);                                              \
	}

NAMES(job_kind, enum tp_job_kind)
NAMES(job_state, enum tp_job_state)
NAMES(job_verdict, enum tp_job_verdict)
NAMES(role, enum tp_role)
NAMES(boot_state, enum tp_boot_state)
NAMES(boot_outcome, enum tp_boot_outcome)
NAMES(step_kind, enum tp_step_kind)
NAMES(step_state, enum tp_step_state)
NAMES(phase, enum tp_phase)
NAMES(evidence, enum tp_evidence)
NAMES(target_state, enum tp_target_state)
NAMES(kernel_state, enum tp_kernel_state)

/* The words as they stand in databases that exist: a change here is a change of the schema. */
static const struct {
	const char *what;
	name_fn name;
	int (*parse)(const char *name);
	int max;
	const char *words;
} tables[] = {
    {"job kind", job_kind_word, tp_job_kind_parse, _TP_JOB_KIND_MAX,
     "exact compare probe series bisect hunt-step "},
    {"job state", job_state_word, tp_job_state_parse, _TP_JOB_STATE_MAX,
     "planned running done failed cancelled "},
    {"job verdict", job_verdict_word, tp_job_verdict_parse, _TP_JOB_VERDICT_MAX,
     "NONE MEASURED NO_OP BUILD_FAIL BOOT_FAIL CONFIG_DIFFERS RUN_FAIL "},
    {"role", role_word, tp_role_parse, _TP_ROLE_MAX,
     "parent_a child parent_b control_a candidate control_b variant anchor "},
    {"boot state", boot_state_word, tp_boot_state_parse, _TP_BOOT_STATE_MAX,
     "planned installed armed rebooting identified measuring complete failed discarded "},
    {"boot outcome", boot_outcome_word, tp_boot_outcome_parse, _TP_BOOT_OUTCOME_MAX,
     "NONE OK FELL_BACK WRONG_KERNEL NEVER_WENT_DOWN NEVER_CAME_UP RUN_FAILED AGENT_DIED "
     "INFRA "},
    {"step kind", step_kind_word, tp_step_kind_parse, _TP_STEP_KIND_MAX,
     "build deploy arm boot measure judge clean "},
    {"step state", step_state_word, tp_step_state_parse, _TP_STEP_STATE_MAX,
     "planned started done failed unknown "},
    {"phase", phase_word, tp_phase_parse, _TP_PHASE_MAX, "warmup measured "},
    {"evidence", evidence_word, tp_evidence_parse, _TP_EVIDENCE_MAX, "bare_metal virtual fake "},
    {"target state", target_state_word, tp_target_state_parse, _TP_TARGET_STATE_MAX,
     "ready leased quarantined "},
    {"kernel state", kernel_state_word, tp_kernel_state_parse, _TP_KERNEL_STATE_MAX,
     "planned built build_fail "},
};

static void words_are_the_agreed_ones(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(tables); i++) {
		char words[256] = "";

		for (int value = 0; value < tables[i].max; value++) {
			strcat(words, tables[i].name(value));
			strcat(words, " ");
		}
		assert_string_equal(words, tables[i].words);
	}
}

static void words_lead_back_to_their_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(tables); i++) {
		for (int value = 0; value < tables[i].max; value++)
			assert_int_equal(tables[i].parse(tables[i].name(value)), value);
	}
}

static void other_words_are_no_values(void **state)
{
	static const char *const bad[] = {"", "?", " planned", "planned ", "PLANNED", "none", NULL};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(tables); i++) {
		for (size_t k = 0; k < TP_ARRAY_SIZE(bad); k++)
			assert_int_equal(tables[i].parse(bad[k]), -1);
	}
}

static void other_values_have_no_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(tables); i++) {
		assert_string_equal(tables[i].name(-1), "?");
		assert_string_equal(tables[i].name(tables[i].max), "?");
		assert_string_equal(tables[i].name(1 << 30), "?");
	}
}

/* A row a state, a column a next state, in the order of the enum; x is allowed. */
static void assert_table(const char *what, const char *const *rows, int n,
			 bool (*may)(int from, int to))
{
	for (int from = 0; from < n; from++) {
		assert_int_equal(strlen(rows[from]), n);
		for (int to = 0; to < n; to++) {
			if (may(from, to) != (rows[from][to] == 'x'))
				fail_msg("%s: %d -> %d is %sallowed", what, from, to,
					 may(from, to) ? "" : "not ");
		}
		assert_false(may(from, n) || may(from, -1) || may(n, from) || may(-1, from));
	}
}

static bool job_may(int from, int to)
{
	return tp_job_state_may((enum tp_job_state)from, (enum tp_job_state)to);
}

static bool boot_may(int from, int to)
{
	return tp_boot_state_may((enum tp_boot_state)from, (enum tp_boot_state)to);
}

static bool step_may(int from, int to)
{
	return tp_step_state_may((enum tp_step_state)from, (enum tp_step_state)to);
}

static void states_move_only_along_their_tables(void **state)
{
	static const char *const job[] = {".x..x", ".xxxx", ".....", ".x..x", "....."};
	static const char *const boot[] = {".x.....xx", "..x....xx", "...x...xx",
					   "....x..xx", ".....x.xx", "......xxx",
					   ".........", ".........", "........."};
	static const char *const step[] = {".x...", "..xxx", ".....", ".....", "....."};

	(void)state;
	assert_table("job", job, _TP_JOB_STATE_MAX, job_may);
	assert_table("boot", boot, _TP_BOOT_STATE_MAX, boot_may);
	assert_table("step", step, _TP_STEP_STATE_MAX, step_may);
}

/* No boot goes back: along any path the state's number rises, so every attempt ends. */
static void boots_never_go_backwards(void **state)
{
	(void)state;
	for (int from = 0; from < _TP_BOOT_STATE_MAX; from++) {
		for (int to = 0; to <= from; to++)
			assert_false(boot_may(from, to));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words_are_the_agreed_ones),
	    cmocka_unit_test(words_lead_back_to_their_values),
	    cmocka_unit_test(other_words_are_no_values),
	    cmocka_unit_test(other_values_have_no_word),
	    cmocka_unit_test(states_move_only_along_their_tables),
	    cmocka_unit_test(boots_never_go_backwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
