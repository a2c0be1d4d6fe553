/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log lines on stderr, for people. Only engine, daemon and cli log; everything below
 * returns an error instead. A progress painter may register to keep its line intact.
 */
#pragma once

#include "util/macro.h"

enum tp_log_level {
	TP_LOG_ERROR,
	TP_LOG_WARN,
	TP_LOG_INFO,
	TP_LOG_DEBUG,
	_TP_LOG_MAX,
};

/* Lines above @level are dropped; the default is TP_LOG_INFO. */
void tp_log_set_level(enum tp_log_level level);

/* Called before and after each line (either may be NULL): clear and repaint a status line. */
void tp_log_set_hooks(void (*before)(void), void (*after)(void));

void tp_log(enum tp_log_level level, const char *fmt, ...) TP_PRINTF(2, 3);
