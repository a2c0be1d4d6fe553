/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts: processors, their frequency, idle states, clock and mitigations. */
#include "facts/source.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"

#define CPU_DIR "/sys/devices/system/cpu"

/* A hash of the flags; one that the kernel adds or hides changes it, as it should. */
static void add_flags_hash(struct tp_jsonw *w, const char *cpuinfo)
{
	_cleanup_(tp_freep) char *x86 = tp_fact_keyed(cpuinfo, "flags");
	_cleanup_(tp_freep) char *arm = x86 ? NULL : tp_fact_keyed(cpuinfo, "Features");
	const char *flags = x86 ? x86 : arm;
	char hash[17];

	if (flags)
		tp_fact_hash(flags, hash);
	tp_jsonw_text(w, "flags_hash", flags ? hash : NULL);
}

static void add_keyed(struct tp_jsonw *w, const char *key, const char *cpuinfo, const char *name)
{
	_cleanup_(tp_freep) char *value = tp_fact_keyed(cpuinfo, name);

	tp_jsonw_text(w, key, value);
}

/* Hybrid parts show one PMU per kind of core. */
static void add_hybrid(const struct tp_facts *f, struct tp_jsonw *w)
{
	tp_jsonw_object(w, "hybrid");
	tp_fact_put_line(f, w, "core_cpus", "/sys/devices/cpu_core/cpus");
	tp_fact_put_line(f, w, "atom_cpus", "/sys/devices/cpu_atom/cpus");
	tp_jsonw_object_end(w);
}

void tp_facts_cpu(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *cpuinfo = tp_fact_text(f, "/proc/cpuinfo");

	tp_jsonw_object(w, "cpu");
	add_keyed(w, "vendor", cpuinfo, "vendor_id");
	add_keyed(w, "model_name", cpuinfo, "model name");
	add_keyed(w, "family", cpuinfo, "cpu family");
	add_keyed(w, "model", cpuinfo, "model");
	add_keyed(w, "stepping", cpuinfo, "stepping");
	add_keyed(w, "microcode", cpuinfo, "microcode");
	add_flags_hash(w, cpuinfo);
	tp_fact_put_line(f, w, "online", CPU_DIR "/online");
	tp_fact_put_line(f, w, "present", CPU_DIR "/present");
	tp_fact_put_line(f, w, "isolated", CPU_DIR "/isolated");
	tp_jsonw_object(w, "smt");
	tp_fact_put_line(f, w, "control", CPU_DIR "/smt/control");
	tp_fact_put_number(f, w, "active", CPU_DIR "/smt/active");
	tp_jsonw_object_end(w);
	add_hybrid(f, w);
	tp_jsonw_object_end(w);
}

static void add_policy(const struct tp_facts *f, struct tp_jsonw *w, const char *name)
{
	static const struct {
		const char *key, *file;
		bool number;
	} files[] = {
	    {"cpus", "affected_cpus", false},
	    {"driver", "scaling_driver", false},
	    {"governor", "scaling_governor", false},
	    {"epp", "energy_performance_preference", false},
	    {"min_khz", "scaling_min_freq", true},
	    {"max_khz", "scaling_max_freq", true},
	    {"hardware_min_khz", "cpuinfo_min_freq", true},
	    {"hardware_max_khz", "cpuinfo_max_freq", true},
	    {"current_khz", "scaling_cur_freq", true},
	    {"boost", "boost", true},
	};

	tp_jsonw_object(w, NULL);
	tp_jsonw_text(w, "policy", name);
	for (size_t i = 0; i < TP_ARRAY_SIZE(files); i++) {
		if (files[i].number)
			tp_fact_put_number(f, w, files[i].key, CPU_DIR "/cpufreq/%s/%s", name,
					   files[i].file);
		else
			tp_fact_put_line(f, w, files[i].key, CPU_DIR "/cpufreq/%s/%s", name,
					 files[i].file);
	}
	tp_jsonw_object_end(w);
}

void tp_facts_frequency(const struct tp_facts *f, struct tp_jsonw *w)
{
	size_t count;
	char **names = tp_fact_names(f, CPU_DIR "/cpufreq", "policy", &count);

	tp_jsonw_object(w, "frequency");
	tp_fact_put_number(f, w, "intel_no_turbo", CPU_DIR "/intel_pstate/no_turbo");
	tp_fact_put_line(f, w, "intel_pstate", CPU_DIR "/intel_pstate/status");
	tp_fact_put_line(f, w, "amd_pstate", CPU_DIR "/amd_pstate/status");
	tp_fact_put_number(f, w, "boost", CPU_DIR "/cpufreq/boost");
	tp_jsonw_array(w, "policies");
	for (size_t i = 0; i < count; i++)
		add_policy(f, w, names[i]);
	tp_jsonw_array_end(w);
	tp_jsonw_object_end(w);
	tp_fact_names_free(names, count);
}

/* The limit that is in force now, whoever asked for it; 2000000000 means nobody did. */
static void add_dma_latency(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/dev/cpu_dma_latency", f->root);
	_cleanup_(tp_fd_closep) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int32_t us;

	if (fd >= 0 && read(fd, &us, sizeof(us)) == sizeof(us))
		tp_jsonw_int(w, "dma_latency_us", us);
	else
		tp_jsonw_null(w, "dma_latency_us");
}

void tp_facts_idle(const struct tp_facts *f, struct tp_jsonw *w)
{
	tp_jsonw_object(w, "idle");
	tp_fact_put_line(f, w, "driver", CPU_DIR "/cpuidle/current_driver");
	tp_fact_put_line(f, w, "governor", CPU_DIR "/cpuidle/current_governor");
	add_dma_latency(f, w);
	tp_jsonw_object_end(w);
}

void tp_facts_clock(const struct tp_facts *f, struct tp_jsonw *w)
{
	static const char dir[] = "/sys/devices/system/clocksource/clocksource0";

	tp_jsonw_object(w, "clock");
	tp_fact_put_line(f, w, "source", "%s/current_clocksource", dir);
	tp_fact_put_line(f, w, "available", "%s/available_clocksource", dir);
	tp_jsonw_object_end(w);
}

void tp_facts_vulnerabilities(const struct tp_facts *f, struct tp_jsonw *w)
{
	static const char dir[] = CPU_DIR "/vulnerabilities";
	size_t count;
	char **names = tp_fact_names(f, dir, "", &count);

	tp_jsonw_object(w, "vulnerabilities");
	for (size_t i = 0; i < count; i++)
		tp_fact_put_line(f, w, names[i], "%s/%s", dir, names[i]);
	tp_jsonw_object_end(w);
	tp_fact_names_free(names, count);
}
