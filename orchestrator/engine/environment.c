/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts that must be equal at every boot of a sequence; see environment.h. */
#include "engine/environment.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

/* Paths into the facts object, as the agent's reference lists them. */
static const char *const equal_facts[] = {
    "machine",
    "cmdline",
    "tainted",
    "preempt",
    "kaslr_cmdline",
    "fingerprint",
    "vulnerabilities",
    "cpu.vendor",
    "cpu.family",
    "cpu.model",
    "cpu.stepping",
    "cpu.microcode",
    "cpu.flags_hash",
    "cpu.online",
    "cpu.isolated",
    "cpu.smt",
    "cpu.hybrid",
    "frequency.intel_no_turbo",
    "frequency.intel_pstate",
    "frequency.amd_pstate",
    "frequency.boost",
    "frequency.policies",
    "idle.driver",
    "idle.governor",
    "clock.source",
    "memory.installed_kib",
    "memory.swap_total_kib",
    "memory.swappiness",
    "memory.thp",
    "memory.thp_defrag",
    "memory.ksm_run",
    "memory.numa_balancing",
    "memory.numa_nodes",
    "memory.randomize_va_space",
    "services.irqbalance",
    "services.cron",
    "interrupts.default_affinity",
    "interrupts.workqueue_cpumask",
    "dmi.bios_vendor",
    "dmi.bios_version",
    "dmi.bios_date",
};

static json_t *lookup(json_t *facts, const char *path)
{
	_cleanup_(tp_freep) char *copy = strdup(path);
	char *save = NULL;
	json_t *at = facts;

	if (!copy)
		return NULL;
	for (char *key = strtok_r(copy, ".", &save); key && at; key = strtok_r(NULL, ".", &save))
		at = json_object_get(at, key);
	return json_is_null(at) ? NULL : at;
}

static void append_value(struct tp_str *out, json_t *value)
{
	_cleanup_(tp_freep) char *text =
	    json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	tp_str_printf(out, "%.200s", text ? text : "?");
}

/* Words of a command line that name this boot or this kernel's files. */
static const char *const own_words[] = {"triptych.token=", "BOOT_IMAGE=", "initrd="};

static bool is_own_word(const char *word)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(own_words); i++) {
		if (strncmp(word, own_words[i], strlen(own_words[i])) == 0)
			return true;
	}
	return false;
}

/* What @cmdline shares with the other boots of a sequence; a new string, NULL without memory. */
static json_t *common_words(const char *cmdline)
{
	_cleanup_(tp_str_deinit) struct tp_str out = {};
	_cleanup_(tp_freep) char *copy = strdup(cmdline);
	char *save = NULL;

	if (!copy)
		return NULL;
	for (char *word = strtok_r(copy, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		if (!is_own_word(word))
			tp_str_printf(&out, "%s%s", out.len ? " " : "", word);
	}
	return json_string(tp_str_text(&out));
}

/* Make @facts comparable in place: without what changes at every boot, or at every moment. */
static void normalise(json_t *facts)
{
	const char *cmdline = json_string_value(lookup(facts, "cmdline"));
	json_t *policies = lookup(facts, "frequency.policies");
	json_t *policy;
	size_t i;

	if (cmdline)
		json_object_set_new(facts, "cmdline", common_words(cmdline));
	json_array_foreach(policies, i, policy) json_object_del(policy, "current_khz");
}

static void compare(json_t *a, json_t *b, struct tp_str *out)
{
	normalise(a);
	normalise(b);
	for (size_t i = 0; i < TP_ARRAY_SIZE(equal_facts); i++) {
		json_t *left = lookup(a, equal_facts[i]);
		json_t *right = lookup(b, equal_facts[i]);

		if (!left || !right || json_equal(left, right))
			continue;
		tp_str_printf(out, "%s: ", equal_facts[i]);
		append_value(out, left);
		tp_str_append(out, " -> ");
		append_value(out, right);
		tp_str_append(out, "\n");
	}
}

int tp_environment_diff(const char *facts_a, const char *facts_b, char **ret, struct tp_err *reterr)
{
	_cleanup_(tp_str_deinit) struct tp_str out = {};
	json_t *a = facts_a ? json_loads(facts_a, 0, NULL) : NULL;
	json_t *b = facts_b ? json_loads(facts_b, 0, NULL) : NULL;

	if (a && b)
		compare(a, b, &out);
	json_decref(a);
	json_decref(b);
	*ret = tp_str_take(&out);
	return *ret ? 0 : tp_err_oom(reterr);
}
