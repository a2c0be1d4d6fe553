/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the machine and the kernel that runs on it: read, never judged, never changed.
 *
 * A fact that cannot be read is null, never absent. Which facts have to be equal at parent A,
 * child and parent B is written in docs/agent-protocol.md.
 */
#pragma once

#include "base/jsonw.h"

/*
 * Add the object @key with every group of facts. Files are read from under @root, NULL for
 * "/"; with a root no program is run and no CPUID instruction is asked. May block for some
 * seconds where systemctl is slow.
 */
void tp_facts_all(struct tp_jsonw *w, const char *key, const char *root);

/* Add boot_id, release and build_id to the object that is open. */
void tp_facts_identity(struct tp_jsonw *w);
