/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * custom.cfg as text: our one marked section in a file that belongs to somebody else.
 *
 * Pure: no target is touched here. What goes into the file is checked first: GRUB's script
 * language would take quotes, `$` and the like as its own.
 */
#pragma once

#include <stdbool.h>
#include "config/target.h"
#include "target/boot.h"
#include "util/err.h"

/* "triptych-TOKEN". TP_MACHINE_E_REFUSED when the token is not 1..40 letters and digits. */
TP_MUST_CHECK int tp_grub_entry_id(const char *token, char ret[static TP_BOOT_ID_MAX],
				   struct tp_err *reterr);

/* The target's path of the kernel with this hash: DIR/triptych/HASH16/vmlinuz. malloc()ed. */
TP_MUST_CHECK int tp_grub_kernel_path(const struct tp_target_config *config,
				      const char *image_sha256, char **ret, struct tp_err *reterr);

/* The text of our section for @request. TP_MACHINE_E_REFUSED for a value GRUB would misread. */
TP_MUST_CHECK int tp_grub_section(const struct tp_target_config *config,
				  const struct tp_boot_request *request, char **ret,
				  struct tp_err *reterr);

/*
 * @old with our section replaced by @section (NULL: removed); every other byte is kept.
 * TP_MACHINE_E_REFUSED when @old has a beginning of our section without its end.
 */
TP_MUST_CHECK int tp_grub_replace(const char *old, const char *section, char **ret,
				  struct tp_err *reterr);

/* Does @text carry exactly @section? */
bool tp_grub_has(const char *text, const char *section);

/* The value of @name in what `grub-editenv list` prints; "" when unset or empty. */
void tp_grub_env_get(const char *list, const char *name, char *ret, size_t size);
