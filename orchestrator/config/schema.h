/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A typed schema against a document: libcyaml's own tables, read twice.
 *
 * First the tables are held against the positioned document, so that every error has its line,
 * its column and the known keys; numbers are read strictly (no octal, no "1.5" for an integer).
 * Then libcyaml fills the structure.
 */
#pragma once

#include <cyaml/cyaml.h>
#include "config/document.h"

/*
 * Fill a new structure (@ret, freed by the caller part by part with free()) from @doc by
 * @schema, a pointer to a mapping. -EINVAL with the position.
 */
TP_MUST_CHECK int tp_schema_load(struct tp_doc *doc, const cyaml_schema_value_t *schema, void **ret,
				 struct tp_err *reterr);

/* An entry of a list of texts. */
extern const cyaml_schema_value_t tp_schema_text_entry;

/* The type of a member of a structure, for sections that have no name of their own. */
#define TP_SCHEMA_MEMBER(structure, member) __typeof__(((structure *)0)->member)
