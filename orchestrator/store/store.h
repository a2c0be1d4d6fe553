/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The database: the bus between processes and the memory of everything measured.
 *
 * sqlite3 is known here alone. One file per entity. A writer gives its job's epoch; rows of a
 * job that a newer epoch has taken refuse the write (TP_STORE_E_FENCED). State changes are
 * compare-and-set in SQL. Texts in returned rows are owned by the row (…_deinit).
 *
 * Every function works alone, in a transaction of its own, and between tp_store_begin() and
 * tp_store_commit(), where a failure undoes what it did and nothing else. All return 0, a
 * negative errno, or a TP_STORE_E_*; @reterr has a sentence in either case, returned values are
 * untouched. A full disk is -ENOSPC, a lock that outlasts @busy_ms -EBUSY, a damaged or foreign
 * file -EBADMSG or -EINVAL, a file that may not be written -EACCES.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "core/classify.h"
#include "core/model.h"
#include "core/plan.h"
#include "util/err.h"
#include "util/hash.h"

struct tp_store;

enum {
	TP_STORE_E_NOT_FOUND = 1,
	TP_STORE_E_CONFLICT, /* the row was not in the expected state */
	TP_STORE_E_FENCED,   /* a newer epoch owns the job */
};

/*
 * Open or create @path (0640; WAL, synchronous=FULL, foreign_keys, busy timeout @busy_ms) and
 * migrate it. A database from a newer triptych is refused in one sentence. @read_only opens
 * for queries without migrating.
 */
TP_MUST_CHECK int tp_store_open(const char *path, bool read_only, int busy_ms,
				struct tp_store **ret, struct tp_err *reterr);
struct tp_store *tp_store_close(struct tp_store *store);
TP_DEFINE_CLEANUP(struct tp_store, tp_store_close)

/*
 * BEGIN IMMEDIATE ... COMMIT; they do not nest. Rollback is silent, and harmless when nothing is
 * open. A commit that fails has rolled back.
 */
TP_MUST_CHECK int tp_store_begin(struct tp_store *store, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_commit(struct tp_store *store, struct tp_err *reterr);
void tp_store_rollback(struct tp_store *store);

/* ---- target */
struct tp_target_row {
	int64_t id;
	char *name;
	char *yaml; /* the description as given, host key included once pinned */
	char *evidence;
	char *state;
	char *facts_json; /* the last facts read, or NULL */
	int64_t added_ms;
};
void tp_target_row_deinit(struct tp_target_row *row);
/*
 * Insert or replace the description and the facts of @name (refused with CONFLICT while leased
 * by a job that is not over).
 */
TP_MUST_CHECK int tp_store_target_put(struct tp_store *store, const char *name, const char *yaml,
				      enum tp_evidence evidence, const char *facts_json,
				      int64_t now_ms, int64_t *ret_id, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_target_get(struct tp_store *store, const char *name,
				      struct tp_target_row *ret, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_target_get_id(struct tp_store *store, int64_t id,
					 struct tp_target_row *ret, struct tp_err *reterr);
/*
 * Compare-and-set ready -> leased for (job, epoch). A lease of the same job is taken over, and so
 * is one of a job that is over: its worker died before it could release.
 */
TP_MUST_CHECK int tp_store_target_lease(struct tp_store *store, int64_t target, int64_t job,
					int64_t epoch, struct tp_err *reterr);
/* Back to ready; nothing happens when @job does not hold it. */
TP_MUST_CHECK int tp_store_target_release(struct tp_store *store, int64_t target, int64_t job,
					  struct tp_err *reterr);

/* ---- protocol: stored whole, found by its hash */
TP_MUST_CHECK int tp_store_protocol_put(struct tp_store *store, const char *name,
					const char *sha256, const char *text, int64_t now_ms,
					int64_t *ret_id, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_protocol_get(struct tp_store *store, int64_t id, char **ret_text,
					char ret_sha256[static TP_SHA256_HEX],
					struct tp_err *reterr);

/* ---- kernel */
struct tp_kernel_row {
	int64_t id;
	enum tp_kernel_state state;
	char *key;	 /* content address: SHA-256 of the recipe */
	char *spec;	 /* REV[+PATCH...] as given */
	char *commit_id; /* full */
	char *tree_id;
	char *subject;
	char *release;
	char *build_id;
	char *config_sha256;	/* canonical, after the build */
	char *image_sha256;	/* bzImage */
	char *canonical_sha256; /* vmlinux with release and build-id masked */
	char *artifact_dir;
	char *manifest_json; /* everything that was pinned; see docs/kernels.md */
	char *first_error;   /* BUILD_FAIL: the compiler's first error */
	char *log_path;
	int64_t build_ms;
};
void tp_kernel_row_deinit(struct tp_kernel_row *row);
/* Find by @key or insert planned. */
TP_MUST_CHECK int tp_store_kernel_put(struct tp_store *store, const char *key, const char *spec,
				      const char *commit_id, const char *tree_id,
				      const char *subject, int64_t now_ms, int64_t *ret_id,
				      struct tp_err *reterr);
/*
 * planned -> built | build_fail, from the other fields of @row (id, state and results). Built
 * needs release, config_sha256 and image_sha256. CONFLICT when another job was faster.
 */
TP_MUST_CHECK int tp_store_kernel_finish(struct tp_store *store, const struct tp_kernel_row *row,
					 struct tp_err *reterr);
/* built -> planned again, when artefacts were lost. */
TP_MUST_CHECK int tp_store_kernel_reset(struct tp_store *store, int64_t id, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_kernel_get(struct tp_store *store, int64_t id, struct tp_kernel_row *ret,
				      struct tp_err *reterr);

/* ---- job */
struct tp_job_row {
	int64_t id;
	enum tp_job_kind kind;
	enum tp_job_state state;
	enum tp_job_verdict verdict;
	char *request_json; /* everything needed to run it again */
	char *request_key;  /* SHA-256: the same command finds the same job */
	char *asked_by;
	char *reason; /* why it failed or what the verdict rests on; NULL */
	int64_t target_id;
	int64_t protocol_id;
	int64_t epoch;
	int64_t created_ms, finished_ms;
	int max_boot_attempts, max_infra_attempts;
	bool cleaned;
};
void tp_job_row_deinit(struct tp_job_row *row);
struct tp_job_new {
	enum tp_job_kind kind;
	const char *request_json, *request_key, *asked_by;
	int64_t target_id, protocol_id;
	int max_boot_attempts, max_infra_attempts;
	int n_points;
	struct {
		enum tp_role role;
		int64_t kernel_id;
		const char *asked; /* the kernel as the person named it; NULL: its spec */
	} points[TP_PLAN_MAX_POINTS];
};
/* One transaction: the job and its points. */
TP_MUST_CHECK int tp_store_job_create(struct tp_store *store, const struct tp_job_new *job,
				      int64_t now_ms, int64_t *ret_id, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_job_get(struct tp_store *store, int64_t id, struct tp_job_row *ret,
				   struct tp_err *reterr);
/* The newest job with this key; TP_STORE_E_NOT_FOUND. */
TP_MUST_CHECK int tp_store_job_find(struct tp_store *store, const char *request_key,
				    int64_t *ret_id, struct tp_err *reterr);
/*
 * Take the job for a new worker: epoch + 1, state running (from planned, running or failed),
 * every `started` step of an older epoch becomes `unknown`. A failed job must be cleaned again.
 */
TP_MUST_CHECK int tp_store_job_claim(struct tp_store *store, int64_t id, int64_t now_ms,
				     int64_t *ret_epoch, struct tp_err *reterr);
/* running -> done with a verdict, or failed or cancelled with TP_VERDICT_NONE. */
TP_MUST_CHECK int tp_store_job_finish(struct tp_store *store, int64_t id, int64_t epoch,
				      enum tp_job_state state, enum tp_job_verdict verdict,
				      const char *reason, int64_t now_ms, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_job_set_cleaned(struct tp_store *store, int64_t id, int64_t epoch,
					   struct tp_err *reterr);
/*
 * What core/plan judges, in one consistent picture: kernels once each in order of first use,
 * image_sha256 being the canonical one; config_differs_allowed is left false.
 */
TP_MUST_CHECK int tp_store_snapshot(struct tp_store *store, int64_t job, struct tp_snapshot *ret,
				    struct tp_err *reterr);

/* ---- boot */
struct tp_boot_row {
	int64_t id, point_id, kernel_id, job_id;
	int attempt;
	enum tp_boot_state state;
	enum tp_boot_outcome outcome;
	char *token;	      /* 16 hex digits on this boot's command line */
	char *boot_id_before; /* the target's boot id before the reboot */
	char *boot_id;	      /* of this boot */
	char *detail;	      /* one sentence about the outcome */
	char *identity_json;  /* the four marks as read */
	char *env_before_json, *env_after_json;
	char *console_path; /* log of this boot, or NULL */
	int64_t created_ms, finished_ms;
	bool n_rounds_known; /* once complete */
	int n_rounds;	     /* measured ones, however many metrics each has */
};
void tp_boot_row_deinit(struct tp_boot_row *row);
/* New attempt (planned) at @point; CONFLICT while another is open or one is complete. */
TP_MUST_CHECK int tp_store_boot_new(struct tp_store *store, int64_t job, int64_t epoch,
				    int64_t point, const char *token, int64_t now_ms,
				    int64_t *ret_id, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_boot_get(struct tp_store *store, int64_t id, struct tp_boot_row *ret,
				    struct tp_err *reterr);
/*
 * Move @from -> @to (compare-and-set, fenced). Non-NULL texts of @fill are written with it
 * (boot_id_before, boot_id, detail, identity_json, env_*, console_path) and its outcome: failed
 * needs one, discarded may have one, complete has OK by itself. @fill may be NULL.
 */
TP_MUST_CHECK int tp_store_boot_move(struct tp_store *store, int64_t epoch, int64_t id,
				     enum tp_boot_state from, enum tp_boot_state to,
				     const struct tp_boot_row *fill, int64_t now_ms,
				     struct tp_err *reterr);

/* ---- round */
struct tp_round_row {
	enum tp_phase phase;
	int round; /* 1-based inside its phase */
	const char *metric;
	int64_t elapsed_ns, ops;
	int order; /* position of this arm inside the round */
	bool semantic_ok, affinity_ok;
	const char *fields_json; /* raw integers of the workload, or NULL */
};
/*
 * Call inside the transaction that moves the boot to complete, before that move: rounds of a
 * boot that is not measuring are refused (CONFLICT), a round that is there already or has
 * impossible values is -EBADMSG.
 */
TP_MUST_CHECK int tp_store_round_add(struct tp_store *store, int64_t boot,
				     const struct tp_round_row *round, struct tp_err *reterr);
/*
 * Raw values of one metric's rounds of a boot, by round; arrays are malloc()ed and parallel.
 * TP_STORE_E_NOT_FOUND when there are none.
 */
struct tp_round_values {
	int64_t *elapsed_ns, *ops;
	int *round;
	size_t n;
	size_t n_bad_semantic, n_bad_affinity;
};
void tp_round_values_deinit(struct tp_round_values *values);
TP_MUST_CHECK int tp_store_round_values(struct tp_store *store, int64_t boot, const char *metric,
					enum tp_phase phase, struct tp_round_values *ret,
					struct tp_err *reterr);

/* ---- verdict and the materialised location of each boot; put again, they replace. NAN: unknown */
TP_MUST_CHECK int tp_store_location_put(struct tp_store *store, int64_t boot, const char *metric,
					size_t n, double location, double cv_pct, double sd,
					double ci_low, double ci_high, double location_drop_first,
					struct tp_err *reterr);
struct tp_verdict_extra {
	const char *better, *metric_role;
	const char *label_drop_first; /* NULL when off */
	bool sensitivity_conflict;
	bool control_failed; /* a negative control outside rule 7 */
};
TP_MUST_CHECK int tp_store_verdict_put(struct tp_store *store, int64_t job, const char *metric,
				       const struct tp_verdict *verdict,
				       const struct tp_verdict_extra *extra, int64_t now_ms,
				       struct tp_err *reterr);

/* ---- step: intent log; @kernel and @boot are 0 for none. CONFLICT for a second start */
TP_MUST_CHECK int tp_store_step_start(struct tp_store *store, int64_t job, int64_t epoch,
				      enum tp_step_kind kind, int64_t kernel, int64_t boot,
				      int64_t now_ms, int64_t *ret_id, struct tp_err *reterr);
TP_MUST_CHECK int tp_store_step_finish(struct tp_store *store, int64_t epoch, int64_t step,
				       enum tp_step_state state, const char *detail, int64_t now_ms,
				       struct tp_err *reterr);
/* Mean duration of the latest 20 done steps of @kind on @target, ms; 0 when there are none. */
TP_MUST_CHECK int tp_store_step_mean_ms(struct tp_store *store, int64_t target,
					enum tp_step_kind kind, int64_t *ret_ms,
					struct tp_err *reterr);

/* ---- event: history for people; job 0 for none */
TP_MUST_CHECK int tp_store_event_add(struct tp_store *store, int64_t job, const char *text,
				     int64_t now_ms, struct tp_err *reterr);

/*
 * A read-only query for the command line: one of the public views by name, filtered by job
 * (0: all) and by target name (NULL: all). Rows arrive as text cells with the value's SQLite
 * type ('i', 'f', 's', 'n' for NULL), valid during the call; a double has as many digits as it
 * needs. A non-zero return of @fn ends the query with it. Names: verdicts, points, boots, rounds,
 * kernels, jobs, steps, targets, protocols, history, noise.
 */
struct tp_query_cell {
	char type;
	const char *text; /* NULL for NULL */
};
typedef int (*tp_query_row_fn)(const char *const *columns, const struct tp_query_cell *cells, int n,
			       void *data);
TP_MUST_CHECK int tp_store_query(struct tp_store *store, const char *view, int64_t job,
				 const char *target, tp_query_row_fn fn, void *data,
				 struct tp_err *reterr);
