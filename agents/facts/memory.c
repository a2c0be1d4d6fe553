/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts: memory and its settings, thermal counts, kernel log. */
#include "facts/source.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#define SYSLOG_READ_ALL	   3
#define SYSLOG_SIZE_BUFFER 10
#define LEVEL_WARNING	   4

static void add_meminfo(struct tp_jsonw *w, const char *key, const char *meminfo, const char *name)
{
	_cleanup_(tp_freep) char *value = tp_fact_keyed(meminfo, name);

	if (value)
		value[strcspn(value, " ")] = '\0';
	tp_jsonw_number_text(w, key, value);
}

static void add_choice(const struct tp_facts *f, struct tp_jsonw *w, const char *key,
		       const char *path)
{
	_cleanup_(tp_freep) char *line = tp_fact_line(f, "%s", path);
	_cleanup_(tp_freep) char *choice = tp_fact_bracketed(line);

	tp_jsonw_text(w, key, choice);
}

/*
 * RAM as the firmware handed it over. MemTotal will not do for comparing machines: it lacks what
 * the kernel image takes, so that it differs between two kernels on one machine.
 */
static void add_installed(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *iomem = tp_fact_text(f, "/proc/iomem");
	unsigned long long sum = 0;

	for (char *line = iomem; line && *line; line = strchr(line, '\n')) {
		unsigned long long first, last;
		int kind = 0;

		line += *line == '\n';
		if (sscanf(line, "%llx-%llx : %n", &first, &last, &kind) == 2 && last > first &&
		    *line != ' ' && kind > 0 && strncmp(line + kind, "System RAM\n", 11) == 0)
			sum += last - first + 1;
	}
	if (sum > 0)
		tp_jsonw_int(w, "installed_kib", (int64_t)(sum / 1024));
	else
		tp_jsonw_null(w, "installed_kib");
}

void tp_facts_memory(const struct tp_facts *f, struct tp_jsonw *w)
{
	_cleanup_(tp_freep) char *meminfo = tp_fact_text(f, "/proc/meminfo");

	tp_jsonw_object(w, "memory");
	add_installed(f, w);
	add_meminfo(w, "total_kib", meminfo, "MemTotal");
	add_meminfo(w, "available_kib", meminfo, "MemAvailable");
	add_meminfo(w, "swap_total_kib", meminfo, "SwapTotal");
	add_meminfo(w, "swap_free_kib", meminfo, "SwapFree");
	tp_fact_put_number(f, w, "swappiness", "/proc/sys/vm/swappiness");
	add_choice(f, w, "thp", "/sys/kernel/mm/transparent_hugepage/enabled");
	add_choice(f, w, "thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag");
	tp_fact_put_number(f, w, "ksm_run", "/sys/kernel/mm/ksm/run");
	tp_fact_put_number(f, w, "numa_balancing", "/proc/sys/kernel/numa_balancing");
	tp_fact_put_line(f, w, "numa_nodes", "/sys/devices/system/node/online");
	tp_fact_put_number(f, w, "randomize_va_space", "/proc/sys/kernel/randomize_va_space");
	tp_jsonw_object_end(w);
}

/* The sum of one throttle counter over all CPUs; null where no CPU has it. */
static void add_throttles(const struct tp_facts *f, struct tp_jsonw *w, const char *key,
			  const char *file)
{
	size_t count;
	char **names = tp_fact_names(f, "/sys/devices/system/cpu", "cpu", &count);
	int64_t sum = -1;

	for (size_t i = 0; i < count; i++) {
		_cleanup_(tp_freep) char *line = tp_fact_line(
		    f, "/sys/devices/system/cpu/%s/thermal_throttle/%s", names[i], file);

		if (line)
			sum = (sum < 0 ? 0 : sum) + strtoll(line, NULL, 10);
	}
	if (sum < 0)
		tp_jsonw_null(w, key);
	else
		tp_jsonw_int(w, key, sum);
	tp_fact_names_free(names, count);
}

void tp_facts_thermal(const struct tp_facts *f, struct tp_jsonw *w)
{
	size_t count;
	char **names = tp_fact_names(f, "/sys/class/thermal", "thermal_zone", &count);

	tp_jsonw_object(w, "thermal");
	add_throttles(f, w, "core_throttles", "core_throttle_count");
	add_throttles(f, w, "package_throttles", "package_throttle_count");
	tp_jsonw_array(w, "zones");
	for (size_t i = 0; i < count; i++) {
		tp_jsonw_object(w, NULL);
		tp_fact_put_line(f, w, "type", "/sys/class/thermal/%s/type", names[i]);
		tp_fact_put_number(f, w, "millicelsius", "/sys/class/thermal/%s/temp", names[i]);
		tp_jsonw_object_end(w);
	}
	tp_jsonw_array_end(w);
	tp_jsonw_object_end(w);
	tp_fact_names_free(names, count);
}

/* Each line begins with <N>: the facility times eight plus the level. */
static void count_log(char *log, int64_t *ret_lines, int64_t *ret_warnings)
{
	*ret_lines = 0;
	*ret_warnings = 0;
	for (char *line = log; line && *line; line = strchr(line, '\n')) {
		long level;

		line += *line == '\n';
		if (sscanf(line, "<%ld>", &level) != 1)
			continue;
		(*ret_lines)++;
		*ret_warnings += (level & 7) <= LEVEL_WARNING;
	}
}

void tp_facts_dmesg(const struct tp_facts *f, struct tp_jsonw *w)
{
	int size = f->root[0] ? -1 : klogctl(SYSLOG_SIZE_BUFFER, NULL, 0);
	_cleanup_(tp_freep) char *log = size > 0 ? malloc((size_t)size + 1) : NULL;
	int n = log ? klogctl(SYSLOG_READ_ALL, log, size) : -1;
	int64_t lines, warnings;

	tp_jsonw_object(w, "dmesg");
	if (n >= 0) {
		log[n] = '\0';
		count_log(log, &lines, &warnings);
		tp_jsonw_int(w, "lines", lines);
		tp_jsonw_int(w, "warnings", warnings);
	} else {
		tp_jsonw_null(w, "lines");
		tp_jsonw_null(w, "warnings");
	}
	tp_jsonw_object_end(w);
}
