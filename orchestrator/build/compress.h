/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside build/: a file compressed into another, in bounded memory. */
#pragma once

#include "util/err.h"

/* Compress @from to the new file @to (0640, synced to disk). A failed @to is removed. */
TP_MUST_CHECK int tp_compress_file(const char *from, const char *to, struct tp_err *reterr);
