/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts: which kernel this is, how it was booted, what it preempts, what loads it. */
#include "facts/buildid.h"
#include "facts/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* Whether @token stands in @text as a word of its own. */
static bool has_word(const char *text, const char *token)
{
	size_t n = strlen(token);

	for (const char *p = text; (p = strstr(p, token)); p += n) {
		if ((p == text || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	}
	return false;
}

/* The value of `name=` on a command line; the last one wins, as in the kernel. free() it. */
static char *word_value(const char *text, const char *name)
{
	size_t n = strlen(name);
	char *value = NULL;

	for (const char *p = text; (p = strstr(p, name)); p += n) {
		if (p == text || p[-1] == ' ') {
			free(value);
			value = strndup(p + n, strcspn(p + n, " "));
		}
	}
	return value;
}

/*
 * PREEMPT_DYNAMIC shows the live mode in debugfs, in parentheses. Without it the kernel's
 * own version string names what was built in.
 */
static void add_preempt(const struct tp_facts *f, struct tp_jsonw *w, const char *cmdline,
			const char *version)
{
	static const char *const builds[] = {"PREEMPT_DYNAMIC", "PREEMPT_RT", "PREEMPT_LAZY",
					     "PREEMPT"};
	_cleanup_(tp_freep) char *modes = tp_fact_line(f, "/sys/kernel/debug/sched/preempt");
	_cleanup_(tp_freep) char *live = tp_fact_bracketed(modes);
	_cleanup_(tp_freep) char *asked = cmdline ? word_value(cmdline, "preempt=") : NULL;
	const char *build = version ? "none" : NULL;

	for (size_t i = 0; version && i < TP_ARRAY_SIZE(builds); i++) {
		if (has_word(version, builds[i])) {
			build = builds[i];
			break;
		}
	}
	tp_jsonw_object(w, "preempt");
	tp_jsonw_text(w, "live", live);
	tp_jsonw_text(w, "cmdline", asked);
	tp_jsonw_text(w, "build", build);
	tp_jsonw_object_end(w);
}

static void add_kaslr(struct tp_jsonw *w, const char *cmdline)
{
	if (cmdline)
		tp_jsonw_bool(w, "kaslr_cmdline", !has_word(cmdline, "nokaslr"));
	else
		tp_jsonw_null(w, "kaslr_cmdline");
}

void tp_facts_kernel(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *cmdline = tp_fact_line(f, "/proc/cmdline");
	_cleanup_(tp_freep) char *version = tp_fact_line(f, "/proc/sys/kernel/version");
	_cleanup_(tp_freep) char *build_id = tp_buildid_read(f->root);
	struct utsname uts;

	tp_fact_put_line(f, w, "boot_id", "/proc/sys/kernel/random/boot_id");
	tp_fact_put_line(f, w, "release", "/proc/sys/kernel/osrelease");
	tp_jsonw_text(w, "version", version);
	tp_jsonw_text(w, "machine", uname(&uts) == 0 ? uts.machine : NULL);
	tp_jsonw_text(w, "build_id", build_id);
	tp_fact_put_line(f, w, "hostname", "/proc/sys/kernel/hostname");
	tp_jsonw_text(w, "cmdline", cmdline);
	add_kaslr(w, cmdline);
	tp_fact_put_number(f, w, "tainted", "/proc/sys/kernel/tainted");
	add_preempt(f, w, cmdline, version);
}

/* "some avg10=0.12 avg60=..." of one resource: both avg10, each a number or null. */
static void add_pressure(const struct tp_facts *f, struct tp_jsonw *w, const char *resource)
{
	_cleanup_(tp_freep) char *text = tp_fact_text(f, "/proc/pressure/%s", resource);
	static const char *const kinds[] = {"some", "full"};

	tp_jsonw_object(w, resource);
	for (size_t i = 0; i < TP_ARRAY_SIZE(kinds); i++) {
		const char *line = text ? strstr(text, kinds[i]) : NULL;
		char number[32] = "", key[32];

		if (line && sscanf(line + strlen(kinds[i]), " avg10=%31s", number) != 1)
			number[0] = '\0';
		snprintf(key, sizeof(key), "%s_avg10", kinds[i]);
		tp_jsonw_number_text(w, key, number);
	}
	tp_jsonw_object_end(w);
}

static void add_loadavg(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *text = tp_fact_line(f, "/proc/loadavg");
	char numbers[3][32];

	if (!text || sscanf(text, "%31s %31s %31s", numbers[0], numbers[1], numbers[2]) != 3) {
		tp_jsonw_null(w, "loadavg");
		return;
	}
	tp_jsonw_array(w, "loadavg");
	for (int i = 0; i < 3; i++)
		tp_jsonw_number_text(w, NULL, numbers[i]);
	tp_jsonw_array_end(w);
}

static void add_uptime(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *text = tp_fact_line(f, "/proc/uptime");
	double seconds;

	if (text && sscanf(text, "%lf", &seconds) == 1)
		tp_jsonw_int(w, "uptime_ms", (int64_t)(seconds * 1000 + 0.5));
	else
		tp_jsonw_null(w, "uptime_ms");
}

void tp_facts_load(const struct tp_facts *f, struct tp_jsonw *w)
{
	tp_jsonw_object(w, "load");
	add_uptime(f, w);
	add_loadavg(f, w);
	tp_jsonw_object(w, "psi");
	add_pressure(f, w, "cpu");
	add_pressure(f, w, "io");
	add_pressure(f, w, "memory");
	tp_jsonw_object_end(w);
	tp_jsonw_object_end(w);
}
