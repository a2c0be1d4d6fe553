/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the real machine: a connection that is opened when needed and opened again when it was
 * lost, the boot driver, the agent. machine_real.c and real_*.c share it.
 */
#pragma once

#include "target/boot.h"
#include "target/machine_ops.h"
#include "target/transport.h"
#include "util/hash.h"

struct tp_real {
	struct tp_machine base;
	struct tp_transport *t; /* NULL: not connected */
	const struct tp_boot_ops *boot;
	char *agent;	    /* local path */
	char *agent_remote; /* where it is put on the target */
	char agent_sha256[TP_SHA256_HEX];
	bool agent_there; /* verified since the last boot that we know of */
};

/* Connect unless connected; machine codes. One try within @deadline. */
TP_MUST_CHECK int tp_real_connect(struct tp_real *real, struct tp_deadline deadline,
				  struct tp_err *reterr);
/* The same, again and again until @deadline; a refusal ends it at once. */
TP_MUST_CHECK int tp_real_connect_until(struct tp_real *real, struct tp_deadline deadline,
					struct tp_err *reterr);
void tp_real_disconnect(struct tp_real *real);

/* Ordinary deadlines. */
struct tp_deadline tp_real_exec_deadline(const struct tp_real *real);
struct tp_deadline tp_real_connect_deadline(const struct tp_real *real);

struct tp_boot_ctx tp_real_boot_ctx(struct tp_real *real);

/*
 * Something that may be done twice. Connects, calls @fn, and once more on a fresh connection
 * when the first was lost.
 */
typedef int (*tp_real_fn)(struct tp_real *real, void *arg, struct tp_err *reterr);
TP_MUST_CHECK int tp_real_do(struct tp_real *real, tp_real_fn fn, void *arg, struct tp_err *reterr);

/* Each of these is a tp_real_fn and works on the connection that is there. */
/* @arg: a struct tp_identity to be filled. */
int tp_real_identify_now(struct tp_real *real, void *arg, struct tp_err *reterr);
/* @arg: a char * to be filled with the agent's facts. */
int tp_real_facts_now(struct tp_real *real, void *arg, struct tp_err *reterr);
int tp_real_disarm(struct tp_real *real, void *arg, struct tp_err *reterr);
/* Upload the agent unless it is there with the right hash. */
int tp_real_ensure_agent(struct tp_real *real, void *arg, struct tp_err *reterr);

/* Members of the table: real_check.c, real_recover.c, real_boot.c, real_run.c. */
int tp_real_precheck(struct tp_machine *m, struct tp_err *reterr);
int tp_real_rescue(struct tp_machine *m, struct tp_err *reterr);
int tp_real_boot(struct tp_machine *m, const struct tp_boot_request *request,
		 const char *boot_id_before, bool already_rebooting, struct tp_boot_report *ret,
		 struct tp_err *reterr);
int tp_real_run(struct tp_machine *m, const struct tp_run_request *request, const char *local,
		tp_run_progress_fn progress, void *data, struct tp_run_report *ret,
		struct tp_err *reterr);

/* real_recover.c */
#define TP_REAL_ANSWER_MS 1000 /* a server that greets does so at once */

/* Tell the machine to reboot and hang up, unless it is in another boot than @boot_id already. */
TP_MUST_CHECK int tp_real_give_reboot(struct tp_real *real, const char *boot_id,
				      struct tp_err *reterr);
/* Log in anew and ask who it is. False, with @err, when that fails: not connected then. */
bool tp_real_look(struct tp_real *real, struct tp_deadline deadline, struct tp_identity *ret,
		  struct tp_err *err);
/* Wait for a login from another boot than @boot_id (NULL: any). UNREACHABLE at @deadline. */
TP_MUST_CHECK int tp_real_await_login(struct tp_real *real, const char *boot_id,
				      struct tp_deadline deadline, struct tp_identity *ret,
				      struct tp_err *reterr);
/* Reboot out of a kernel under test into the permanent default, disarmed; nothing when there. */
TP_MUST_CHECK int tp_real_leave_test_kernel(struct tp_real *real, struct tp_err *reterr);
/* Reset through power control; the permanent default is up afterwards. */
TP_MUST_CHECK int tp_real_reset(struct tp_real *real, const char *boot_id, struct tp_err *reterr);
