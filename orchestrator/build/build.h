/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From REV[+PATCH...] to a normalised, recorded, content-addressed kernel.
 *
 * What is pinned is listed in docs/kernels.md. Source and object folder have the same path for
 * every build, so a neighbouring commit is an incremental build; the cache is keyed by
 * everything that goes in. "Does not build" is an outcome.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "util/clock.h"
#include "util/err.h"
#include "util/hash.h"
#include "vcs/repo.h"

#define TP_RELEASE_MAX 65

/* What to build. Strings are borrowed. */
struct tp_kernel_request {
	const char *repo;	      /* path of the repository */
	const char *spec;	      /* REV[+PATCH...] */
	const char *seed;	      /* config seed file */
	const char *const *fragments; /* files, NULL-ended */
	const char *cache_dir;	      /* artefacts: CACHE/KEY/ */
	const char *work_dir;	      /* source and object trees */
	int jobs;		      /* make -j; 0: all CPUs */
	int64_t timeout_ms;
	int64_t min_free_bytes; /* refuse to start below this; 0: 2 GiB */
};

/* Parsed and resolved request with its content address; nothing is built yet. */
struct tp_kernel_plan {
	struct tp_commit commit;
	char **patches; /* absolute paths, NULL-ended */
	char (*patch_sha256)[TP_SHA256_HEX];
	int n_patches;
	char seed_sha256[TP_SHA256_HEX];
	char *fragments_json; /* [{name, sha256}] */
	char *toolchain_json; /* [{tool, path, version, sha256}] */
	char key[TP_SHA256_HEX];
	char local_version[20]; /* "-tp-" + first 12 hex digits of key */
};

enum tp_build_outcome {
	TP_BUILD_OK,
	TP_BUILD_FAIL, /* the source does not build */
};

struct tp_kernel_result {
	enum tp_build_outcome outcome;
	bool from_cache;
	char release[TP_RELEASE_MAX];
	char build_id[65];
	char config_sha256[TP_SHA256_HEX]; /* canonical: .config without CONFIG_LOCALVERSION */
	char image_sha256[TP_SHA256_HEX];  /* bzImage */
	char vmlinux_sha256[TP_SHA256_HEX];
	char system_map_sha256[TP_SHA256_HEX];
	char canonical_sha256[TP_SHA256_HEX]; /* vmlinux, release and build-id masked */
	char *artifact_dir; /* bzImage, System.map, config, manifest.json, build.log.zst,
			       vmlinux.zst */
	char *manifest_json;
	char *first_error; /* TP_BUILD_FAIL: file:line: sentence */
	char *log_path;	   /* compressed log */
	int files_compiled;
	int64_t build_ms;
};

/* @done of about @expected objects (0: not known yet); called a few times a second at most. */
typedef void (*tp_build_progress_fn)(int done, int expected, const char *what, void *data);

void tp_kernel_plan_deinit(struct tp_kernel_plan *plan);
void tp_kernel_result_deinit(struct tp_kernel_result *result);

/*
 * Resolve and hash. Bad revision, missing patch, missing tool: one sentence. The commit of a
 * spec "REV^" and so on is resolved by git's own rules.
 */
TP_MUST_CHECK int tp_kernel_plan_make(const struct tp_kernel_request *request,
				      struct tp_kernel_plan *ret, struct tp_err *reterr);

/*
 * Build, or take it from the cache (a damaged or half-written entry is rebuilt). Holds a lock on
 * @work_dir; another builder waits. Returns 0 with an outcome, or -errno when we failed
 * (disk full, killed, deadline). Blocks for minutes.
 */
TP_MUST_CHECK int tp_kernel_build(const struct tp_kernel_request *request,
				  const struct tp_kernel_plan *plan, tp_build_progress_fn progress,
				  void *data, struct tp_kernel_result *ret, struct tp_err *reterr);

/* Is the cache entry of @key complete and undamaged? */
bool tp_kernel_cached(const char *cache_dir, const char *key);

/*
 * Differences of two canonical configs (artifact_dir/config): one line per symbol,
 * "CONFIG_X: y -> not set". @ret is "" when they are equal; symbols on @allowed (NULL-ended)
 * are left out of @ret.
 */
TP_MUST_CHECK int tp_config_diff(const char *config_a, const char *config_b,
				 const char *const *allowed, char **ret, struct tp_err *reterr);

/* Split "REV+PATCH+PATCH"; a '+' inside an existing file's name is kept. Outputs are malloc()ed. */
TP_MUST_CHECK int tp_kernel_spec_parse(const char *spec, char **ret_rev, char ***ret_patches,
				       int *ret_n, struct tp_err *reterr);
