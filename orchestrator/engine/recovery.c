/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The normal start-up path: what did an older epoch leave behind, and how far did it come?
 *
 * core/recover holds the policy; here the target is asked what is true.
 */
#include <string.h>

#include "build/build.h"
#include "core/recover.h"
#include "engine/act.h"
#include "util/str.h"

/* A built kernel whose artefacts are gone or damaged is planned again. */
static int check_artefacts(struct tp_worker *w, const struct tp_snapshot *s, struct tp_err *reterr)
{
	for (int i = 0; i < s->n_kernels; i++) {
		_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row row = {};
		int r;

		if (s->kernels[i].state != TP_KERNEL_BUILT)
			continue;
		r = tp_store_kernel_get(w->store, s->kernels[i].id, &row, reterr);
		if (r == 0 && !tp_kernel_cached(w->paths->kernels, row.key)) {
			tp_act_say(w, "the artefacts of %s are gone or damaged: it is built again",
				   row.release);
			r = tp_store_kernel_reset(w->store, row.id, reterr);
		}
		if (r != 0)
			return r;
	}
	return 0;
}

/* Ask the target; whatever does not answer counts as "not so". */
static void probe_target(struct tp_worker *w, const struct tp_boot_row *boot,
			 const struct tp_kernel_row *kernel, struct tp_probe *probe)
{
	struct tp_boot_request request = tp_act_boot_request(kernel, boot);
	struct tp_identity identity = {};
	struct tp_err err = {};
	_cleanup_(tp_freep) char *word = tp_strf("triptych.token=%s", boot->token);

	if (!word || tp_act_machine(w, &err) != 0 ||
	    tp_machine_identify(w->machine, &identity, &err) != 0)
		return;
	probe->reachable = true;
	probe->boot_id_changed = boot->boot_id_before && boot->boot_id_before[0] &&
				 strcmp(boot->boot_id_before, identity.boot_id) != 0;
	probe->token_matches = strstr(identity.cmdline, word) != NULL;
	if (tp_machine_installed(w->machine, &request, &probe->installed, &err) != 0)
		probe->installed = false;
	if (tp_machine_armed(w->machine, &request, &probe->armed, &err) != 0)
		probe->armed = false;
}

static int recover_boot(struct tp_worker *w, const struct tp_plan_point *point,
			struct tp_err *reterr)
{
	_cleanup_(tp_boot_row_deinit) struct tp_boot_row boot = {};
	_cleanup_(tp_kernel_row_deinit) struct tp_kernel_row kernel = {};
	struct tp_boot_row fill = {.detail = (char *)"cut off by a restart; a new attempt follows"};
	struct tp_probe probe = {};
	enum tp_boot_state to;
	int r = tp_store_boot_get(w->store, point->boot_id, &boot, reterr);

	if (r == 0)
		r = tp_store_kernel_get(w->store, boot.kernel_id, &kernel, reterr);
	if (r != 0)
		return r;
	if (boot.state != TP_BOOT_PLANNED && boot.state != TP_BOOT_MEASURING)
		probe_target(w, &boot, &kernel, &probe);
	to = tp_recover_boot(boot.state, &probe);
	tp_act_say(w, "boot %d of %s was cut off while %s: %s", boot.attempt,
		   tp_role_name(point->role), tp_boot_state_name(boot.state),
		   to == boot.state ? "it goes on from there" : "discarded");
	if (to == boot.state)
		return 0;
	return tp_store_boot_move(w->store, w->epoch, boot.id, boot.state, to, &fill,
				  tp_clock_wall_ms(), reterr);
}

static bool is_unfinished(const struct tp_plan_point *point)
{
	return point->has_boot && point->boot_state != TP_BOOT_COMPLETE &&
	       point->boot_state != TP_BOOT_FAILED && point->boot_state != TP_BOOT_DISCARDED;
}

int tp_recovery_run(struct tp_worker *w, struct tp_err *reterr)
{
	struct tp_snapshot snapshot = {};
	int r = tp_store_snapshot(w->store, w->job, &snapshot, reterr);

	if (r == 0)
		r = check_artefacts(w, &snapshot, reterr);
	for (int i = 0; r == 0 && i < snapshot.n_points; i++) {
		if (is_unfinished(&snapshot.points[i]))
			r = recover_boot(w, &snapshot.points[i], reterr);
	}
	return r;
}
