/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors that a person will read; see err.h. */
#include "util/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int tp_err_set(struct tp_err *err, int code, const char *origin, const char *fmt, ...)
{
	va_list ap;

	if (code == 0)
		code = -EINVAL;
	if (!err)
		return code;
	err->code = code;
	snprintf(err->origin, sizeof(err->origin), "%s", origin ? origin : "");
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int tp_err_prefix(struct tp_err *err, const char *fmt, ...)
{
	char head[sizeof(err->text)];
	char both[2 * sizeof(err->text) + 2];
	va_list ap;

	if (!err)
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(head, sizeof(head), fmt, ap);
	va_end(ap);
	snprintf(both, sizeof(both), "%s: %s", head, err->text);
	both[sizeof(err->text) - 1] = '\0';
	memcpy(err->text, both, strlen(both) + 1);
	return err->code;
}

int tp_err_as_errno(int r, struct tp_err *err)
{
	if (r <= 0)
		return r;
	if (err)
		err->code = -EIO;
	return -EIO;
}

int tp_err_oom(struct tp_err *err)
{
	return tp_err_set(err, -ENOMEM, NULL, "out of memory");
}
