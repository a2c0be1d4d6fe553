/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts: what else runs. Asks systemctl where systemd is, reads /proc everywhere. */
#include "facts/source.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "util/child.h"
#include "util/fd.h"

#define SYSTEMCTL_MS 3000

/* Programs that wake up by themselves and disturb a measurement. */
static const char *const disturbers[] = {
    "irqbalance",      "cron",	      "crond",	  "anacron", "atd",   "fstrim", "apt-get",
    "unattended-upgr", "packagekitd", "updatedb", "dnf",     "tuned",
};

static bool is_disturber(const char *comm)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(disturbers); i++) {
		if (strcmp(comm, disturbers[i]) == 0)
			return true;
	}
	return false;
}

struct running {
	bool irqbalance, cron;
};

static void add_disturbers(const struct tp_facts *f, struct tp_jsonw *w, struct running *ret)
{
	size_t count;
	char **pids = tp_fact_names(f, "/proc", "", &count);

	tp_jsonw_array(w, "disturbers");
	for (size_t i = 0; i < count; i++) {
		_cleanup_(tp_freep) char *comm = NULL;

		if (pids[i][0] < '0' || pids[i][0] > '9')
			continue;
		comm = tp_fact_line(f, "/proc/%s/comm", pids[i]);
		if (!comm || !is_disturber(comm))
			continue;
		tp_jsonw_text(w, NULL, comm);
		ret->irqbalance |= strcmp(comm, "irqbalance") == 0;
		ret->cron |= strcmp(comm, "cron") == 0 || strcmp(comm, "crond") == 0;
	}
	tp_jsonw_array_end(w);
	tp_fact_names_free(pids, count);
}

/* Standard output of systemctl, whatever its exit code; NULL when it cannot be asked. */
static char *ask_systemctl(const char *const *argv)
{
	struct tp_child child = {
	    .argv = argv, .log_fd = -1, .deadline = tp_deadline_in(SYSTEMCTL_MS)};
	struct tp_child_result result;
	char *output = NULL;

	if (tp_child_run(&child, &result, NULL) < 0)
		return NULL;
	if (!result.timed_out && result.exit_code != 127)
		output = TP_TAKE(result.output);
	tp_child_result_deinit(&result);
	return output;
}

static bool has_systemd(const struct tp_facts *f)
{
	return f->root[0] == '\0' && access("/run/systemd/system", F_OK) == 0;
}

/* The first words of the lines of a listing; null when there is no systemd to ask. */
static void add_listing(const struct tp_facts *f, struct tp_jsonw *w, const char *key,
			const char *const *argv)
{
	_cleanup_(tp_freep) char *text = has_systemd(f) ? ask_systemctl(argv) : NULL;
	char *rest = text;
	char *line;

	if (!text) {
		tp_jsonw_null(w, key);
		return;
	}
	tp_jsonw_array(w, key);
	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " ");
		line[strcspn(line, " ")] = '\0';
		if (*line)
			tp_jsonw_text(w, NULL, line);
	}
	tp_jsonw_array_end(w);
}

static void add_system_state(const struct tp_facts *f, struct tp_jsonw *w)
{
	static const char *const argv[] = {"systemctl", "is-system-running", NULL};
	_cleanup_(tp_freep) char *text = has_systemd(f) ? ask_systemctl(argv) : NULL;

	tp_jsonw_text(w, "system_state", text && text[0] ? tp_str_chomp(text) : NULL);
}

void tp_facts_services(const struct tp_facts *f, struct tp_jsonw *w)
{
	static const char *const failed[] = {"systemctl", "list-units",	 "--state=failed",
					     "--plain",	  "--no-legend", NULL};
	static const char *const jobs[] = {"systemctl", "list-jobs", "--plain", "--no-legend",
					   NULL};
	static const char *const timers[] = {
	    "systemctl",   "list-units", "--type=timer", "--state=active", "--plain",
	    "--no-legend", NULL};
	struct running running = {};

	tp_jsonw_object(w, "services");
	add_disturbers(f, w, &running);
	tp_jsonw_bool(w, "irqbalance", running.irqbalance);
	tp_jsonw_bool(w, "cron", running.cron);
	add_system_state(f, w);
	add_listing(f, w, "failed_units", failed);
	add_listing(f, w, "queued_jobs", jobs);
	add_listing(f, w, "timers", timers);
	tp_jsonw_object_end(w);
}
