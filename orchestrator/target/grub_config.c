/* SPDX-License-Identifier: GPL-2.0-or-later */
/* custom.cfg as text; see grub_config.h. */
#include "target/grub_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define BEGIN	    "### BEGIN triptych: written by triptych, removed by it; do not edit ###\n"
#define END	    "### END triptych ###\n"
#define HASH_DIGITS 16
#define DIGITS	    "0123456789abcdef"

static int refuse(struct tp_err *reterr, const char *name, const char *value, const char *why)
{
	char shown[128];

	snprintf(shown, sizeof(shown), "%s", value);
	tp_str_sanitize(shown);
	return tp_err_set(reterr, TP_MACHINE_E_REFUSED, NULL, "%s is \"%s\": %s", name, shown, why);
}

/* Printable ASCII that is nothing special in GRUB's script language. */
static bool is_harmless(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p < ' ' || *p > '~' || strchr("\"'\\$`;|&<>{}#", *p))
			return false;
	}
	return true;
}

static int check_path(const char *name, const char *path, struct tp_err *reterr)
{
	if (path[0] != '/' || strchr(path, ' ') || strstr(path, "/..") || !is_harmless(path))
		return refuse(reterr, name, path,
			      "it must be an absolute path of plain characters (no spaces, quotes, "
			      "$, \\ or ..)");
	return 0;
}

int tp_grub_entry_id(const char *token, char ret[static TP_BOOT_ID_MAX], struct tp_err *reterr)
{
	size_t len = strlen(token);

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)token[i]))
			len = 0;
	}
	if (len < 1 || len > 40)
		return refuse(reterr, "the boot's token", token,
			      "it must be 1 to 40 letters and digits");
	snprintf(ret, TP_BOOT_ID_MAX, "triptych-%s", token);
	return 0;
}

/* triptych/HASH16 below a folder. */
static int kernel_below(const char *dir, const char *image_sha256, char **ret,
			struct tp_err *reterr)
{
	size_t n = strlen(dir);
	char *path;

	if (strspn(image_sha256, DIGITS) != 64 || image_sha256[64])
		return refuse(reterr, "the image's hash", image_sha256,
			      "it must be 64 hexadecimal digits");
	while (n > 0 && dir[n - 1] == '/')
		n--;
	path = tp_strf("%.*s/triptych/%.*s/vmlinuz", (int)n, dir, HASH_DIGITS, image_sha256);
	if (!path)
		return tp_err_oom(reterr);
	*ret = path;
	return 0;
}

int tp_grub_kernel_path(const struct tp_target_config *config, const char *image_sha256, char **ret,
			struct tp_err *reterr)
{
	int r = check_path("boot.dir", config->boot.dir ? config->boot.dir : "", reterr);

	return r ? r : kernel_below(config->boot.dir, image_sha256, ret, reterr);
}

/* A path of the target as GRUB sees it: boot.dir becomes boot.grub_prefix. */
static int grub_view(const struct tp_target_config *config, const char *path, char **ret,
		     struct tp_err *reterr)
{
	const char *dir = config->boot.dir;
	const char *prefix = config->boot.grub_prefix ? config->boot.grub_prefix : "";
	size_t n = strlen(dir);
	int r = check_path("boot.initrd", path, reterr);

	if (r)
		return r;
	while (n > 1 && dir[n - 1] == '/')
		n--;
	if (strncmp(path, dir, n) != 0 || path[n] != '/')
		return refuse(reterr, "boot.initrd", path,
			      "it must lie below boot.dir, where GRUB can read it");
	*ret = tp_strf("%s%s", prefix, path + n);
	return *ret ? 0 : tp_err_oom(reterr);
}

static int check_words(const struct tp_target_config *config, struct tp_err *reterr)
{
	const char *cmdline = config->boot.cmdline ? config->boot.cmdline : "";
	const char *prefix = config->boot.grub_prefix ? config->boot.grub_prefix : "";

	if (!is_harmless(cmdline))
		return refuse(reterr, "boot.cmdline", cmdline,
			      "it must be plain words without quotes, $, \\, ;, braces or #");
	if (strstr(cmdline, "triptych.token"))
		return refuse(reterr, "boot.cmdline", cmdline, "the token is added by itself");
	return *prefix ? check_path("boot.grub_prefix", prefix, reterr) : 0;
}

int tp_grub_section(const struct tp_target_config *config, const struct tp_boot_request *request,
		    char **ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *kernel = NULL, *initrd = NULL, *there = NULL;
	_cleanup_(tp_str_deinit) struct tp_str s = {};
	char id[TP_BOOT_ID_MAX];
	int r = check_words(config, reterr);

	if (r == 0)
		r = tp_grub_entry_id(request->token, id, reterr);
	if (r == 0)
		r = tp_grub_kernel_path(config, request->image_sha256, &there, reterr);
	if (r == 0)
		r = grub_view(config, there, &kernel, reterr);
	if (r == 0 && config->boot.initrd)
		r = grub_view(config, config->boot.initrd, &initrd, reterr);
	if (r)
		return r;
	/* The default root may be another file system than the one with our kernels. */
	tp_str_printf(&s, BEGIN "menuentry 'triptych %s' --id %s --unrestricted {\n",
		      request->token, id);
	tp_str_printf(&s,
		      "\tif [ ! -f %s ]; then\n\t\tsearch --no-floppy --set=root --file %s\n\tfi\n",
		      kernel, kernel);
	tp_str_printf(&s, "\tlinux %s %s triptych.token=%s\n", kernel,
		      config->boot.cmdline ? config->boot.cmdline : "", request->token);
	if (initrd)
		tp_str_printf(&s, "\tinitrd %s\n", initrd);
	tp_str_append(&s, "}\n" END);
	*ret = tp_str_take(&s);
	return *ret ? 0 : tp_err_oom(reterr);
}

/* Start of our section at the beginning of a line, NULL for none. */
static const char *find_line(const char *text, const char *line)
{
	for (const char *at = strstr(text, line); at; at = strstr(at + 1, line)) {
		if (at == text || at[-1] == '\n')
			return at;
	}
	return NULL;
}

int tp_grub_replace(const char *old, const char *section, char **ret, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str s = {};
	const char *begin, *rest = old;

	while ((begin = find_line(rest, BEGIN))) {
		const char *end = find_line(begin, END);

		if (!end)
			return tp_err_set(
			    reterr, TP_MACHINE_E_REFUSED, NULL,
			    "custom.cfg on the target has the first line of triptych's "
			    "section but not its last; remove the rest of it by hand");
		tp_str_append_n(&s, rest, (size_t)(begin - rest));
		rest = end + strlen(END);
	}
	tp_str_append(&s, rest);
	if (section && s.len > 0 && s.data[s.len - 1] != '\n')
		tp_str_append(&s, "\n");
	if (section)
		tp_str_append(&s, section);
	*ret = tp_str_take(&s);
	return *ret ? 0 : tp_err_oom(reterr);
}

bool tp_grub_has(const char *text, const char *section)
{
	const char *at = find_line(text, BEGIN);

	return at && tp_str_starts(at, section) && !find_line(at + 1, BEGIN);
}

void tp_grub_env_get(const char *list, const char *name, char *ret, size_t size)
{
	size_t n = strlen(name);

	ret[0] = '\0';
	for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, name, n) != 0 || line[n] != '=')
			continue;
		snprintf(ret, size, "%.*s", (int)strcspn(line + n + 1, "\r\n"), line + n + 1);
		tp_str_sanitize(ret);
	}
}
