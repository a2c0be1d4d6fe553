/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that can be booted into a chosen kernel, once, and asked what it is.
 *
 * Two implementations pass one conformance test: `real` (transport + boot, power and console
 * drivers; the virtual machine is driven by it too) and `fake` (a simulated machine in a folder,
 * whose state outlives this process, for faults that no real machine shows on demand).
 *
 * Every call blocks up to its own deadline from the target's configuration.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "config/target.h"
#include "core/model.h"
#include "util/err.h"

enum {
	TP_MACHINE_E_UNREACHABLE = 1, /* nobody answers */
	TP_MACHINE_E_NO_SPACE,	      /* the target's boot or work file system is full */
	TP_MACHINE_E_STICKY,	      /* this bootloader cannot forget a one-shot by itself */
	TP_MACHINE_E_REFUSED,	      /* host key, authentication, precheck: a person must act */
	TP_MACHINE_E_LOST,	      /* the connection died in mid-call */
};

struct tp_machine;

/* What the machine says of its running kernel. */
struct tp_identity {
	char boot_id[40];
	char release[65];
	char build_id[65]; /* GNU build-id from /sys/kernel/notes, hex */
	char cmdline[2048];
	int64_t uptime_ms;
};

/* What to install and boot for one attempt. Borrowed strings. */
struct tp_boot_request {
	const char *artifact_dir; /* of the built kernel: bzImage, ... */
	const char *image_sha256;
	const char *release;
	const char *build_id;
	const char *token; /* 16 hex digits */
};

struct tp_boot_report {
	enum tp_boot_outcome
	    outcome; /* OK, FELL_BACK, WRONG_KERNEL, NEVER_WENT_DOWN, NEVER_CAME_UP */
	struct tp_identity identity; /* of what came up; empty when nothing did */
	char detail[512];	     /* one sentence */
	char *console;		     /* this boot's console output (bounded, sanitised), or NULL */
	int64_t down_ms, up_ms, settle_ms; /* how long each phase took */
};
void tp_boot_report_deinit(struct tp_boot_report *report);

struct tp_run_request {
	const char *run_id; /* the attempt's token */
	const char *workload;
	char *const *params; /* "--key" "value" ..., n_params strings */
	int n_params;
	int warmup, rounds;
};

/* Phase of a run for the progress line; round is estimated while it is measuring. */
typedef void (*tp_run_progress_fn)(enum tp_phase phase, int round, int rounds, void *data);

struct tp_run_report {
	enum tp_boot_outcome outcome; /* OK, RUN_FAILED, AGENT_DIED, INFRA */
	char detail[512];
	int64_t warmup_ms, measured_ms; /* wall time here */
	int polls; /* times that the target was asked while rounds might still have run */
};

/* Upload the agent and open the connection. @agent is the agent program's local path. */
TP_MUST_CHECK int tp_machine_open(const struct tp_target_config *config, const char *agent,
				  struct tp_machine **ret, struct tp_err *reterr);
struct tp_machine *tp_machine_close(struct tp_machine *m);
TP_DEFINE_CLEANUP(struct tp_machine, tp_machine_close)

/* Is everything there that a job needs? Space, bootloader, writable grubenv, tools, power. */
TP_MUST_CHECK int tp_machine_precheck(struct tp_machine *m, struct tp_err *reterr);
/* Bring it to a login when it is off or hung: power control, then wait. */
TP_MUST_CHECK int tp_machine_rescue(struct tp_machine *m, struct tp_err *reterr);
TP_MUST_CHECK int tp_machine_identify(struct tp_machine *m, struct tp_identity *ret,
				      struct tp_err *reterr);
/* The agent's facts, as its JSON object text. */
TP_MUST_CHECK int tp_machine_facts(struct tp_machine *m, char **ret_json, struct tp_err *reterr);

/* Put the kernel on the target's disk under a name of this attempt; verified by hash. */
TP_MUST_CHECK int tp_machine_install(struct tp_machine *m, const struct tp_boot_request *request,
				     struct tp_err *reterr);
TP_MUST_CHECK int tp_machine_installed(struct tp_machine *m, const struct tp_boot_request *request,
				       bool *ret, struct tp_err *reterr);
/* One-shot entry for exactly one boot, read back; the permanent default stays the rescue kernel. */
TP_MUST_CHECK int tp_machine_arm(struct tp_machine *m, const struct tp_boot_request *request,
				 struct tp_err *reterr);
TP_MUST_CHECK int tp_machine_armed(struct tp_machine *m, const struct tp_boot_request *request,
				   bool *ret, struct tp_err *reterr);
/*
 * Reboot from the boot @boot_id_before and see what comes up: down -> up -> identify -> settle.
 * @already_rebooting: the reboot was given by a dead predecessor; only wait and identify.
 * A machine that never goes down or up is reset through power control, if there is any, so
 * that it is reachable (in rescue) afterwards; the outcome still says what happened.
 */
TP_MUST_CHECK int tp_machine_boot(struct tp_machine *m, const struct tp_boot_request *request,
				  const char *boot_id_before, bool already_rebooting,
				  struct tp_boot_report *ret, struct tp_err *reterr);
/*
 * Run the agent detached, stay off the wire while rounds are measured, fetch its records to
 * @local (one JSON line each). A lost connection is opened again; the run goes on without it.
 */
TP_MUST_CHECK int tp_machine_run(struct tp_machine *m, const struct tp_run_request *request,
				 const char *local, tp_run_progress_fn progress, void *data,
				 struct tp_run_report *ret, struct tp_err *reterr);
/* Disarm, remove our kernels and files, reboot into rescue unless already there. */
TP_MUST_CHECK int tp_machine_clean(struct tp_machine *m, struct tp_err *reterr);
/* "on", "off", "reset", "status" through power control; @ret_on may be NULL. */
TP_MUST_CHECK int tp_machine_power(struct tp_machine *m, const char *action, bool *ret_on,
				   struct tp_err *reterr);
/* Power by configuration alone, no connection needed (the machine may be off). */
TP_MUST_CHECK int tp_power_act(const struct tp_target_config *config, const char *action,
			       bool *ret_on, struct tp_err *reterr);
