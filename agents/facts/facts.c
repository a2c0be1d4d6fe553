/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All groups of facts in their order; see facts.h. */
#include "facts/facts.h"

#include "facts/buildid.h"
#include "facts/source.h"

static const tp_facts_group groups[] = {
    tp_facts_kernel,	tp_facts_load,	   tp_facts_cpu,
    tp_facts_frequency, tp_facts_idle,	   tp_facts_clock,
    tp_facts_memory,	tp_facts_services, tp_facts_vulnerabilities,
    tp_facts_firmware,	tp_facts_thermal,  tp_facts_interrupts,
    tp_facts_dmesg,
};

void tp_facts_all(struct tp_jsonw *w, const char *key, const char *root)
{
	struct tp_facts f = {.root = root ? root : ""};

	tp_jsonw_object(w, key);
	for (size_t i = 0; i < TP_ARRAY_SIZE(groups); i++)
		groups[i](&f, w);
	tp_jsonw_object_end(w);
}

void tp_facts_identity(struct tp_jsonw *w)
{
	struct tp_facts f = {.root = ""};
	_cleanup_(tp_freep) char *build_id = tp_buildid_read(f.root);

	tp_fact_put_line(&f, w, "boot_id", "/proc/sys/kernel/random/boot_id");
	tp_fact_put_line(&f, w, "release", "/proc/sys/kernel/osrelease");
	tp_jsonw_text(w, "build_id", build_id);
}
