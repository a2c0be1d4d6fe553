/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proof of what came up. Pure: parses what a target sent (hostile, bounded) and judges it.
 *
 * A boot counts only when all four hold: a new boot id, the expected release, the expected
 * build-id, this attempt's token on the command line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "target/machine.h"

/* Prints, a line each: boot id, release, uptime, notes in base64, command line. For sh. */
extern const char tp_identity_script[];

/* Parse the script's output. -EBADMSG with a sentence when a line is missing or odd. */
TP_MUST_CHECK int tp_identity_parse(const char *output, struct tp_identity *ret,
				    struct tp_err *reterr);

/* The GNU build-id in an ELF note section, as hex. -ENOENT when there is none. */
TP_MUST_CHECK int tp_identity_build_id(const void *notes, size_t len, char ret_hex[static 65]);

/* 8-4-4-4-12 hexadecimal digits? */
bool tp_boot_id_valid(const char *boot_id);

/* The value of triptych.token= on a command line; "" when there is none. */
void tp_identity_token(const char *cmdline, char *ret, size_t size);

/*
 * What @seen means for @request after a reboot: OK, FELL_BACK or WRONG_KERNEL, with one
 * sentence. That the boot id is new is the caller's to know.
 */
enum tp_boot_outcome tp_identity_judge(const struct tp_identity *seen,
				       const struct tp_boot_request *request, char *ret_detail,
				       size_t size);
