-- SPDX-License-Identifier: GPL-2.0-or-later
-- Targets, kernels, protocols, jobs and everything measured. Immutable once released: a change is
-- a new file with the next number. Times are integer milliseconds since 1970; the words of every
-- CHECK are those of orchestrator/core/model.c, which a test compares. Read through views.sql.

-- "TRPT": how a reader knows whose file this is.
PRAGMA application_id = 0x54525054;

-- Small facts about this file itself, such as the hash of its views.
CREATE TABLE meta (
	name  TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT;

-- A machine and its description.
CREATE TABLE target (
	id           INTEGER PRIMARY KEY,
	name         TEXT NOT NULL UNIQUE,
	yaml         TEXT NOT NULL,
	evidence     TEXT NOT NULL CHECK (evidence IN ('bare_metal', 'virtual', 'fake')),
	state        TEXT NOT NULL DEFAULT 'ready'
	             CHECK (state IN ('ready', 'leased', 'quarantined')),
	facts_json   TEXT,
	added_ms     INTEGER NOT NULL,
	-- Who holds it: a lease of a job that a newer worker took is taken over by that worker.
	lease_job_id INTEGER REFERENCES job (id),
	lease_epoch  INTEGER,
	CHECK ((state = 'leased') = (lease_job_id IS NOT NULL)),
	CHECK ((lease_job_id IS NULL) = (lease_epoch IS NULL))
) STRICT;

-- A frozen measurement plan, whole; its hash is its identity.
CREATE TABLE protocol (
	id       INTEGER PRIMARY KEY,
	name     TEXT NOT NULL,
	sha256   TEXT NOT NULL UNIQUE CHECK (length(sha256) = 64),
	text     TEXT NOT NULL,
	added_ms INTEGER NOT NULL
) STRICT;

-- One build, found by the hash of its recipe.
CREATE TABLE kernel (
	id               INTEGER PRIMARY KEY,
	state            TEXT NOT NULL DEFAULT 'planned'
	                 CHECK (state IN ('planned', 'built', 'build_fail')),
	key              TEXT NOT NULL UNIQUE,
	spec             TEXT NOT NULL,
	commit_id        TEXT NOT NULL,
	tree_id          TEXT NOT NULL,
	subject          TEXT NOT NULL,
	release          TEXT,
	build_id         TEXT,
	config_sha256    TEXT,
	image_sha256     TEXT,
	canonical_sha256 TEXT,
	artifact_dir     TEXT,
	manifest_json    TEXT,
	first_error      TEXT,
	log_path         TEXT,
	build_ms         INTEGER NOT NULL DEFAULT 0 CHECK (build_ms >= 0),
	added_ms         INTEGER NOT NULL,
	CHECK (state <> 'built' OR (release IS NOT NULL AND config_sha256 IS NOT NULL
	                            AND image_sha256 IS NOT NULL))
) STRICT;

-- What was asked, by whom, where it stands, what came out.
CREATE TABLE job (
	id                 INTEGER PRIMARY KEY,
	kind               TEXT NOT NULL
	                   CHECK (kind IN ('exact', 'compare', 'probe', 'series', 'bisect',
	                                   'hunt-step')),
	state              TEXT NOT NULL DEFAULT 'planned'
	                   CHECK (state IN ('planned', 'running', 'done', 'failed', 'cancelled')),
	verdict            TEXT NOT NULL DEFAULT 'NONE'
	                   CHECK (verdict IN ('NONE', 'MEASURED', 'NO_OP', 'BUILD_FAIL',
	                                      'BOOT_FAIL', 'CONFIG_DIFFERS', 'RUN_FAIL')),
	request_json       TEXT NOT NULL,
	request_key        TEXT NOT NULL,
	asked_by           TEXT NOT NULL,
	reason             TEXT,
	target_id          INTEGER NOT NULL REFERENCES target (id),
	protocol_id        INTEGER NOT NULL REFERENCES protocol (id),
	-- The target's class when the job was made: a later description does not change it.
	evidence           TEXT NOT NULL CHECK (evidence IN ('bare_metal', 'virtual', 'fake')),
	epoch              INTEGER NOT NULL DEFAULT 0 CHECK (epoch >= 0),
	created_ms         INTEGER NOT NULL,
	finished_ms        INTEGER,
	max_boot_attempts  INTEGER NOT NULL CHECK (max_boot_attempts >= 1),
	max_infra_attempts INTEGER NOT NULL CHECK (max_infra_attempts >= 1),
	cleaned            INTEGER NOT NULL DEFAULT 0 CHECK (cleaned IN (0, 1)),
	CHECK ((state IN ('done', 'failed', 'cancelled')) = (finished_ms IS NOT NULL)),
	CHECK ((state = 'done') = (verdict <> 'NONE'))
) STRICT;
CREATE INDEX job_by_request ON job (request_key);
CREATE INDEX job_by_target ON job (target_id);

-- A place in a job's order.
CREATE TABLE point (
	id        INTEGER PRIMARY KEY,
	job_id    INTEGER NOT NULL REFERENCES job (id),
	position  INTEGER NOT NULL CHECK (position >= 0),
	role      TEXT NOT NULL
	          CHECK (role IN ('parent_a', 'child', 'parent_b', 'control_a', 'candidate',
	                          'control_b', 'variant', 'anchor')),
	kernel_id INTEGER NOT NULL REFERENCES kernel (id),
	asked     TEXT, -- the kernel as the person named it: one kernel can have several names
	UNIQUE (job_id, position)
) STRICT;
CREATE INDEX point_by_kernel ON point (kernel_id);

-- One attempt at a fresh boot for a point. A retry is a new row.
CREATE TABLE boot (
	id              INTEGER PRIMARY KEY,
	point_id        INTEGER NOT NULL REFERENCES point (id),
	attempt         INTEGER NOT NULL CHECK (attempt >= 1),
	state           TEXT NOT NULL DEFAULT 'planned'
	                CHECK (state IN ('planned', 'installed', 'armed', 'rebooting',
	                                 'identified', 'measuring', 'complete', 'failed',
	                                 'discarded')),
	outcome         TEXT NOT NULL DEFAULT 'NONE'
	                CHECK (outcome IN ('NONE', 'OK', 'FELL_BACK', 'WRONG_KERNEL',
	                                   'NEVER_WENT_DOWN', 'NEVER_CAME_UP', 'RUN_FAILED',
	                                   'AGENT_DIED', 'INFRA')),
	token           TEXT NOT NULL UNIQUE,
	boot_id_before  TEXT,
	boot_id         TEXT,
	detail          TEXT,
	identity_json   TEXT,
	env_before_json TEXT,
	env_after_json  TEXT,
	console_path    TEXT,
	epoch           INTEGER NOT NULL,
	created_ms      INTEGER NOT NULL,
	finished_ms     INTEGER,
	UNIQUE (point_id, attempt),
	CHECK ((state IN ('complete', 'failed', 'discarded')) = (finished_ms IS NOT NULL)),
	CHECK ((state = 'complete') = (outcome = 'OK')),
	CHECK (state <> 'failed' OR outcome <> 'NONE')
) STRICT;
-- A point is measured once.
CREATE UNIQUE INDEX boot_complete_once ON boot (point_id) WHERE state = 'complete';
-- One attempt at a time.
CREATE UNIQUE INDEX boot_open_once ON boot (point_id)
	WHERE state NOT IN ('complete', 'failed', 'discarded');

-- Raw integers of one metric in one round; nothing is divided before it is stored.
CREATE TABLE round (
	boot_id     INTEGER NOT NULL REFERENCES boot (id),
	metric      TEXT NOT NULL,
	phase       TEXT NOT NULL CHECK (phase IN ('warmup', 'measured')),
	round       INTEGER NOT NULL CHECK (round >= 1),
	elapsed_ns  INTEGER NOT NULL CHECK (elapsed_ns > 0),
	ops         INTEGER NOT NULL CHECK (ops > 0),
	position    INTEGER NOT NULL,
	semantic_ok INTEGER NOT NULL CHECK (semantic_ok IN (0, 1)),
	affinity_ok INTEGER NOT NULL CHECK (affinity_ok IN (0, 1)),
	fields_json TEXT,
	PRIMARY KEY (boot_id, metric, phase, round)
) STRICT, WITHOUT ROWID;

-- The estimate of one metric in one boot, so that plain SQL needs no median().
CREATE TABLE location (
	boot_id             INTEGER NOT NULL REFERENCES boot (id),
	metric              TEXT NOT NULL,
	n                   INTEGER NOT NULL CHECK (n >= 1),
	location            REAL NOT NULL,
	cv_pct              REAL,
	sd                  REAL,
	ci_low              REAL,
	ci_high             REAL,
	location_drop_first REAL,
	PRIMARY KEY (boot_id, metric)
) STRICT, WITHOUT ROWID;

-- The label of one metric of a job, with the numbers that it rests on.
CREATE TABLE verdict (
	job_id                  INTEGER NOT NULL REFERENCES job (id),
	metric                  TEXT NOT NULL,
	metric_role             TEXT NOT NULL
	                        CHECK (metric_role IN ('primary', 'auxiliary', 'control')),
	better                  TEXT NOT NULL CHECK (better IN ('lower', 'higher')),
	label                   TEXT NOT NULL,
	reason                  TEXT NOT NULL,
	parent_a                REAL,
	child                   REAL,
	parent_b                REAL,
	midpoint                REAL,
	child_vs_parent_a_pct   REAL,
	child_vs_parent_b_pct   REAL,
	child_vs_midpoint_pct   REAL,
	parent_drift_pct        REAL,
	parent_drift_signed_pct REAL,
	parent_a_cv_pct         REAL,
	child_cv_pct            REAL,
	parent_b_cv_pct         REAL,
	label_drop_first        TEXT,
	sensitivity_conflict    INTEGER NOT NULL CHECK (sensitivity_conflict IN (0, 1)),
	control_failed          INTEGER NOT NULL CHECK (control_failed IN (0, 1)),
	judged_ms               INTEGER NOT NULL,
	PRIMARY KEY (job_id, metric)
) STRICT, WITHOUT ROWID;

-- Reserved: what repeated boots of one kernel have shown about a metric's noise on a target.
CREATE TABLE noise (
	target_id         INTEGER NOT NULL REFERENCES target (id),
	workload          TEXT NOT NULL,
	metric            TEXT NOT NULL,
	sigma_within_pct  REAL NOT NULL CHECK (sigma_within_pct >= 0),
	df_within         INTEGER NOT NULL CHECK (df_within >= 0),
	sigma_between_pct REAL NOT NULL CHECK (sigma_between_pct >= 0),
	df_between        INTEGER NOT NULL CHECK (df_between >= 0),
	updated_ms        INTEGER NOT NULL,
	PRIMARY KEY (target_id, workload, metric)
) STRICT, WITHOUT ROWID;

-- Intent log: written before the world is touched, closed with what became of it.
CREATE TABLE step (
	id          INTEGER PRIMARY KEY,
	job_id      INTEGER NOT NULL REFERENCES job (id),
	epoch       INTEGER NOT NULL,
	kind        TEXT NOT NULL
	            CHECK (kind IN ('build', 'deploy', 'arm', 'boot', 'measure', 'judge', 'clean')),
	state       TEXT NOT NULL
	            CHECK (state IN ('planned', 'started', 'done', 'failed', 'unknown')),
	kernel_id   INTEGER REFERENCES kernel (id),
	boot_id     INTEGER REFERENCES boot (id),
	attempt     INTEGER NOT NULL CHECK (attempt >= 1),
	detail      TEXT,
	started_ms  INTEGER NOT NULL,
	finished_ms INTEGER,
	-- The same step of the same thing has the same key.
	step_key    TEXT NOT NULL GENERATED ALWAYS AS
	            (kind || ':' || ifnull(kernel_id, 0) || ':' || ifnull(boot_id, 0)) STORED,
	UNIQUE (job_id, step_key, attempt),
	CHECK ((state IN ('planned', 'started')) = (finished_ms IS NULL))
) STRICT;
-- A second start of a step that runs is refused.
CREATE UNIQUE INDEX step_started_once ON step (job_id, step_key) WHERE state = 'started';

-- History for people; never read by the program to decide anything.
CREATE TABLE event (
	id     INTEGER PRIMARY KEY,
	job_id INTEGER REFERENCES job (id),
	at_ms  INTEGER NOT NULL,
	text   TEXT NOT NULL
) STRICT;
CREATE INDEX event_by_job ON event (job_id);
