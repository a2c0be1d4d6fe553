/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between two configurations; see build.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "build/build.h"
#include "build/kconfig.h"
#include "util/str.h"

/* With and without the CONFIG_ before it: people write both. */
static bool is_allowed(const char *name, const char *const *allowed)
{
	for (; allowed && *allowed; allowed++) {
		if (!strcmp(name, *allowed) || !strcmp(name + strlen("CONFIG_"), *allowed))
			return true;
	}
	return false;
}

static void compare(struct tp_str *out, const struct tp_kconfig_item *a,
		    const struct tp_kconfig_item *b, const char *const *allowed)
{
	const char *name = a ? a->name : b->name;
	const char *was = tp_kconfig_value(a), *is = tp_kconfig_value(b);

	if (!strcmp(was, is) || !strcmp(name, "CONFIG_LOCALVERSION") || is_allowed(name, allowed))
		return;
	tp_str_printf(out, "%s%s: %s -> %s", out->len ? "\n" : "", name, was, is);
}

/* Both lists are sorted: walk them like a zip. */
static void compare_all(struct tp_str *out, const struct tp_kconfig *a, const struct tp_kconfig *b,
			const char *const *allowed)
{
	size_t i = 0, j = 0;

	while (i < a->n || j < b->n) {
		int order = i == a->n	? 1
			    : j == b->n ? -1
					: strcmp(a->items[i].name, b->items[j].name);

		compare(out, order <= 0 ? &a->items[i] : NULL, order >= 0 ? &b->items[j] : NULL,
			allowed);
		i += order <= 0;
		j += order >= 0;
	}
}

int tp_config_diff(const char *config_a, const char *config_b, const char *const *allowed,
		   char **ret, struct tp_err *reterr)
{
	_cleanup_(tp_kconfig_deinit) struct tp_kconfig a = {}, b = {};
	_cleanup_(tp_str_deinit) struct tp_str out = {};
	char *text;
	int r = tp_kconfig_read(config_a, &a, reterr);

	if (r == 0)
		r = tp_kconfig_read(config_b, &b, reterr);
	if (r < 0)
		return r;
	compare_all(&out, &a, &b, allowed);
	text = tp_str_take(&out);
	if (!text)
		return tp_err_oom(reterr);
	tp_str_sanitize(text);
	*ret = text;
	return 0;
}
