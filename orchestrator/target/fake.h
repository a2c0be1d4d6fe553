/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the simulated machine: its state is a folder, so that it outlives every process.
 *
 *   DIR/state.json  what the machine is: replaced atomically at every change
 *   DIR/faults      what goes wrong, written by a test: lines such as "boot 2 fell_back"
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "target/machine_ops.h"

#define TP_FAKE_MAX_KERNELS 16

struct tp_fake_kernel {
	char image[65]; /* its hash, "" for a free slot */
	int64_t speed;	/* 100 is normal, 130 needs 30 % more time */
};

struct tp_fake_state {
	bool on;
	int64_t boots, runs, installs; /* how many there were; faults count by them */
	int64_t booted_wall_ms;
	int64_t speed;	   /* of the running kernel */
	int64_t microcode; /* grows at the fault new_microcode: a fact that must stay equal */
	char boot_id[40], release[65], build_id[65], token[48]; /* what runs; token "" in rescue */
	char armed_token[48], armed_image[65];			/* the one-shot; "" for none */
	struct tp_fake_kernel kernels[TP_FAKE_MAX_KERNELS];
};

/* Load; a folder without a state gets a machine that is on and in rescue. */
TP_MUST_CHECK int tp_fake_load(const char *dir, struct tp_fake_state *ret, struct tp_err *reterr);
TP_MUST_CHECK int tp_fake_save(const char *dir, const struct tp_fake_state *state,
			       struct tp_err *reterr);

/* Boot @state into the rescue kernel, with a new boot id. */
void tp_fake_boot_rescue(struct tp_fake_state *state);
/* A boot id nobody had before. */
void tp_fake_new_boot_id(struct tp_fake_state *state);

struct tp_fake_kernel *tp_fake_find(struct tp_fake_state *state, const char *image);

/*
 * The fault that DIR/faults has for the @n-th @what; "" for none. Lines that start with # are
 * comments.
 *
 *   boot N     fell_back | wrong_kernel | never_went_down | never_came_up | lost | new_microcode
 *   run N      agent_died | run_failed | lost | spoilt (its semantic checks do not hold)
 *   install N  no_space
 *   unreachable (no N: @n is 0)
 *
 * N counts from 1 over the life of the folder; a kernel that is there is not installed again.
 */
void tp_fake_fault(const char *dir, const char *what, int64_t n, char *ret, size_t size);

/* Speed of a built kernel: toy_speed_N in System.map, toy-speed=N in vmlinux, else 100. */
int64_t tp_fake_speed(const char *artifact_dir);

/* Write the records of a run as the agent would; deterministic. */
struct tp_fake_run {
	const struct tp_fake_state *state;
	const struct tp_run_request *request;
	const char *fail_reason; /* end with this reason; NULL: ok */
	bool spoilt;		 /* the workload's checks do not hold */
};
TP_MUST_CHECK int tp_fake_write_records(const struct tp_fake_run *run, const char *path,
					struct tp_err *reterr);
/* Does the fake know the workload? */
bool tp_fake_knows_workload(const char *name);
/* A facts object as text; NULL when out of memory. */
char *tp_fake_facts(const struct tp_fake_state *state);

struct tp_fake {
	struct tp_machine base;
	const char *dir; /* borrowed from the configuration */
};

/* The state of a machine that answers; TP_MACHINE_E_UNREACHABLE otherwise. */
TP_MUST_CHECK int tp_fake_reach(struct tp_machine *m, struct tp_fake_state *ret,
				struct tp_err *reterr);
TP_MUST_CHECK int tp_fake_put(struct tp_machine *m, const struct tp_fake_state *state,
			      struct tp_err *reterr);
void tp_fake_identity(const struct tp_fake_state *state, struct tp_identity *ret);
void tp_fake_disarm(struct tp_fake_state *state);

/* fake_boot.c: member of the table. */
int tp_fake_boot(struct tp_machine *m, const struct tp_boot_request *request,
		 const char *boot_id_before, bool already_rebooting, struct tp_boot_report *ret,
		 struct tp_err *reterr);
