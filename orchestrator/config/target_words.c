/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of a target's description; see target_words.h. */
#include "config/target_words.h"

#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define LOWER	 "abcdefghijklmnopqrstuvwxyz"
#define UPPER	 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS	 "0123456789"
#define PATH_SET LOWER UPPER DIGITS "._-+@/"

/* A text made of @rest, beginning with one of @first, at most @max long. */
struct form {
	const char *path;
	const char *first, *rest;
	size_t max;
	const char *says;
};

static const struct form forms[] = {
    {"name", LOWER DIGITS, LOWER DIGITS "-", 32,
     "1 to 32 lower-case letters, digits and '-', not beginning with '-'"},
    {"transport.host", LOWER UPPER DIGITS ":", LOWER UPPER DIGITS ".:-_", 255,
     "a host name or an address"},
    {"transport.user", LOWER "_", LOWER DIGITS "_-", 32, "a login name"},
    {"boot.dir", "/", PATH_SET, 255, "an absolute path of plain characters"},
    {"boot.grub_dir", "/", PATH_SET, 255, "an absolute path of plain characters"},
    {"boot.grub_prefix", "/", PATH_SET, 255, "\"\" or an absolute path of plain characters"},
    {"boot.initrd", "/", PATH_SET, 255, "an absolute path of plain characters"},
    {"work_dir", "/", PATH_SET, 255, "an absolute path of plain characters"},
    /* GRUB reads the line as a script: what it would expand or split on has no place here. */
    {"boot.cmdline", LOWER UPPER, PATH_SET " ,:=%*()[]!?~^", 1500,
     "plain words; quotes, $, \\, ;, {, }, <, >, | and & are not possible"},
};

static int check_form(struct tp_doc *doc, const struct form *form, struct tp_err *reterr)
{
	const yaml_node_t *node = tp_doc_find(doc, form->path);
	const char *text = node ? tp_doc_scalar(node) : "";
	size_t n = strlen(text);

	if (n == 0 ||
	    (strchr(form->first, text[0]) && strspn(text, form->rest) == n && n <= form->max))
		return 0;
	return tp_doc_error(doc, node, reterr, "%s is \"%.80s\"; it must be %s", form->path, text,
			    form->says);
}

/* "TYPE BASE64" of a kind that both ends can use. */
static int check_host_key(struct tp_doc *doc, const char *key, struct tp_err *reterr)
{
	static const char *const types[] = {"ssh-ed25519 ", "ecdsa-sha2-nistp256 ",
					    "ecdsa-sha2-nistp384 ", "ecdsa-sha2-nistp521 "};
	const yaml_node_t *node = tp_doc_near(doc, "transport.host_key");

	for (size_t i = 0; key && i < TP_ARRAY_SIZE(types); i++) {
		const char *body = key + strlen(types[i]);

		if (!tp_str_starts(key, types[i]))
			continue;
		if (strlen(body) >= 40 && strspn(body, LOWER UPPER DIGITS "+/=") == strlen(body))
			return 0;
		return tp_doc_error(doc, node, reterr,
				    "transport.host_key must be \"TYPE BASE64\" as in the host's "
				    ".pub file, without its comment");
	}
	if (!key)
		return 0;
	return tp_doc_error(doc, node, reterr,
			    "transport.host_key must be an ed25519 or ECDSA key; RSA host keys "
			    "cannot be used");
}

/* A panic without panic=N leaves the machine hanging instead of falling back to the rescue. */
static int check_cmdline(struct tp_doc *doc, const char *cmdline, struct tp_err *reterr)
{
	const yaml_node_t *node = tp_doc_near(doc, "boot.cmdline");
	const char *found;

	if (!cmdline)
		return tp_doc_error(doc, node, reterr,
				    "boot.cmdline is missing; give the kernel command line of "
				    "every boot, for example \"root=/dev/sda2 panic=5\"");
	found = strstr(cmdline, "panic=");
	while (found && found != cmdline && found[-1] != ' ')
		found = strstr(found + 1, "panic=");
	if (!found || found[6] < '1' || found[6] > '9')
		return tp_doc_error(doc, node, reterr,
				    "boot.cmdline lacks panic=SECONDS; without it a panic hangs "
				    "the machine instead of bringing the rescue kernel back");
	return 0;
}

static int check_symbols(struct tp_doc *doc, const struct tp_target_config *c,
			 struct tp_err *reterr)
{
	for (unsigned i = 0; i < c->kernel.allow_config_differences_count; i++) {
		const char *name = c->kernel.allow_config_differences[i];
		char path[64];

		if (tp_str_starts(name, "CONFIG_") && name[7] &&
		    strspn(name, LOWER UPPER DIGITS "_") == strlen(name))
			continue;
		snprintf(path, sizeof(path), "kernel.allow_config_differences.%u", i);
		return tp_doc_error(doc, tp_doc_near(doc, path), reterr,
				    "\"%.80s\" is not the name of a kernel option (CONFIG_...)",
				    name);
	}
	return 0;
}

static int check_program(struct tp_doc *doc, char *const *argv, const char *path,
			 struct tp_err *reterr)
{
	if (!argv || argv[0][0])
		return 0;
	return tp_doc_error(doc, tp_doc_near(doc, path), reterr, "%s names no program", path);
}

int tp_target_check_words(struct tp_doc *doc, const struct tp_target_config *c,
			  struct tp_err *reterr)
{
	bool fake = strcmp(c->transport.kind, "fake") == 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < TP_ARRAY_SIZE(forms); i++)
		r = check_form(doc, &forms[i], reterr);
	if (r == 0)
		r = check_host_key(doc, c->transport.host_key, reterr);
	if (r == 0 && !fake)
		r = check_cmdline(doc, c->boot.cmdline, reterr);
	if (r == 0 && !fake && !c->kernel.seed)
		r = tp_doc_error(doc, tp_doc_near(doc, "kernel.seed"), reterr,
				 "kernel.seed is missing; name the config that every build starts "
				 "from");
	if (r == 0)
		r = check_symbols(doc, c, reterr);
	if (r == 0)
		r = check_program(doc, c->power.start, "power.start", reterr);
	if (r == 0)
		r = check_program(doc, c->power.reset, "power.reset", reterr);
	return r;
}
