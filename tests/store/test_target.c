/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets, their leases, and the protocols and kernels that are found by their hash. */
#include "store_helper.h"

#include <errno.h>

static void target_is_kept_and_replaced(void **state)
{
	struct world *w = *state;
	struct tp_target_row row;
	int64_t again;

	fill_world(w);
	ok(w, tp_store_target_get(w->store, "lab", &row, &w->err));
	assert_int_equal(row.id, w->target);
	assert_string_equal(row.yaml, "name: lab\n");
	assert_string_equal(row.evidence, "virtual");
	assert_string_equal(row.state, "ready");
	assert_string_equal(row.facts_json, "{\"cpu\":1}");
	assert_int_equal(row.added_ms, 1000);
	tp_target_row_deinit(&row);
	ok(w, tp_store_target_put(w->store, "lab", "name: lab # new\n", TP_EVIDENCE_BARE_METAL,
				  NULL, 9000, &again, &w->err));
	assert_int_equal(again, w->target);
	ok(w, tp_store_target_get_id(w->store, again, &row, &w->err));
	assert_string_equal(row.yaml, "name: lab # new\n");
	assert_null(row.facts_json);
	tp_target_row_deinit(&row);
	/* The job keeps the class of evidence that it was made with. */
	assert_peek(w, "SELECT evidence FROM jobs", "virtual");
}

static void unknown_target(void **state)
{
	struct world *w = *state;
	struct tp_target_row row;

	refused(w, TP_STORE_E_NOT_FOUND, "there is no target none",
		tp_store_target_get(w->store, "none", &row, &w->err));
	refused(w, TP_STORE_E_NOT_FOUND, "there is no target number 7",
		tp_store_target_get_id(w->store, 7, &row, &w->err));
	refused(w, TP_STORE_E_NOT_FOUND, "there is no target number 7",
		tp_store_target_lease(w->store, 7, 1, 1, &w->err));
}

static int64_t another_job(struct world *w, int64_t *ret_epoch)
{
	struct tp_job_new job = exact_job(w);
	int64_t id;

	job.request_key = "another";
	ok(w, tp_store_job_create(w->store, &job, 2000, &id, &w->err));
	ok(w, tp_store_job_claim(w->store, id, 3000, ret_epoch, &w->err));
	return id;
}

static void one_lease_at_a_time(void **state)
{
	struct world *w = *state;
	int64_t other, other_epoch, epoch;

	fill_world(w);
	other = another_job(w, &other_epoch);
	ok(w, tp_store_target_lease(w->store, w->target, w->job, w->epoch, &w->err));
	refused(w, TP_STORE_E_CONFLICT, "the target lab is in use by job 1",
		tp_store_target_lease(w->store, w->target, other, other_epoch, &w->err));
	refused(
	    w, TP_STORE_E_CONFLICT, "in use by job 1",
	    tp_store_target_put(w->store, "lab", "x", TP_EVIDENCE_FAKE, NULL, 1, NULL, &w->err));
	/* Another job's release does nothing. */
	ok(w, tp_store_target_release(w->store, w->target, other, &w->err));
	assert_peek(w, "SELECT state FROM targets", "leased");
	/* The job's next worker takes it over, its old one cannot. */
	ok(w, tp_store_job_claim(w->store, w->job, 1, &epoch, &w->err));
	ok(w, tp_store_target_lease(w->store, w->target, w->job, epoch, &w->err));
	refused(w, TP_STORE_E_FENCED, "another worker has taken job 1 over",
		tp_store_target_lease(w->store, w->target, w->job, w->epoch, &w->err));
	ok(w, tp_store_target_release(w->store, w->target, w->job, &w->err));
	ok(w, tp_store_target_lease(w->store, w->target, other, other_epoch, &w->err));
}

static void a_dead_jobs_lease_is_no_lease(void **state)
{
	struct world *w = *state;
	int64_t other, other_epoch;

	fill_world(w);
	other = another_job(w, &other_epoch);
	ok(w, tp_store_target_lease(w->store, w->target, w->job, w->epoch, &w->err));
	ok(w, tp_store_job_finish(w->store, w->job, w->epoch, TP_JOB_FAILED, TP_VERDICT_NONE, "x",
				  9, &w->err));
	ok(w, tp_store_target_lease(w->store, w->target, other, other_epoch, &w->err));
	ok(w, tp_store_job_finish(w->store, other, other_epoch, TP_JOB_FAILED, TP_VERDICT_NONE, "x",
				  9, &w->err));
	ok(w, tp_store_target_put(w->store, "lab", "x", TP_EVIDENCE_FAKE, NULL, 1, NULL, &w->err));
}

static void a_quarantined_target_stays_alone(void **state)
{
	struct world *w = *state;

	fill_world(w);
	free(peek(w, "UPDATE target SET state = 'quarantined'"));
	refused(w, TP_STORE_E_CONFLICT, "the target lab is quarantined",
		tp_store_target_lease(w->store, w->target, w->job, w->epoch, &w->err));
}

static void protocols_by_hash(void **state)
{
	struct world *w = *state;
	char sha256[TP_SHA256_HEX];
	_cleanup_(tp_freep) char *text = NULL;
	char *none = NULL;
	int64_t again, other;

	fill_world(w);
	ok(w, tp_store_protocol_put(w->store, "quick", KEY_A, "name: quick\n", 5, &again, &w->err));
	assert_int_equal(again, w->protocol);
	ok(w, tp_store_protocol_put(w->store, "quick", KEY_B, "changed", 5, &other, &w->err));
	assert_int_not_equal(other, w->protocol);
	ok(w, tp_store_protocol_get(w->store, w->protocol, &text, sha256, &w->err));
	assert_string_equal(text, "name: quick\n");
	assert_string_equal(sha256, KEY_A);
	refused(w, TP_STORE_E_NOT_FOUND, "no protocol number 99",
		tp_store_protocol_get(w->store, 99, &none, sha256, &w->err));
	refused(w, -EINVAL, "refuses a record",
		tp_store_protocol_put(w->store, "q", "short", "x", 5, &other, &w->err));
}

static void kernels_are_built_once(void **state)
{
	struct world *w = *state;
	struct tp_kernel_row built = {
	    .state = TP_KERNEL_BUILT,
	    .release = "6.12-tp",
	    .build_id = "beef",
	    .config_sha256 = "c",
	    .image_sha256 = "i",
	    .canonical_sha256 = "v",
	    .artifact_dir = "/a",
	    .manifest_json = "{}",
	    .log_path = "/l",
	    .build_ms = 1500,
	};
	struct tp_kernel_row row;
	int64_t again;

	fill_world(w);
	built.id = w->child;
	ok(w, tp_store_kernel_put(w->store, KEY_B, "v2", "3333", "4444", "slower", 1, &again,
				  &w->err));
	assert_int_equal(again, w->child);
	ok(w, tp_store_kernel_finish(w->store, &built, &w->err));
	refused(w, TP_STORE_E_CONFLICT, "(v2) is built, not planned",
		tp_store_kernel_finish(w->store, &built, &w->err));
	ok(w, tp_store_kernel_get(w->store, w->child, &row, &w->err));
	assert_int_equal(row.state, TP_KERNEL_BUILT);
	assert_string_equal(row.release, "6.12-tp");
	assert_string_equal(row.canonical_sha256, "v");
	assert_string_equal(row.log_path, "/l");
	assert_null(row.first_error);
	assert_int_equal(row.build_ms, 1500);
	tp_kernel_row_deinit(&row);
	ok(w, tp_store_kernel_reset(w->store, w->child, &w->err));
	refused(w, TP_STORE_E_CONFLICT, "is planned, not built",
		tp_store_kernel_reset(w->store, w->child, &w->err));
	ok(w, tp_store_kernel_get(w->store, w->child, &row, &w->err));
	assert_int_equal(row.state, TP_KERNEL_PLANNED);
	assert_null(row.release);
	tp_kernel_row_deinit(&row);
}

static void kernels_that_do_not_build(void **state)
{
	struct world *w = *state;
	struct tp_kernel_row fail = {.state = TP_KERNEL_BUILD_FAIL, .first_error = "a.c:1: no"};
	struct tp_kernel_row half = {.state = TP_KERNEL_BUILT, .release = "r"};
	struct tp_kernel_row planned = {};
	struct tp_kernel_row row;

	fill_world(w);
	half.id = fail.id = planned.id = w->child;
	refused(w, -EINVAL, "refuses a record", tp_store_kernel_finish(w->store, &half, &w->err));
	refused(w, -EINVAL, "cannot be planned",
		tp_store_kernel_finish(w->store, &planned, &w->err));
	ok(w, tp_store_kernel_finish(w->store, &fail, &w->err));
	ok(w, tp_store_kernel_get(w->store, w->child, &row, &w->err));
	assert_int_equal(row.state, TP_KERNEL_BUILD_FAIL);
	assert_string_equal(row.first_error, "a.c:1: no");
	tp_kernel_row_deinit(&row);
	refused(w, TP_STORE_E_NOT_FOUND, "no kernel number 99",
		tp_store_kernel_get(w->store, 99, &row, &w->err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    world_test(target_is_kept_and_replaced),
	    world_test(unknown_target),
	    world_test(one_lease_at_a_time),
	    world_test(a_dead_jobs_lease_is_no_lease),
	    world_test(a_quarantined_target_stays_alone),
	    world_test(protocols_by_hash),
	    world_test(kernels_are_built_once),
	    world_test(kernels_that_do_not_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
