/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of boot drivers; see boot.h. */
#include "target/boot.h"

#include <errno.h>
#include <string.h>

static const struct tp_boot_ops *const registry[] = {
    &tp_boot_grub,
};

const struct tp_boot_ops *tp_boot_find(const struct tp_target_config *config, struct tp_err *reterr)
{
	const char *kind = config->boot.kind ? config->boot.kind : "";

	for (size_t i = 0; i < TP_ARRAY_SIZE(registry); i++) {
		if (strcmp(registry[i]->kind, kind) == 0)
			return registry[i];
	}
	tp_err_set(reterr, -EINVAL, config->name,
		   "there is no boot driver of the kind \"%s\"; use grub", kind);
	return NULL;
}

int tp_machine_code(int code, struct tp_err *reterr)
{
	switch (code) {
	case TP_TRANSPORT_E_UNREACHABLE:
		code = TP_MACHINE_E_UNREACHABLE;
		break;
	case TP_TRANSPORT_E_HOST_KEY:
	case TP_TRANSPORT_E_AUTH:
		code = TP_MACHINE_E_REFUSED;
		break;
	case TP_TRANSPORT_E_LOST:
		code = TP_MACHINE_E_LOST;
		break;
	case TP_TRANSPORT_E_NO_SPACE:
		code = TP_MACHINE_E_NO_SPACE;
		break;
	}
	if (code && reterr)
		reterr->code = code;
	return code;
}
