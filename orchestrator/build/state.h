/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: one build on its way, from the request to the facts that the manifest records. */
#pragma once

#include <stdbool.h>

#include "build/build.h"
#include "build/image.h"
#include "build/inputs.h"
#include "build/kconfig.h"
#include "build/scan.h"
#include "build/toolchain.h"

/* What became known; filled step by step. */
struct tp_build_facts {
	char config_before[TP_SHA256_HEX], config_after[TP_SHA256_HEX]; /* canonical */
	char
	    *not_taken_json; /* [{symbol, wanted, got}]: fragments that the source did not follow */
	bool has_modules;
	bool incremental;
	char release[TP_RELEASE_MAX];
	struct tp_image_hashes image;
	char signing_key_sha256[TP_SHA256_HEX]; /* "" without module signing */
	int compiled;
	int64_t build_ms;
};

struct tp_build {
	const struct tp_kernel_request *request;
	const struct tp_kernel_plan *plan;
	const struct tp_toolchain *toolchain;
	struct tp_build_paths paths;
	struct tp_deadline deadline;
	int lock_fd; /* on the work folder; make and its compilers inherit it */
	int log_fd;
	char *log_path;
	struct tp_build_scan scan;
	int expected; /* objects to compile; 0 unknown */
	tp_build_progress_fn progress;
	void *progress_data;
	int64_t progress_ms; /* when it was last called */
	struct tp_build_facts facts;
};

/* Tell the caller where the build stands; @now: even if it was told a moment ago. */
void tp_build_tell(struct tp_build *b, const char *what, bool now);
