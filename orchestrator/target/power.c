/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of power drivers; see power.h. */
#include "target/power.h"

#include <errno.h>
#include <string.h>

#include "target/machine.h"

static const struct tp_power_ops *const registry[] = {
    &tp_power_qmp,
    &tp_power_exec,
};

static const char *const actions[] = {
    [TP_POWER_ON] = "on",
    [TP_POWER_OFF] = "off",
    [TP_POWER_RESET] = "reset",
    [TP_POWER_STATUS] = "status",
};
static_assert(TP_ARRAY_SIZE(actions) == _TP_POWER_MAX, "every action has a word");

static bool is_kind(const char *kind, const char *word)
{
	return kind && strcmp(kind, word) == 0;
}

bool tp_power_has(const struct tp_target_config *config)
{
	if (is_kind(config->transport.kind, "fake"))
		return true;
	return config->power.kind && !is_kind(config->power.kind, "none");
}

static const struct tp_power_ops *find_ops(const struct tp_target_config *config)
{
	if (is_kind(config->transport.kind, "fake"))
		return &tp_power_fake;
	for (size_t i = 0; i < TP_ARRAY_SIZE(registry); i++) {
		if (is_kind(config->power.kind, registry[i]->kind))
			return registry[i];
	}
	return NULL;
}

int tp_power_act(const struct tp_target_config *config, const char *action, bool *ret_on,
		 struct tp_err *reterr)
{
	int64_t limit = config->deadlines.power_ms > 0 ? config->deadlines.power_ms : 60000;
	const struct tp_power_ops *ops = find_ops(config);
	bool on = false;
	int which = 0, r;

	while (which < _TP_POWER_MAX && strcmp(actions[which], action) != 0)
		which++;
	if (which == _TP_POWER_MAX)
		return tp_err_set(reterr, -EINVAL, config->name,
				  "there is no power action \"%s\"; use on, off, reset or status",
				  action);
	if (!ops)
		return tp_err_set(
		    reterr, -ENOTSUP, config->name,
		    "this target has no power control (power.kind is %s); switch it by "
		    "hand, or configure qmp or exec",
		    config->power.kind ? config->power.kind : "none");
	r = ops->act(config, (enum tp_power_action)which, tp_deadline_in(limit), &on, reterr);
	if (r == 0 && ret_on)
		*ret_on = on;
	return r;
}
