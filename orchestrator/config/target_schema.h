/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a target's description, where each goes, and the numbers' defaults and limits. */
#pragma once

#include "config/schema.h"
#include "config/target.h"

/* A pointer to a mapping: struct tp_target_config. */
extern const cyaml_schema_value_t tp_target_schema;

struct tp_target_number {
	const char *path;
	size_t offset;
	size_t size; /* of an int or an int64_t */
	int64_t fallback, min, max;
};
extern const struct tp_target_number tp_target_numbers[];
extern const size_t tp_target_n_numbers;

/* Texts that are paths on this machine: relative ones start at the description's folder. */
struct tp_target_path {
	const char *path;
	size_t offset;
	bool or_name; /* a word without '/' is a name, not a path */
};
extern const struct tp_target_path tp_target_paths[];
extern const size_t tp_target_n_paths;
