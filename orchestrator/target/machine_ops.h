/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an implementation of a machine provides; machine.c dispatches. For target/ alone. */
#pragma once

#include "target/machine.h"

struct tp_machine_ops {
	const char *kind;
	int (*open)(const struct tp_target_config *config, const char *agent,
		    struct tp_machine **ret, struct tp_err *reterr);
	void (*close)(struct tp_machine *m);
	int (*precheck)(struct tp_machine *m, struct tp_err *reterr);
	int (*rescue)(struct tp_machine *m, struct tp_err *reterr);
	int (*identify)(struct tp_machine *m, struct tp_identity *ret, struct tp_err *reterr);
	int (*facts)(struct tp_machine *m, char **ret_json, struct tp_err *reterr);
	int (*install)(struct tp_machine *m, const struct tp_boot_request *request,
		       struct tp_err *reterr);
	int (*installed)(struct tp_machine *m, const struct tp_boot_request *request, bool *ret,
			 struct tp_err *reterr);
	int (*arm)(struct tp_machine *m, const struct tp_boot_request *request,
		   struct tp_err *reterr);
	int (*armed)(struct tp_machine *m, const struct tp_boot_request *request, bool *ret,
		     struct tp_err *reterr);
	int (*boot)(struct tp_machine *m, const struct tp_boot_request *request,
		    const char *boot_id_before, bool already_rebooting, struct tp_boot_report *ret,
		    struct tp_err *reterr);
	int (*run)(struct tp_machine *m, const struct tp_run_request *request, const char *local,
		   tp_run_progress_fn progress, void *data, struct tp_run_report *ret,
		   struct tp_err *reterr);
	int (*clean)(struct tp_machine *m, struct tp_err *reterr);
};

/* First member of every implementation. */
struct tp_machine {
	const struct tp_machine_ops *ops;
	const struct tp_target_config *config; /* borrowed: outlives the machine */
};

extern const struct tp_machine_ops tp_machine_real;
extern const struct tp_machine_ops tp_machine_fake;
