/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log lines on stderr; see log.h. The level and the hooks are the process's own, set once. */
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>

static enum tp_log_level max_level = TP_LOG_INFO;
static void (*hook_before)(void);
static void (*hook_after)(void);

static const char *const prefixes[] = {
    [TP_LOG_ERROR] = "triptych: error: ",
    [TP_LOG_WARN] = "triptych: warning: ",
    [TP_LOG_INFO] = "triptych: ",
    [TP_LOG_DEBUG] = "triptych: debug: ",
};
static_assert(TP_ARRAY_SIZE(prefixes) == _TP_LOG_MAX);

void tp_log_set_level(enum tp_log_level level)
{
	max_level = level;
}

void tp_log_set_hooks(void (*before)(void), void (*after)(void))
{
	hook_before = before;
	hook_after = after;
}

void tp_log(enum tp_log_level level, const char *fmt, ...)
{
	va_list ap;

	if (level > max_level)
		return;
	if (hook_before)
		hook_before();
	fputs(prefixes[level], stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	fflush(stderr);
	if (hook_after)
		hook_after();
}
