/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts: firmware, and a fingerprint of the hardware that no kernel changes.
 *
 * The fingerprint is a text to compare: DMI names and CPUID as the processor answers it. What
 * differs from boot to boot or from CPU to CPU (bogomips, the APIC id, the bits that say what
 * the kernel switched on) is left out.
 */
#include "facts/source.h"

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define DMI_DIR "/sys/class/dmi/id"

static const char *const dmi_names[] = {
    "sys_vendor",    "product_name", "product_version", "board_vendor", "board_name",
    "board_version", "bios_vendor",  "bios_version",	"bios_date",	"bios_release",
};

#if defined(__x86_64__) || defined(__i386__)
#define LEAF1_OSXSAVE (1u << 27) /* ecx: CR4.OSXSAVE as the kernel set it */
#define LEAF7_OSPKE   (1u << 4)	 /* ecx: CR4.PKE as the kernel set it */

static void append_cpuid(struct tp_str *text)
{
	uint32_t a, b, c, d;

	if (__get_cpuid(0, &a, &b, &c, &d))
		tp_str_printf(text, "|leaf0=%08x.%08x.%08x", b, d, c);
	if (__get_cpuid(1, &a, &b, &c, &d))
		tp_str_printf(text, "|leaf1=%08x.%08x.%08x", a, c & ~LEAF1_OSXSAVE, d);
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		tp_str_printf(text, "|leaf7=%08x.%08x.%08x", b, c & ~LEAF7_OSPKE, d);
	if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		tp_str_printf(text, "|ext1=%08x.%08x", c, d);
	for (uint32_t leaf = 0x80000002; leaf <= 0x80000004; leaf++) {
		if (__get_cpuid(leaf, &a, &b, &c, &d))
			tp_str_printf(text, "|brand%u=%08x%08x%08x%08x", leaf & 7, a, b, c, d);
	}
}
#else
static void append_cpuid(struct tp_str *text)
{
	(void)text;
}
#endif

/* Where there is no CPUID, the identification registers stand in /proc/cpuinfo. */
static void append_cpuinfo(const struct tp_facts *f, struct tp_str *text)
{
	static const char *const keys[] = {"CPU implementer", "CPU variant", "CPU part",
					   "CPU revision"};
	_cleanup_(tp_freep) char *cpuinfo = tp_fact_text(f, "/proc/cpuinfo");

	for (size_t i = 0; i < TP_ARRAY_SIZE(keys); i++) {
		_cleanup_(tp_freep) char *value = tp_fact_keyed(cpuinfo, keys[i]);

		if (value)
			tp_str_printf(text, "|%s=%s", keys[i], value);
	}
}

static void add_fingerprint(const struct tp_facts *f, struct tp_jsonw *w)
{
	static const char *const stable[] = {"sys_vendor", "product_name", "board_vendor",
					     "board_name", "board_version"};
	_cleanup_(tp_str_deinit) struct tp_str text = {};

	tp_str_append(&text, "v1");
	for (size_t i = 0; i < TP_ARRAY_SIZE(stable); i++) {
		_cleanup_(tp_freep) char *value = tp_fact_line(f, DMI_DIR "/%s", stable[i]);

		tp_str_printf(&text, "|%s=%s", stable[i], value ? value : "");
	}
	if (f->root[0] == '\0')
		append_cpuid(&text);
	append_cpuinfo(f, &text);
	tp_jsonw_text(w, "fingerprint", text.broken ? NULL : tp_str_text(&text));
}

void tp_facts_firmware(const struct tp_facts *f, struct tp_jsonw *w)
{
	tp_jsonw_object(w, "dmi");
	for (size_t i = 0; i < TP_ARRAY_SIZE(dmi_names); i++)
		tp_fact_put_line(f, w, dmi_names[i], DMI_DIR "/%s", dmi_names[i]);
	tp_jsonw_object_end(w);
	add_fingerprint(f, w);
}
