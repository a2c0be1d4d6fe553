-- SPDX-License-Identifier: GPL-2.0-or-later
-- The public query surface: what people, scripts and `triptych query` read. docs/schema.md
-- explains each. Made anew whenever this text changes; tables may change below them.
-- Times are ISO 8601 in UTC; every row that belongs to a job carries its number and its target.

DROP VIEW IF EXISTS verdicts;
CREATE VIEW verdicts AS
SELECT job.id AS job,
       target.name AS target,
       job.evidence AS evidence,
       protocol.name AS protocol,
       (SELECT ifnull(point.asked, kernel.spec)
        FROM point JOIN kernel ON kernel.id = point.kernel_id
        WHERE point.job_id = job.id AND point.role IN ('child', 'candidate')
        ORDER BY point.position LIMIT 1) AS kernel,
       verdict.metric AS metric,
       verdict.metric_role AS metric_role,
       verdict.better AS better,
       verdict.label AS label,
       verdict.parent_a AS parent_a,
       verdict.child AS child,
       verdict.parent_b AS parent_b,
       verdict.midpoint AS midpoint,
       verdict.child_vs_parent_a_pct AS child_vs_parent_a_pct,
       verdict.child_vs_parent_b_pct AS child_vs_parent_b_pct,
       verdict.child_vs_midpoint_pct AS child_vs_midpoint_pct,
       verdict.parent_drift_pct AS parent_drift_pct,
       verdict.parent_drift_signed_pct AS parent_drift_signed_pct,
       verdict.parent_a_cv_pct AS parent_a_cv_pct,
       verdict.child_cv_pct AS child_cv_pct,
       verdict.parent_b_cv_pct AS parent_b_cv_pct,
       verdict.label_drop_first AS label_drop_first,
       verdict.sensitivity_conflict AS sensitivity_conflict,
       verdict.control_failed AS control_failed,
       verdict.reason AS reason,
       strftime('%Y-%m-%dT%H:%M:%fZ', verdict.judged_ms / 1000.0, 'unixepoch') AS judged
FROM verdict
JOIN job ON job.id = verdict.job_id
JOIN target ON target.id = job.target_id
JOIN protocol ON protocol.id = job.protocol_id;

-- One row per point and metric: the complete boot's estimate. No metric: nothing measured yet.
DROP VIEW IF EXISTS points;
CREATE VIEW points AS
SELECT job.id AS job,
       target.name AS target,
       job.evidence AS evidence,
       point.position AS position,
       point.role AS role,
       ifnull(point.asked, kernel.spec) AS kernel,
       kernel.release AS release,
       (SELECT count(*) FROM boot AS tried WHERE tried.point_id = point.id) AS attempts,
       last.attempt AS attempt,
       last.state AS state,
       last.outcome AS outcome,
       last.id AS boot,
       location.metric AS metric,
       location.location AS location,
       location.n AS n,
       location.cv_pct AS cv_pct,
       location.sd AS sd,
       location.ci_low AS ci_low,
       location.ci_high AS ci_high,
       location.location_drop_first AS location_drop_first
FROM point
JOIN job ON job.id = point.job_id
JOIN target ON target.id = job.target_id
JOIN kernel ON kernel.id = point.kernel_id
LEFT JOIN boot AS last ON last.id = (SELECT newest.id FROM boot AS newest
                                     WHERE newest.point_id = point.id
                                     ORDER BY newest.attempt DESC LIMIT 1)
LEFT JOIN location ON location.boot_id = last.id AND last.state = 'complete';

DROP VIEW IF EXISTS boots;
CREATE VIEW boots AS
SELECT job.id AS job,
       target.name AS target,
       job.evidence AS evidence,
       boot.id AS boot,
       point.position AS position,
       point.role AS role,
       boot.attempt AS attempt,
       ifnull(point.asked, kernel.spec) AS kernel,
       kernel.release AS release,
       boot.state AS state,
       boot.outcome AS outcome,
       boot.detail AS detail,
       boot.token AS token,
       boot.boot_id_before AS boot_id_before,
       boot.boot_id AS boot_id,
       boot.identity_json AS identity,
       boot.env_before_json AS env_before,
       boot.env_after_json AS env_after,
       boot.console_path AS console,
       strftime('%Y-%m-%dT%H:%M:%fZ', boot.created_ms / 1000.0, 'unixepoch') AS created,
       strftime('%Y-%m-%dT%H:%M:%fZ', boot.finished_ms / 1000.0, 'unixepoch') AS finished
FROM boot
JOIN point ON point.id = boot.point_id
JOIN job ON job.id = point.job_id
JOIN target ON target.id = job.target_id
JOIN kernel ON kernel.id = point.kernel_id;

DROP VIEW IF EXISTS rounds;
CREATE VIEW rounds AS
SELECT job.id AS job,
       target.name AS target,
       job.evidence AS evidence,
       point.position AS position,
       point.role AS role,
       boot.id AS boot,
       boot.attempt AS attempt,
       round.metric AS metric,
       round.phase AS phase,
       round.round AS round,
       round.elapsed_ns AS elapsed_ns,
       round.ops AS ops,
       CAST(round.elapsed_ns AS REAL) / round.ops AS ns_per_op,
       round.position AS arm,
       round.semantic_ok AS semantic_ok,
       round.affinity_ok AS affinity_ok,
       round.fields_json AS fields
FROM job
JOIN target ON target.id = job.target_id
JOIN point ON point.job_id = job.id
JOIN boot ON boot.point_id = point.id
JOIN round ON round.boot_id = boot.id;

DROP VIEW IF EXISTS kernels;
CREATE VIEW kernels AS
SELECT kernel.id AS kernel,
       kernel.state AS state,
       kernel.spec AS spec,
       kernel.commit_id AS commit_id,
       kernel.subject AS subject,
       kernel.release AS release,
       kernel.build_id AS build_id,
       kernel.config_sha256 AS config_sha256,
       kernel.image_sha256 AS image_sha256,
       kernel.canonical_sha256 AS canonical_sha256,
       kernel.first_error AS first_error,
       kernel.artifact_dir AS artifacts,
       kernel.log_path AS log,
       kernel.build_ms / 1000.0 AS build_s,
       kernel.tree_id AS tree_id,
       kernel.key AS key,
       strftime('%Y-%m-%dT%H:%M:%fZ', kernel.added_ms / 1000.0, 'unixepoch') AS added
FROM kernel;

DROP VIEW IF EXISTS jobs;
CREATE VIEW jobs AS
SELECT job.id AS job,
       target.name AS target,
       job.evidence AS evidence,
       job.kind AS kind,
       job.state AS state,
       job.verdict AS verdict,
       (SELECT ifnull(point.asked, kernel.spec)
        FROM point JOIN kernel ON kernel.id = point.kernel_id
        WHERE point.job_id = job.id AND point.role IN ('child', 'candidate')
        ORDER BY point.position LIMIT 1) AS kernel,
       protocol.name AS protocol,
       (SELECT count(*) FROM point WHERE point.job_id = job.id) AS points,
       (SELECT count(*) FROM point JOIN boot ON boot.point_id = point.id
        WHERE point.job_id = job.id AND boot.state = 'complete') AS points_complete,
       (SELECT count(*) FROM point JOIN boot ON boot.point_id = point.id
        WHERE point.job_id = job.id) AS boots,
       job.epoch AS epoch,
       job.reason AS reason,
       job.asked_by AS asked_by,
       strftime('%Y-%m-%dT%H:%M:%fZ', job.created_ms / 1000.0, 'unixepoch') AS created,
       strftime('%Y-%m-%dT%H:%M:%fZ', job.finished_ms / 1000.0, 'unixepoch') AS finished
FROM job
JOIN target ON target.id = job.target_id
JOIN protocol ON protocol.id = job.protocol_id;

DROP VIEW IF EXISTS steps;
CREATE VIEW steps AS
SELECT job.id AS job,
       target.name AS target,
       step.id AS step,
       step.kind AS kind,
       step.state AS state,
       step.attempt AS attempt,
       step.epoch AS epoch,
       point.position AS position,
       point.role AS role,
       step.boot_id AS boot,
       kernel.spec AS kernel,
       (step.finished_ms - step.started_ms) / 1000.0 AS seconds,
       step.detail AS detail,
       strftime('%Y-%m-%dT%H:%M:%fZ', step.started_ms / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', step.finished_ms / 1000.0, 'unixepoch') AS finished
FROM step
JOIN job ON job.id = step.job_id
JOIN target ON target.id = job.target_id
LEFT JOIN boot ON boot.id = step.boot_id
LEFT JOIN point ON point.id = boot.point_id
LEFT JOIN kernel ON kernel.id = ifnull(step.kernel_id, point.kernel_id);

DROP VIEW IF EXISTS targets;
CREATE VIEW targets AS
SELECT target.name AS target,
       target.evidence AS evidence,
       target.state AS state,
       target.lease_job_id AS job,
       (SELECT count(*) FROM job WHERE job.target_id = target.id) AS jobs,
       target.facts_json AS facts,
       strftime('%Y-%m-%dT%H:%M:%fZ', target.added_ms / 1000.0, 'unixepoch') AS added
FROM target;

DROP VIEW IF EXISTS protocols;
CREATE VIEW protocols AS
SELECT protocol.id AS protocol,
       protocol.name AS name,
       protocol.sha256 AS sha256,
       (SELECT count(*) FROM job WHERE job.protocol_id = protocol.id) AS jobs,
       protocol.text AS text,
       strftime('%Y-%m-%dT%H:%M:%fZ', protocol.added_ms / 1000.0, 'unixepoch') AS added
FROM protocol;

DROP VIEW IF EXISTS history;
CREATE VIEW history AS
SELECT event.id AS event,
       event.job_id AS job,
       target.name AS target,
       strftime('%Y-%m-%dT%H:%M:%fZ', event.at_ms / 1000.0, 'unixepoch') AS at,
       event.text AS text
FROM event
LEFT JOIN job ON job.id = event.job_id
LEFT JOIN target ON target.id = job.target_id;

DROP VIEW IF EXISTS noise_ledger;
CREATE VIEW noise_ledger AS
SELECT target.name AS target,
       noise.workload AS workload,
       noise.metric AS metric,
       noise.sigma_within_pct AS sigma_within_pct,
       noise.df_within AS df_within,
       noise.sigma_between_pct AS sigma_between_pct,
       noise.df_between AS df_between,
       strftime('%Y-%m-%dT%H:%M:%fZ', noise.updated_ms / 1000.0, 'unixepoch') AS updated
FROM noise
JOIN target ON target.id = noise.target_id;
