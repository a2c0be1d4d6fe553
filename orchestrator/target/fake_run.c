/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a simulated run: the agent's format, values that depend on nothing but the kernel's
 * speed and the round's number. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/fake.h"
#include "util/failpoint.h"
#include "util/fd.h"
#include "util/str.h"

struct metric {
	const char *suffix; /* behind the label when there is one */
	bool labelled, control, follows_speed;
	int64_t ns, ops;
};

struct workload {
	const char *name;
	struct metric metrics[4];
};

static const struct workload workloads[] = {
    {"inotify-watch",
     {{"_distinct_ns_per_watch", true, false, true, 25000, 96},
      {"_shared_ns_per_watch", true, false, false, 21000, 96},
      {"mask_update_ns_per_call", false, true, false, 410, 1000},
      {"path_lookup_ns_per_call", false, true, false, 630, 1000}}},
    {"fanotify-merge",
     {{"merge_unlimited_ns_per_event", false, false, true, 5200, 2000},
      {"merge_limited_ns_per_event", false, false, false, 3100, 2000},
      {"path_lookup_ns_per_call", false, true, false, 630, 1000}}},
};

static const struct workload *find_workload(const char *name)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(workloads); i++) {
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	}
	return NULL;
}

bool tp_fake_knows_workload(const char *name)
{
	return find_workload(name) != NULL;
}

/* The value of --@name among the parameters; @fallback when it is not there. */
static const char *get_param(const struct tp_run_request *q, const char *name, const char *fallback)
{
	for (int i = 0; i + 1 < q->n_params; i++) {
		if (tp_str_starts(q->params[i], "--") && strcmp(q->params[i] + 2, name) == 0)
			return q->params[i + 1];
	}
	return fallback;
}

/* The agent's keys with values that are the same at every boot but for the microcode. */
char *tp_fake_facts(const struct tp_fake_state *s)
{
	json_t *json = json_pack(
	    "{ss, ss, ss, ss, ss, si, sb, s{ss}, s{ss, ss, si, si, si, sI, ss, s{ss}}, s{ss}, "
	    "s{si, si, si, si}, s{}, s{ss}, ss, s{si}}",
	    "boot_id", s->boot_id, "release", s->release, "build_id", s->build_id, "machine",
	    "x86_64", "hostname", "simulated", "tainted", 0, "kaslr_cmdline", 1, "preempt",
	    "cmdline", "voluntary", "cpu", "vendor", "Simulated", "model_name", "Toy", "family", 6,
	    "model", 1, "stepping", 1, "microcode", (json_int_t)s->microcode, "online", "0-3",
	    "smt", "control", "notsupported", "clock", "source", "tsc", "memory", "installed_kib",
	    262144, "swap_total_kib", 0, "ksm_run", 0, "randomize_va_space", 2, "vulnerabilities",
	    "dmi", "bios_version", "1", "fingerprint", "simulated toy", "dmesg", "warnings", 0);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

/* A per mille or two around the base, the same at each boot; the first warm-up is slow. */
static int64_t round_ns(const struct metric *m, int64_t speed, bool warmup, int round)
{
	int64_t ns = m->ns * m->ops * 10000;
	int64_t wave = (round * 7 + (int64_t)strlen(m->suffix)) % 11 - 5;

	ns += m->ns * m->ops * wave * 4;
	if (warmup)
		ns += m->ns * m->ops * 1000 / round;
	return ns / 10000 * (m->follows_speed ? speed : 100) / 100;
}

static void write_round(FILE *f, const struct tp_fake_run *run, const struct workload *w,
			bool warmup, int round)
{
	bool controls = strcmp(get_param(run->request, "controls", "yes"), "no") != 0;
	const char *workers = get_param(run->request, "workers", "1");
	const char *label = get_param(run->request, "label", NULL);

	for (size_t i = 0; i < TP_ARRAY_SIZE(w->metrics) && w->metrics[i].suffix; i++) {
		const struct metric *m = &w->metrics[i];
		/* The pair of arms swaps its places from round to round. */
		size_t order = i < 2 && round % 2 == 0 ? 2 - i : i + 1;

		if (m->control && !controls)
			continue;
		fprintf(f, "{\"record\":\"round\",\"phase\":\"%s\",\"round\":%d,\"metric\":\"",
			warmup ? "warmup" : "measured", round);
		if (m->labelled)
			fprintf(f, "%s%s", label ? label : "p", label ? "" : workers);
		fprintf(f,
			"%s\",\"elapsed_ns\":%lld,\"ops\":%lld,\"order\":%zu,\"semantic_ok\":%s,"
			"\"affinity_ok\":true,\"fields\":{\"overflows\":0}}\n",
			m->suffix, (long long)round_ns(m, run->state->speed, warmup, round),
			(long long)m->ops, order, run->spoilt ? "false" : "true");
	}
}

static int write_head(FILE *f, const struct tp_fake_run *run, const char *facts)
{
	const struct tp_fake_state *s = run->state;
	json_t *start = json_pack(
	    "{si, ss, ss, ss, ss, ss, ss, ss, s{si, si}}", "triptych_agent", 1, "record", "start",
	    "agent_version", "simulated", "run_id", run->request->run_id, "workload",
	    run->request->workload, "boot_id", s->boot_id, "release", s->release, "build_id",
	    s->build_id, "params", "warmup", run->request->warmup, "rounds", run->request->rounds);
	_cleanup_(tp_freep) char *text = start ? json_dumps(start, JSON_COMPACT) : NULL;

	json_decref(start);
	if (!text)
		return -ENOMEM;
	fprintf(f, "%s\n{\"record\":\"env\",\"when\":\"before\",\"facts\":%s}\n", text, facts);
	return 0;
}

static int write_all(FILE *f, const struct tp_fake_run *run, const char *facts)
{
	const struct workload *w = find_workload(run->request->workload);
	int r = write_head(f, run, facts);

	for (int i = 1; r == 0 && w && i <= run->request->warmup; i++)
		write_round(f, run, w, true, i);
	if (r == 0 && run->fail_reason)
		fprintf(f, "{\"record\":\"end\",\"status\":\"failed\",\"reason\":\"%s\"}\n",
			run->fail_reason);
	if (r || run->fail_reason)
		return r;
	for (int i = 1; w && i <= run->request->rounds; i++)
		write_round(f, run, w, false, i);
	fprintf(f,
		"{\"record\":\"env\",\"when\":\"after\",\"facts\":%s}\n"
		"{\"record\":\"end\",\"status\":\"ok\"}\n",
		facts);
	return 0;
}

int tp_fake_write_records(const struct tp_fake_run *run, const char *path, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *temp = tp_strf("%s.tmp", path);
	_cleanup_(tp_freep) char *facts = tp_fake_facts(run->state);
	_cleanup_(tp_file_closep) FILE *f = temp ? fopen(temp, "we") : NULL;
	int r;

	if (!facts || !temp)
		return tp_err_oom(reterr);
	r = f ? write_all(f, run, facts) : -errno;
	if (r == 0 && (fflush(f) != 0 || ferror(f) || fsync(fileno(f)) < 0))
		r = errno ? -errno : -EIO;
	tp_failpoint("fake-records-written");
	if (r == 0 && rename(temp, path) < 0)
		r = -errno;
	if (r < 0 && f)
		unlink(temp);
	return r < 0 ? tp_err_set(reterr, r, NULL, "cannot write the records %s: %s", path,
				  strerror(-r))
		     : 0;
}
