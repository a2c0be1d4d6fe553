/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of the schema's CHECKs are core's words, all of them, in the same order. */
#include "store_helper.h"

#include "store/statements.h"

typedef const char *(*name_fn)(int value);

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
NAMES(better, enum tp_better)
NAMES(metric_role, enum tp_metric_role)

static const struct {
	const char *table, *column;
	name_fn name;
	int max;
} checks[] = {
    {"target", "evidence", evidence_word, _TP_EVIDENCE_MAX},
    {"target", "state", target_state_word, _TP_TARGET_STATE_MAX},
    {"kernel", "state", kernel_state_word, _TP_KERNEL_STATE_MAX},
    {"job", "kind", job_kind_word, _TP_JOB_KIND_MAX},
    {"job", "state", job_state_word, _TP_JOB_STATE_MAX},
    {"job", "verdict", job_verdict_word, _TP_JOB_VERDICT_MAX},
    {"job", "evidence", evidence_word, _TP_EVIDENCE_MAX},
    {"point", "role", role_word, _TP_ROLE_MAX},
    {"boot", "state", boot_state_word, _TP_BOOT_STATE_MAX},
    {"boot", "outcome", boot_outcome_word, _TP_BOOT_OUTCOME_MAX},
    {"round", "phase", phase_word, _TP_PHASE_MAX},
    {"verdict", "metric_role", metric_role_word, _TP_METRIC_ROLE_MAX},
    {"verdict", "better", better_word, _TP_BETTER_MAX},
    {"step", "kind", step_kind_word, _TP_STEP_KIND_MAX},
    {"step", "state", step_state_word, _TP_STEP_STATE_MAX},
};

static void checks_hold_the_words(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < TP_ARRAY_SIZE(checks); i++) {
		char query[128], head[64];
		_cleanup_(tp_freep) char *sql = NULL;
		const char *p;

		snprintf(query, sizeof(query), "SELECT sql FROM sqlite_schema WHERE name = '%s'",
			 checks[i].table);
		snprintf(head, sizeof(head), "CHECK (%s IN (", checks[i].column);
		sql = peek(w, query);
		assert_non_null(sql);
		p = strstr(sql, head);
		if (!p)
			fail_msg("%s has no %s", checks[i].table, head);
		p += strlen(head);
		for (int k = 0; k < checks[i].max; k++) {
			char word[64];

			snprintf(word, sizeof(word), "'%s'", checks[i].name(k));
			p += strspn(p, " ,\n\t");
			if (!tp_str_starts(p, word))
				fail_msg("%s.%s lacks %s at %.20s", checks[i].table,
					 checks[i].column, word, p);
			p += strlen(word);
		}
		assert_true(tp_str_starts(p, "))"));
	}
}

/* Nothing that looks like a state column is without a CHECK that the table above compares. */
static void no_check_is_forgotten(void **state)
{
	struct world *w = *state;
	char count[16];

	snprintf(count, sizeof(count), "%zu", TP_ARRAY_SIZE(checks));
	assert_peek(w,
		    "SELECT count(*) FROM sqlite_schema AS s, pragma_table_info(s.name) AS c "
		    "WHERE s.type = 'table' AND c.name IN ('state', 'kind', 'verdict', 'evidence', "
		    "'role', 'outcome', 'phase', 'metric_role', 'better')",
		    count);
}

/* A typing error in a statement shows here, not when it is first used in the field. */
static void every_statement_prepares(void **state)
{
	struct world *w = *state;
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(w->path, &db), SQLITE_OK);
	for (int i = 0; i < _TP_STATEMENT_MAX; i++) {
		sqlite3_stmt *stmt = NULL;

		assert_non_null(tp_statements[i]);
		if (sqlite3_prepare_v2(db, tp_statements[i], -1, &stmt, NULL) != SQLITE_OK)
			fail_msg("%s: %s", tp_statements[i], sqlite3_errmsg(db));
		for (int k = 1; k <= sqlite3_bind_parameter_count(stmt); k++)
			assert_non_null(sqlite3_bind_parameter_name(stmt, k));
		sqlite3_finalize(stmt);
	}
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(checks_hold_the_words),
	    world_test(no_check_is_forgotten),
	    world_test(every_statement_prepares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
