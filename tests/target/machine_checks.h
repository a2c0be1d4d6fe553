/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every machine must do: one table, run against the simulated one and against a real one. */
#pragma once

#include <stdbool.h>
#include "target/machine.h"

enum machine_fault {
	FAULT_NONE,
	FAULT_FELL_BACK,
	FAULT_WRONG_KERNEL,
	FAULT_NEVER_WENT_DOWN,
	FAULT_NEVER_CAME_UP,
	FAULT_NO_SPACE,
	FAULT_UNREACHABLE,
	FAULT_RUN_FAILED,
	FAULT_AGENT_DIED,
};

struct machine_bench {
	struct tp_target_config *config;
	struct tp_machine *m;
	const char *agent;
	const char *dir;		/* throw-away folder here */
	struct tp_boot_request request; /* of a kernel that boots */
	struct tp_run_request run;	/* of a workload that succeeds */
	/*
	 * Make the next act of that sort go wrong; FAULT_NONE ends it. May change request, run and
	 * config, and open the machine anew.
	 */
	void (*provoke)(struct machine_bench *b, enum machine_fault fault);
	void *data;
};

struct machine_check {
	const char *name;
	void (*run)(struct machine_bench *b); /* asserts with cmocka; leaves a machine in rescue */
};

extern const struct machine_check machine_checks[];
extern const int n_machine_checks;
