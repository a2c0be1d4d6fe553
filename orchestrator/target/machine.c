/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines: the choice of an implementation, and what is common to them; see machine.h. */
#include "target/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "target/identity.h"
#include "target/machine_ops.h"

void tp_boot_report_deinit(struct tp_boot_report *report)
{
	free(report->console);
	*report = (struct tp_boot_report){};
}

int tp_machine_open(const struct tp_target_config *config, const char *agent,
		    struct tp_machine **ret, struct tp_err *reterr)
{
	const char *kind = config->transport.kind ? config->transport.kind : "";

	if (strcmp(kind, "fake") == 0)
		return tp_machine_fake.open(config, agent, ret, reterr);
	return tp_machine_real.open(config, agent, ret, reterr);
}

struct tp_machine *tp_machine_close(struct tp_machine *m)
{
	if (m)
		m->ops->close(m);
	return NULL;
}

int tp_machine_precheck(struct tp_machine *m, struct tp_err *reterr)
{
	return m->ops->precheck(m, reterr);
}

int tp_machine_rescue(struct tp_machine *m, struct tp_err *reterr)
{
	return m->ops->rescue(m, reterr);
}

int tp_machine_identify(struct tp_machine *m, struct tp_identity *ret, struct tp_err *reterr)
{
	return m->ops->identify(m, ret, reterr);
}

int tp_machine_facts(struct tp_machine *m, char **ret_json, struct tp_err *reterr)
{
	return m->ops->facts(m, ret_json, reterr);
}

int tp_machine_install(struct tp_machine *m, const struct tp_boot_request *request,
		       struct tp_err *reterr)
{
	return m->ops->install(m, request, reterr);
}

int tp_machine_installed(struct tp_machine *m, const struct tp_boot_request *request, bool *ret,
			 struct tp_err *reterr)
{
	return m->ops->installed(m, request, ret, reterr);
}

int tp_machine_arm(struct tp_machine *m, const struct tp_boot_request *request,
		   struct tp_err *reterr)
{
	return m->ops->arm(m, request, reterr);
}

int tp_machine_armed(struct tp_machine *m, const struct tp_boot_request *request, bool *ret,
		     struct tp_err *reterr)
{
	return m->ops->armed(m, request, ret, reterr);
}

int tp_machine_boot(struct tp_machine *m, const struct tp_boot_request *request,
		    const char *boot_id_before, bool already_rebooting, struct tp_boot_report *ret,
		    struct tp_err *reterr)
{
	if (!tp_boot_id_valid(boot_id_before))
		return tp_err_set(reterr, -EINVAL, m->config->name,
				  "the boot before this one has no boot id; identify the machine "
				  "before it is rebooted");
	return m->ops->boot(m, request, boot_id_before, already_rebooting, ret, reterr);
}

int tp_machine_run(struct tp_machine *m, const struct tp_run_request *request, const char *local,
		   tp_run_progress_fn progress, void *data, struct tp_run_report *ret,
		   struct tp_err *reterr)
{
	if (request->rounds < 1 || request->warmup < 0)
		return tp_err_set(reterr, -EINVAL, m->config->name,
				  "a run needs at least one round and no negative warm-up");
	return m->ops->run(m, request, local, progress, data, ret, reterr);
}

int tp_machine_clean(struct tp_machine *m, struct tp_err *reterr)
{
	return m->ops->clean(m, reterr);
}

int tp_machine_power(struct tp_machine *m, const char *action, bool *ret_on, struct tp_err *reterr)
{
	return tp_power_act(m->config, action, ret_on, reterr);
}
