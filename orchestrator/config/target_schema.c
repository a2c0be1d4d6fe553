/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of a target's description; see target_schema.h. */
#include "config/target_schema.h"

#define MAX_LIST 64
#define MAX_TEXT 4096

#define SECTION(member) TP_SCHEMA_MEMBER(struct tp_target_config, member)
#define TEXT(section, key)                                                                         \
	CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_OPTIONAL, SECTION(section), key, 1, MAX_TEXT)
#define NUMBER(section, key) CYAML_FIELD_INT(#key, CYAML_FLAG_OPTIONAL, SECTION(section), key)
#define LIST(section, key)                                                                         \
	CYAML_FIELD_SEQUENCE_COUNT(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,                 \
				   SECTION(section), key, key##_count, &tp_schema_text_entry, 1,   \
				   MAX_LIST)
#define MAPPING(key, extra)                                                                        \
	CYAML_FIELD_MAPPING(#key, extra, struct tp_target_config, key, key##_fields)

static const cyaml_schema_field_t transport_fields[] = {
    CYAML_FIELD_STRING_PTR("kind", CYAML_FLAG_POINTER, SECTION(transport), kind, 1, MAX_TEXT),
    TEXT(transport, host),
    NUMBER(transport, port),
    TEXT(transport, user),
    TEXT(transport, key),
    TEXT(transport, host_key),
    TEXT(transport, dir),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t boot_fields[] = {
    TEXT(boot, kind),
    TEXT(boot, dir),
    TEXT(boot, grub_dir),
    CYAML_FIELD_STRING_PTR("grub_prefix", CYAML_FLAG_OPTIONAL, SECTION(boot), grub_prefix, 0,
			   MAX_TEXT),
    TEXT(boot, initrd),
    TEXT(boot, cmdline),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t power_fields[] = {
    TEXT(power, kind), TEXT(power, socket), LIST(power, start), LIST(power, reset), CYAML_FIELD_END,
};

static const cyaml_schema_field_t console_fields[] = {
    TEXT(console, kind),
    TEXT(console, path),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t kernel_fields[] = {
    TEXT(kernel, seed),	  LIST(kernel, fragments), LIST(kernel, allow_config_differences),
    NUMBER(kernel, jobs), CYAML_FIELD_END,
};

static const cyaml_schema_field_t deadlines_fields[] = {
    NUMBER(deadlines, connect_ms), NUMBER(deadlines, exec_ms),	NUMBER(deadlines, upload_ms),
    NUMBER(deadlines, down_ms),	   NUMBER(deadlines, up_ms),	NUMBER(deadlines, settle_ms),
    NUMBER(deadlines, run_ms),	   NUMBER(deadlines, power_ms), CYAML_FIELD_END,
};

/* Sections of YAML whose members stand directly in the structure. */
static const cyaml_schema_field_t contract_fields[] = {
    CYAML_FIELD_INT("settle_ms", CYAML_FLAG_OPTIONAL, struct tp_target_config, settle_ms),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t attempts_fields[] = {
    CYAML_FIELD_INT("boot", CYAML_FLAG_OPTIONAL, struct tp_target_config, max_boot_attempts),
    CYAML_FIELD_INT("infra", CYAML_FLAG_OPTIONAL, struct tp_target_config, max_infra_attempts),
    CYAML_FIELD_END,
};

#define WHOLE(name, fields_of)                                                                     \
	{                                                                                          \
		.key = name, .data_offset = 0,                                                     \
		.value = {                                                                         \
		    CYAML_VALUE_MAPPING(CYAML_FLAG_OPTIONAL, struct tp_target_config, fields_of),  \
		},                                                                                 \
	}

static const cyaml_strval_t evidence_words[] = {
    {"bare_metal", TP_EVIDENCE_BARE_METAL},
    {"virtual", TP_EVIDENCE_VIRTUAL},
    {"fake", TP_EVIDENCE_FAKE},
};
static_assert(TP_ARRAY_SIZE(evidence_words) == _TP_EVIDENCE_MAX, "one word for each class");

static const cyaml_schema_field_t target_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct tp_target_config, name, 1, MAX_TEXT),
    CYAML_FIELD_ENUM("evidence", CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct tp_target_config,
		     evidence, evidence_words, TP_ARRAY_SIZE(evidence_words)),
    MAPPING(transport, CYAML_FLAG_DEFAULT),
    MAPPING(boot, CYAML_FLAG_OPTIONAL),
    MAPPING(power, CYAML_FLAG_OPTIONAL),
    MAPPING(console, CYAML_FLAG_OPTIONAL),
    MAPPING(kernel, CYAML_FLAG_OPTIONAL),
    WHOLE("contract", contract_fields),
    WHOLE("attempts", attempts_fields),
    CYAML_FIELD_STRING_PTR("work_dir", CYAML_FLAG_OPTIONAL, struct tp_target_config, work_dir, 1,
			   MAX_TEXT),
    MAPPING(deadlines, CYAML_FLAG_OPTIONAL),
    CYAML_FIELD_END,
};

const cyaml_schema_value_t tp_target_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct tp_target_config, target_fields),
};

#define WEEK_MS (7LL * 24 * 3600 * 1000)
#define AT(member)                                                                                 \
	.offset = offsetof(struct tp_target_config, member),                                       \
	.size = sizeof(((struct tp_target_config *)0)->member)
#define DEADLINE(key, ms)                                                                          \
	{                                                                                          \
		.path = "deadlines." #key, AT(deadlines.key), .fallback = (ms), .min = 1,          \
		.max = WEEK_MS                                                                     \
	}

const struct tp_target_number tp_target_numbers[] = {
    {.path = "transport.port", AT(transport.port), .fallback = 22, .min = 1, .max = 65535},
    {.path = "kernel.jobs", AT(kernel.jobs), .fallback = 0, .min = 0, .max = 1024},
    {.path = "contract.settle_ms", AT(settle_ms), .fallback = 5000, .min = 0, .max = 3600000},
    {.path = "attempts.boot", AT(max_boot_attempts), .fallback = 2, .min = 1, .max = 10},
    {.path = "attempts.infra", AT(max_infra_attempts), .fallback = 5, .min = 1, .max = 100},
    DEADLINE(connect_ms, 30000),
    DEADLINE(exec_ms, 60000),
    DEADLINE(upload_ms, 600000),
    DEADLINE(down_ms, 60000),
    DEADLINE(up_ms, 300000),
    DEADLINE(settle_ms, 120000),
    DEADLINE(run_ms, 3600000),
    DEADLINE(power_ms, 60000),
};
const size_t tp_target_n_numbers = TP_ARRAY_SIZE(tp_target_numbers);

const struct tp_target_path tp_target_paths[] = {
    {.path = "transport.key", .offset = offsetof(struct tp_target_config, transport.key)},
    {.path = "transport.dir", .offset = offsetof(struct tp_target_config, transport.dir)},
    {.path = "power.socket", .offset = offsetof(struct tp_target_config, power.socket)},
    {.path = "console.path", .offset = offsetof(struct tp_target_config, console.path)},
    {.path = "kernel.seed",
     .offset = offsetof(struct tp_target_config, kernel.seed),
     .or_name = true},
};
const size_t tp_target_n_paths = TP_ARRAY_SIZE(tp_target_paths);
