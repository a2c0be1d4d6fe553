/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live line on a terminal: which panel, what it is doing, rounds done, time left. Without
 * a terminal a line is printed whenever the activity changes.
 */
#pragma once

#include "engine/progress.h"

/* A progress sink that paints on stderr; one per process. */
struct tp_progress tp_paint_progress(void);

/* Remove the live line, for good. */
void tp_paint_end(void);
