/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All SQL that the program runs, but for schema/ and the BEGINs and PRAGMAs of db.c.
 *
 * Writers of a job's rows give their epoch and change nothing once it is not the job's; state
 * changes name the state they expect. How many rows changed tells whether it was so.
 */
#include "store/statements.h"

/* Enough to know that a lease's holder is over: its worker died between finish and release. */
#define HOLDER_IS_OVER                                                                             \
	"EXISTS (SELECT 1 FROM job AS holder WHERE holder.id = target.lease_job_id "               \
	"        AND holder.state IN ('done', 'failed', 'cancelled'))"

#define TARGET_COLUMNS "id, name, yaml, evidence, state, facts_json, added_ms"
#define BOOT_COLUMNS                                                                               \
	"boot.id, boot.point_id, point.kernel_id, point.job_id, boot.attempt, boot.state, "        \
	"boot.outcome, boot.token, boot.boot_id_before, boot.boot_id, boot.detail, "               \
	"boot.identity_json, boot.env_before_json, boot.env_after_json, boot.console_path, "       \
	"boot.created_ms, boot.finished_ms"

/* Every query takes the same three parameters; job 0 is the range of all. */
#define OF_JOB_AND_TARGET                                                                          \
	"WHERE job BETWEEN :low AND :high AND (:target IS NULL OR target = :target) "
#define OF_TARGET_OF_JOB                                                                           \
	"WHERE (:low = 0 OR target IN (SELECT target FROM jobs WHERE job BETWEEN :low AND "        \
	":high)) "                                                                                 \
	"AND (:target IS NULL OR target = :target) "

const char *const tp_statements[_TP_STATEMENT_MAX] = {
    [TP_STATEMENT_META_GET] = "SELECT value FROM meta WHERE name = :name",
    [TP_STATEMENT_META_PUT] = "INSERT INTO meta (name, value) VALUES (:name, :value) "
			      "ON CONFLICT (name) DO UPDATE SET value = excluded.value",

    [TP_STATEMENT_TARGET_PUT] =
	"INSERT INTO target (name, yaml, evidence, facts_json, added_ms) "
	"VALUES (:name, :yaml, :evidence, :facts, :now) "
	"ON CONFLICT (name) DO UPDATE SET yaml = excluded.yaml, "
	"    evidence = excluded.evidence, facts_json = excluded.facts_json, "
	"    added_ms = excluded.added_ms "
	"WHERE target.state <> 'leased' OR " HOLDER_IS_OVER,
    [TP_STATEMENT_TARGET_GET] = "SELECT " TARGET_COLUMNS " FROM target WHERE name = :name",
    [TP_STATEMENT_TARGET_GET_ID] = "SELECT " TARGET_COLUMNS " FROM target WHERE id = :id",
    [TP_STATEMENT_TARGET_LEASE] =
	"UPDATE target SET state = 'leased', lease_job_id = :job, lease_epoch = :epoch "
	"WHERE id = :target "
	"AND EXISTS (SELECT 1 FROM job WHERE job.id = :job AND job.epoch = :epoch) "
	"AND (state = 'ready' OR "
	"     (state = 'leased' AND (lease_job_id = :job OR " HOLDER_IS_OVER ")))",
    [TP_STATEMENT_TARGET_RELEASE] =
	"UPDATE target SET state = 'ready', lease_job_id = NULL, lease_epoch = NULL "
	"WHERE id = :target AND state = 'leased' AND lease_job_id = :job",
    [TP_STATEMENT_TARGET_HOLDER] =
	"SELECT target.name, target.state, ifnull(target.lease_job_id, 0), "
	"    (SELECT epoch FROM job WHERE id = :job) "
	"FROM target WHERE target.id = :target",

    [TP_STATEMENT_PROTOCOL_PUT] =
	"INSERT INTO protocol (name, sha256, text, added_ms) "
	"VALUES (:name, :sha256, :text, :now) ON CONFLICT (sha256) DO NOTHING",
    [TP_STATEMENT_PROTOCOL_FIND] = "SELECT id FROM protocol WHERE sha256 = :sha256",
    [TP_STATEMENT_PROTOCOL_GET] = "SELECT text, sha256 FROM protocol WHERE id = :id",

    [TP_STATEMENT_KERNEL_PUT] =
	"INSERT INTO kernel (key, spec, commit_id, tree_id, subject, added_ms) "
	"VALUES (:key, :spec, :commit_id, :tree_id, ifnull(:subject, ''), :now) "
	"ON CONFLICT (key) DO NOTHING",
    [TP_STATEMENT_KERNEL_FIND] = "SELECT id FROM kernel WHERE key = :key",
    [TP_STATEMENT_KERNEL_GET] =
	"SELECT id, state, key, spec, commit_id, tree_id, subject, release, build_id, "
	"    config_sha256, image_sha256, canonical_sha256, artifact_dir, manifest_json, "
	"    first_error, log_path, build_ms "
	"FROM kernel WHERE id = :id",
    [TP_STATEMENT_KERNEL_FINISH] =
	"UPDATE kernel SET state = :state, release = :release, build_id = :build_id, "
	"    config_sha256 = :config_sha256, image_sha256 = :image_sha256, "
	"    canonical_sha256 = :canonical_sha256, artifact_dir = :artifact_dir, "
	"    manifest_json = :manifest_json, first_error = :first_error, "
	"    log_path = :log_path, build_ms = :build_ms "
	"WHERE id = :id AND state = 'planned'",
    [TP_STATEMENT_KERNEL_RESET] =
	"UPDATE kernel SET state = 'planned', release = NULL, build_id = NULL, "
	"    config_sha256 = NULL, image_sha256 = NULL, canonical_sha256 = NULL, "
	"    artifact_dir = NULL, manifest_json = NULL, log_path = NULL, build_ms = 0 "
	"WHERE id = :id AND state = 'built'",

    [TP_STATEMENT_JOB_CREATE] =
	"INSERT INTO job (kind, request_json, request_key, asked_by, target_id, "
	"    protocol_id, evidence, created_ms, max_boot_attempts, max_infra_attempts) "
	"SELECT :kind, :request_json, :request_key, :asked_by, target.id, :protocol, "
	"    target.evidence, :now, :max_boot, :max_infra "
	"FROM target WHERE target.id = :target",
    [TP_STATEMENT_JOB_GET] =
	"SELECT id, kind, state, verdict, request_json, request_key, asked_by, reason, "
	"    target_id, protocol_id, epoch, created_ms, finished_ms, max_boot_attempts, "
	"    max_infra_attempts, cleaned "
	"FROM job WHERE id = :id",
    [TP_STATEMENT_JOB_FIND] =
	"SELECT id FROM job WHERE request_key = :request_key ORDER BY id DESC LIMIT 1",
    [TP_STATEMENT_JOB_CLAIM] =
	"UPDATE job SET epoch = epoch + 1, state = 'running', finished_ms = NULL, "
	"    reason = NULL, cleaned = CASE state WHEN 'failed' THEN 0 ELSE cleaned END "
	"WHERE id = :id AND state IN ('planned', 'running', 'failed')",
    [TP_STATEMENT_JOB_FINISH] =
	"UPDATE job SET state = :state, verdict = :verdict, reason = :reason, "
	"    finished_ms = :now "
	"WHERE id = :id AND epoch = :epoch AND state = 'running'",
    [TP_STATEMENT_JOB_SET_CLEANED] = "UPDATE job SET cleaned = 1 WHERE id = :id AND epoch = :epoch",

    [TP_STATEMENT_POINT_CREATE] = "INSERT INTO point (job_id, position, role, kernel_id, asked) "
				  "VALUES (:job, :position, :role, :kernel, :asked)",
    [TP_STATEMENT_SNAPSHOT_KERNELS] =
	"SELECT kernel.id, kernel.state, kernel.config_sha256, kernel.canonical_sha256 "
	"FROM point JOIN kernel ON kernel.id = point.kernel_id "
	"WHERE point.job_id = :job GROUP BY kernel.id ORDER BY min(point.position)",
    [TP_STATEMENT_SNAPSHOT_POINTS] =
	"SELECT id, role, kernel_id FROM point WHERE job_id = :job ORDER BY position",
    [TP_STATEMENT_SNAPSHOT_BOOTS] =
	"SELECT id, state, outcome FROM boot WHERE point_id = :point ORDER BY attempt",
    [TP_STATEMENT_SNAPSHOT_VERDICTS] = "SELECT EXISTS (SELECT 1 FROM verdict WHERE job_id = :job)",

    [TP_STATEMENT_BOOT_NEW] =
	"INSERT INTO boot (point_id, attempt, token, epoch, created_ms) "
	"SELECT point.id, "
	"    1 + (SELECT count(*) FROM boot AS old WHERE old.point_id = point.id), "
	"    :token, :epoch, :now "
	"FROM point JOIN job ON job.id = point.job_id "
	"WHERE point.id = :point AND job.id = :job AND job.epoch = :epoch "
	"AND job.state = 'running' "
	"AND NOT EXISTS (SELECT 1 FROM boot AS old WHERE old.point_id = point.id "
	"                AND old.state NOT IN ('failed', 'discarded'))",
    [TP_STATEMENT_BOOT_WHY_NOT_NEW] =
	"SELECT job.epoch, job.state, "
	"    ifnull((SELECT state FROM boot WHERE boot.point_id = point.id "
	"            AND state NOT IN ('failed', 'discarded') LIMIT 1), '') "
	"FROM point JOIN job ON job.id = point.job_id "
	"WHERE point.id = :point AND job.id = :job",
    [TP_STATEMENT_BOOT_GET] =
	"SELECT " BOOT_COLUMNS " FROM boot JOIN point ON point.id = boot.point_id "
	"WHERE boot.id = :id",
    [TP_STATEMENT_BOOT_MOVE] =
	"UPDATE boot SET state = :to, outcome = :outcome, "
	"    finished_ms = CASE WHEN :to IN ('complete', 'failed', 'discarded') "
	"                  THEN :now END, "
	"    boot_id_before = ifnull(:boot_id_before, boot_id_before), "
	"    boot_id = ifnull(:boot_id, boot_id), detail = ifnull(:detail, detail), "
	"    identity_json = ifnull(:identity_json, identity_json), "
	"    env_before_json = ifnull(:env_before_json, env_before_json), "
	"    env_after_json = ifnull(:env_after_json, env_after_json), "
	"    console_path = ifnull(:console_path, console_path) "
	"WHERE id = :id AND state = :from "
	"AND EXISTS (SELECT 1 FROM point JOIN job ON job.id = point.job_id "
	"            WHERE point.id = boot.point_id AND job.epoch = :epoch)",
    [TP_STATEMENT_BOOT_STATE] =
	"SELECT boot.state, job.epoch FROM boot JOIN point ON point.id = boot.point_id "
	"JOIN job ON job.id = point.job_id WHERE boot.id = :id",

    [TP_STATEMENT_ROUND_ADD] =
	"INSERT INTO round (boot_id, metric, phase, round, elapsed_ns, ops, position, "
	"    semantic_ok, affinity_ok, fields_json) "
	"SELECT boot.id, :metric, :phase, :round, :elapsed_ns, :ops, :position, "
	"    :semantic_ok, :affinity_ok, :fields_json "
	"FROM boot WHERE boot.id = :boot AND boot.state = 'measuring'",
    [TP_STATEMENT_ROUND_COUNT] = "SELECT count(DISTINCT round) FROM round "
				 "WHERE boot_id = :boot AND phase = 'measured'",
    [TP_STATEMENT_ROUND_VALUES] =
	"SELECT round, elapsed_ns, ops, semantic_ok, affinity_ok FROM round "
	"WHERE boot_id = :boot AND metric = :metric AND phase = :phase ORDER BY round",
    [TP_STATEMENT_LOCATION_PUT] =
	"INSERT INTO location (boot_id, metric, n, location, cv_pct, sd, ci_low, ci_high, "
	"    location_drop_first) "
	"VALUES (:boot, :metric, :n, :location, :cv_pct, :sd, :ci_low, :ci_high, "
	"    :drop_first) "
	"ON CONFLICT (boot_id, metric) DO UPDATE SET n = excluded.n, "
	"    location = excluded.location, cv_pct = excluded.cv_pct, sd = excluded.sd, "
	"    ci_low = excluded.ci_low, ci_high = excluded.ci_high, "
	"    location_drop_first = excluded.location_drop_first",
    [TP_STATEMENT_VERDICT_PUT] =
	"INSERT OR REPLACE INTO verdict (job_id, metric, metric_role, better, label, "
	"    reason, parent_a, child, parent_b, midpoint, child_vs_parent_a_pct, "
	"    child_vs_parent_b_pct, child_vs_midpoint_pct, parent_drift_pct, "
	"    parent_drift_signed_pct, parent_a_cv_pct, child_cv_pct, parent_b_cv_pct, "
	"    label_drop_first, sensitivity_conflict, control_failed, judged_ms) "
	"VALUES (:job, :metric, :metric_role, :better, :label, :reason, :parent_a, "
	"    :child, :parent_b, :midpoint, :vs_a, :vs_b, :vs_midpoint, :drift, "
	"    :drift_signed, :cv_a, :cv_child, :cv_b, :label_drop_first, "
	"    :sensitivity_conflict, :control_failed, :now)",

    [TP_STATEMENT_STEP_START] =
	"INSERT INTO step (job_id, epoch, kind, state, kernel_id, boot_id, attempt, "
	"    started_ms) "
	"SELECT job.id, job.epoch, :kind, 'started', nullif(:kernel, 0), "
	"    nullif(:boot, 0), "
	"    1 + (SELECT count(*) FROM step AS old WHERE old.job_id = job.id "
	"         AND old.kind = :kind AND ifnull(old.kernel_id, 0) = :kernel "
	"         AND ifnull(old.boot_id, 0) = :boot), :now "
	"FROM job WHERE job.id = :job AND job.epoch = :epoch "
	"AND NOT EXISTS (SELECT 1 FROM step AS old WHERE old.job_id = job.id "
	"                AND old.kind = :kind AND ifnull(old.kernel_id, 0) = :kernel "
	"                AND ifnull(old.boot_id, 0) = :boot AND old.state = 'started')",
    [TP_STATEMENT_STEP_FINISH] =
	"UPDATE step SET state = :state, detail = :detail, finished_ms = :now "
	"WHERE id = :id AND state = 'started' AND epoch = :epoch "
	"AND EXISTS (SELECT 1 FROM job WHERE job.id = step.job_id AND job.epoch = :epoch)",
    [TP_STATEMENT_STEP_STATE] =
	"SELECT step.state, job.epoch FROM step JOIN job ON job.id = step.job_id "
	"WHERE step.id = :id",
    [TP_STATEMENT_STEP_FORGET] =
	"UPDATE step SET state = 'unknown', finished_ms = :now "
	"WHERE job_id = :job AND state IN ('planned', 'started') AND epoch < :epoch",
    [TP_STATEMENT_STEP_RUNNING] =
	"SELECT job.epoch, EXISTS (SELECT 1 FROM step WHERE step.job_id = job.id "
	"    AND step.kind = :kind AND ifnull(step.kernel_id, 0) = :kernel "
	"    AND ifnull(step.boot_id, 0) = :boot AND step.state = 'started') "
	"FROM job WHERE job.id = :job",
    /* The latest ones: a machine's habits change. */
    [TP_STATEMENT_STEP_MEAN] =
	"SELECT CAST(round(ifnull(avg(ms), 0)) AS INTEGER) FROM "
	"(SELECT step.finished_ms - step.started_ms AS ms "
	" FROM step JOIN job ON job.id = step.job_id "
	" WHERE job.target_id = :target AND step.kind = :kind AND step.state = 'done' "
	" ORDER BY step.id DESC LIMIT 20)",

    [TP_STATEMENT_EVENT_ADD] =
	"INSERT INTO event (job_id, at_ms, text) VALUES (nullif(:job, 0), :now, :text)",

    [TP_STATEMENT_QUERY_VERDICTS] =
	"SELECT * FROM verdicts " OF_JOB_AND_TARGET "ORDER BY job, metric",
    [TP_STATEMENT_QUERY_POINTS] =
	"SELECT * FROM points " OF_JOB_AND_TARGET "ORDER BY job, position, metric",
    [TP_STATEMENT_QUERY_BOOTS] =
	"SELECT * FROM boots " OF_JOB_AND_TARGET "ORDER BY job, position, attempt",
    [TP_STATEMENT_QUERY_ROUNDS] = "SELECT * FROM rounds " OF_JOB_AND_TARGET
				  "ORDER BY job, position, attempt, metric, phase DESC, round",
    [TP_STATEMENT_QUERY_KERNELS] =
	"SELECT * FROM kernels WHERE (:low = 0 OR kernel IN "
	"    (SELECT kernel_id FROM point WHERE job_id BETWEEN :low AND :high)) "
	"AND (:target IS NULL OR kernel IN "
	"    (SELECT kernel_id FROM point JOIN jobs ON jobs.job = point.job_id "
	"     WHERE jobs.target = :target)) ORDER BY kernel",
    [TP_STATEMENT_QUERY_JOBS] = "SELECT * FROM jobs " OF_JOB_AND_TARGET "ORDER BY job",
    [TP_STATEMENT_QUERY_STEPS] = "SELECT * FROM steps " OF_JOB_AND_TARGET "ORDER BY job, step",
    [TP_STATEMENT_QUERY_TARGETS] = "SELECT * FROM targets " OF_TARGET_OF_JOB "ORDER BY target",
    [TP_STATEMENT_QUERY_PROTOCOLS] =
	"SELECT * FROM protocols WHERE (:low = 0 OR protocol IN "
	"    (SELECT protocol_id FROM job WHERE id BETWEEN :low AND :high)) "
	"AND (:target IS NULL OR protocol IN "
	"    (SELECT job.protocol_id FROM job JOIN jobs ON jobs.job = job.id "
	"     WHERE jobs.target = :target)) ORDER BY protocol",
    [TP_STATEMENT_QUERY_HISTORY] =
	"SELECT * FROM history WHERE (:low = 0 OR job BETWEEN :low AND :high) "
	"AND (:target IS NULL OR target = :target) ORDER BY event",
    [TP_STATEMENT_QUERY_NOISE] =
	"SELECT * FROM noise_ledger " OF_TARGET_OF_JOB "ORDER BY target, workload, metric",
};
