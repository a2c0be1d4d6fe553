/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual lab machine for one test program: made by tools/lab/make-vm, removed at the end. */
#pragma once

#include <stdbool.h>
#include "machine_checks.h"

struct lab_machine {
	char *dir;	    /* of the machine */
	char *artifact_dir; /* holds bzImage */
	char *agent;	    /* the stand-in */
	char *cmdline;	    /* the configuration's own */
	char image_sha256[65];
	struct tp_target_config config;
	struct tp_identity rescue; /* the rescue kernel is the one under test, too */
	struct machine_bench bench;
};

/*
 * Is there a kernel and QEMU? TRIPTYCH_LAB_KERNEL names a folder with a bzImage; without it the
 * rescue kernel of the machine TRIPTYCH_LAB_VM is taken. Says what lacks.
 */
bool lab_machine_available(void);

/* Make it in @scratch, switch it on, open it. Asserts. */
void lab_machine_start(struct lab_machine *lab, const char *scratch);
void lab_machine_stop(struct lab_machine *lab);

/* Open the machine anew, after the configuration changed. */
void lab_machine_reopen(struct lab_machine *lab);

/* Run a shell script on it; its output (free()). */
char *lab_machine_sh(struct lab_machine *lab, const char *script);
