/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Proof of what came up; see identity.h. */
#include "target/identity.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/base64.h"
#include "util/str.h"

#define HEX	     "0123456789abcdef"
#define NOTE_GNU_ID  3
#define TOKEN_OPTION "triptych.token="

const char tp_identity_script[] =
    "cat /proc/sys/kernel/random/boot_id && uname -r && "
    "cat /proc/uptime && "
    "{ base64 </sys/kernel/notes 2>/dev/null | tr -d '\\n'; echo; } && "
    "cat /proc/cmdline";

bool tp_boot_id_valid(const char *boot_id)
{
	if (!boot_id || strlen(boot_id) != 36)
		return false;
	for (int i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? boot_id[i] != '-' : !strchr(HEX, boot_id[i]))
			return false;
	}
	return true;
}

static uint32_t read_u32(const unsigned char *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value)); /* little-endian on both sides: x86-64, arm64 */
	return value;
}

static size_t padded(uint32_t n)
{
	return ((size_t)n + 3) & ~(size_t)3;
}

int tp_identity_build_id(const void *notes, size_t len, char ret_hex[static 65])
{
	const unsigned char *p = notes;

	while (len >= 12) {
		uint32_t name = read_u32(p), desc = read_u32(p + 4), type = read_u32(p + 8);
		size_t whole = 12 + padded(name) + padded(desc);

		if (whole > len && 12 + padded(name) + desc > len)
			return -ENOENT;
		if (type == NOTE_GNU_ID && name == 4 && memcmp(p + 12, "GNU", 4) == 0 &&
		    desc >= 4 && desc <= 32) {
			for (uint32_t i = 0; i < desc; i++)
				snprintf(ret_hex + 2 * i, 3, "%02x", p[12 + padded(name) + i]);
			return 0;
		}
		if (whole >= len)
			return -ENOENT;
		p += whole;
		len -= whole;
	}
	return -ENOENT;
}

static int bad(struct tp_err *reterr, const char *what)
{
	return tp_err_set(reterr, -EBADMSG, NULL,
			  "the target's answer to the question what it runs is not usable: %s",
			  what);
}

/* The next line of *@rest into @ret; false when it is missing or too long. */
static bool take_line(const char **rest, char *ret, size_t size)
{
	size_t n = strcspn(*rest, "\n");

	if (n >= size || (*rest)[n] != '\n')
		return false;
	memcpy(ret, *rest, n);
	ret[n] = '\0';
	*rest += n + 1;
	return true;
}

static int take_notes(const char **rest, struct tp_identity *id, struct tp_err *reterr)
{
	_cleanup_(tp_freep) unsigned char *notes = NULL;
	const char *line = *rest;
	size_t n = strcspn(line, "\n"), len;

	if (line[n] != '\n' || tp_base64_decode(line, n, &notes, &len) < 0)
		return bad(reterr, "/sys/kernel/notes did not arrive");
	*rest = line + n + 1;
	if (tp_identity_build_id(notes, len, id->build_id) < 0)
		id->build_id[0] = '\0'; /* such a kernel is never the one under test */
	return 0;
}

int tp_identity_parse(const char *output, struct tp_identity *ret, struct tp_err *reterr)
{
	struct tp_identity id = {};
	char uptime[64];
	int r;

	if (!take_line(&output, id.boot_id, sizeof(id.boot_id)) || !tp_boot_id_valid(id.boot_id))
		return bad(reterr, "its boot id is missing");
	if (!take_line(&output, id.release, sizeof(id.release)) || !id.release[0])
		return bad(reterr, "its kernel release is missing");
	if (!take_line(&output, uptime, sizeof(uptime)))
		return bad(reterr, "its uptime is missing");
	id.uptime_ms = (int64_t)(strtod(uptime, NULL) * 1000);
	r = take_notes(&output, &id, reterr);
	if (r < 0)
		return r;
	if (strcspn(output, "\n") >= sizeof(id.cmdline))
		return bad(reterr, "its command line is too long"); /* our token is at the end */
	snprintf(id.cmdline, sizeof(id.cmdline), "%.*s", (int)strcspn(output, "\n"), output);
	tp_str_sanitize(id.release);
	tp_str_sanitize(id.cmdline);
	*ret = id;
	return 0;
}

void tp_identity_token(const char *cmdline, char *ret, size_t size)
{
	const size_t n = sizeof(TOKEN_OPTION) - 1;

	ret[0] = '\0';
	for (const char *at = cmdline; (at = strstr(at, TOKEN_OPTION)); at += n) {
		if (at == cmdline || at[-1] == ' ')
			snprintf(ret, size, "%.*s", (int)strcspn(at + n, " "), at + n);
	}
}

enum tp_boot_outcome tp_identity_judge(const struct tp_identity *seen,
				       const struct tp_boot_request *request, char *ret_detail,
				       size_t size)
{
	char token[64];

	tp_identity_token(seen->cmdline, token, sizeof(token));
	if (!token[0]) {
		snprintf(
		    ret_detail, size,
		    "the permanent default (%s) came up instead of %s, which panicked, hung up "
		    "early or could not be loaded",
		    seen->release, request->release);
		return TP_OUTCOME_FELL_BACK;
	}
	if (strcmp(token, request->token) != 0) {
		snprintf(ret_detail, size,
			 "a kernel of another attempt came up: %s with the token %s, not %s",
			 seen->release, token, request->token);
		return TP_OUTCOME_WRONG_KERNEL;
	}
	if (strcmp(seen->release, request->release) != 0) {
		snprintf(ret_detail, size, "the entry booted the release %s, not %s", seen->release,
			 request->release);
		return TP_OUTCOME_WRONG_KERNEL;
	}
	if (strcmp(seen->build_id, request->build_id) != 0) {
		snprintf(ret_detail, size,
			 "%s came up with the build-id %s, but %s was built: another kernel of the "
			 "same name",
			 seen->release, seen->build_id[0] ? seen->build_id : "(none)",
			 request->build_id);
		return TP_OUTCOME_WRONG_KERNEL;
	}
	snprintf(ret_detail, size, "%s came up, proved by boot id, release, build-id and token",
		 seen->release);
	return TP_OUTCOME_OK;
}
