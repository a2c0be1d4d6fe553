/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel configurations; see kconfig.h. */
#include "build/kconfig.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/fd.h"
#include "util/str.h"

#define CONFIG_MAX_BYTES (4u << 20)

void tp_kconfig_deinit(struct tp_kconfig *config)
{
	free(config->text);
	free(config->items);
	*config = (struct tp_kconfig){};
}

/* Cuts @line apart in place; false for lines that say nothing about a symbol. */
static bool parse_line(char *line, struct tp_kconfig_item *ret)
{
	static const char unset[] = " is not set";
	char *equals;

	tp_str_chomp(line);
	if (tp_str_starts(line, "# CONFIG_") && tp_str_ends(line, unset)) {
		line[strlen(line) - strlen(unset)] = '\0';
		*ret = (struct tp_kconfig_item){.name = line + 2};
		return !strchr(ret->name, ' ');
	}
	if (!tp_str_starts(line, "CONFIG_"))
		return false;
	equals = strchr(line, '=');
	if (!equals)
		return false;
	*equals = '\0';
	*ret = (struct tp_kconfig_item){.name = line, .value = equals + 1};
	if (!strcmp(ret->value, "n"))
		ret->value = NULL;
	return true;
}

static int compare_names(const void *a, const void *b)
{
	const struct tp_kconfig_item *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	/* Pieces of one text: the address tells which line came first. */
	return r ? r : (x->name > y->name) - (x->name < y->name);
}

static void keep_last_of_each(struct tp_kconfig *config)
{
	size_t n = 0;

	for (size_t i = 0; i < config->n; i++) {
		bool last =
		    i + 1 == config->n || strcmp(config->items[i].name, config->items[i + 1].name);

		if (last)
			config->items[n++] = config->items[i];
	}
	config->n = n;
}

int tp_kconfig_parse(const char *text, struct tp_kconfig *ret, struct tp_err *reterr)
{
	struct tp_kconfig c = {.text = strdup(text)};
	size_t lines = 1;
	char *save = NULL;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	c.items = calloc(lines, sizeof(*c.items));
	if (!c.text || !c.items) {
		tp_kconfig_deinit(&c);
		return tp_err_oom(reterr);
	}
	for (char *line = strtok_r(c.text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		c.n += parse_line(line, &c.items[c.n]);
	qsort(c.items, c.n, sizeof(*c.items), compare_names);
	keep_last_of_each(&c);
	*ret = c;
	return 0;
}

int tp_kconfig_read(const char *path, struct tp_kconfig *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = NULL;
	int r = tp_file_read(path, CONFIG_MAX_BYTES, &text, NULL, reterr);

	return r < 0 ? r : tp_kconfig_parse(text, ret, reterr);
}

static int compare_to_name(const void *key, const void *item)
{
	return strcmp(key, ((const struct tp_kconfig_item *)item)->name);
}

const struct tp_kconfig_item *tp_kconfig_find(const struct tp_kconfig *config, const char *name)
{
	return bsearch(name, config->items, config->n, sizeof(*config->items), compare_to_name);
}

const char *tp_kconfig_value(const struct tp_kconfig_item *item)
{
	if (!item)
		return "absent";
	return item->value ? item->value : "not set";
}

int tp_kconfig_sha256(const struct tp_kconfig *config, char ret[static TP_SHA256_HEX],
		      struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str s = {};

	for (size_t i = 0; i < config->n; i++) {
		const struct tp_kconfig_item *item = &config->items[i];

		if (!strcmp(item->name, "CONFIG_LOCALVERSION"))
			continue;
		if (item->value)
			tp_str_printf(&s, "%s=%s\n", item->name, item->value);
		else
			tp_str_printf(&s, "# %s is not set\n", item->name);
	}
	if (s.broken)
		return tp_err_oom(reterr);
	tp_sha256_bytes(tp_str_text(&s), s.len, ret);
	return 0;
}
