/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live line on a terminal; see paint.h. A terminal is one per process, so is this state. */
#include "cli/paint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/log.h"

#define REPAINT_MS 200

static struct {
	bool terminal, drawn;
	int64_t painted_ms;
	struct tp_progress_state last;
} painter;

static const char *panel_name(const struct tp_progress_state *s)
{
	static const char *const names[] = {"A", "child", "B"};

	if (s->point < 0)
		return "";
	if (s->n_points == 3)
		return names[s->point % 3];
	return tp_role_name(s->role);
}

/* "[A|child|B]" with the current panel marked. */
static void paint_panels(const struct tp_progress_state *s)
{
	static const char *const names[] = {"A", "child", "B"};

	if (s->n_points != 3)
		return;
	fputc('[', stderr);
	for (int i = 0; i < 3; i++) {
		const char *mark = i < s->point ? "+" : (i == s->point ? ">" : " ");

		fprintf(stderr, "%s%s%s", i ? "|" : "", s->point < 0 ? " " : mark, names[i]);
	}
	fputs("] ", stderr);
}

static void paint_count(const struct tp_progress_state *s)
{
	if (s->total > 0)
		fprintf(stderr, " %s%d of %d", s->estimated ? "about " : "", s->done, s->total);
	else if (s->done > 0)
		fprintf(stderr, " %d", s->done);
}

static void paint_time(const struct tp_progress_state *s)
{
	int64_t now_ms = tp_clock_mono_ms();
	int64_t took_s = (now_ms - s->started_ms) / 1000;
	int64_t left_s = (s->eta_ms - now_ms) / 1000;

	fprintf(stderr, ", %llds", (long long)took_s);
	if (s->eta_ms > 0 && left_s > 0)
		fprintf(stderr, ", about %lldm%02llds left", (long long)left_s / 60,
			(long long)left_s % 60);
}

static void clear_line(void)
{
	if (painter.drawn)
		fputs("\r\033[K", stderr);
	painter.drawn = false;
}

static void draw_line(void)
{
	const struct tp_progress_state *s = &painter.last;

	if (!painter.terminal || !s->activity[0])
		return;
	clear_line();
	paint_panels(s);
	fputs(s->activity, stderr);
	paint_count(s);
	paint_time(s);
	fflush(stderr);
	painter.drawn = true;
	painter.painted_ms = tp_clock_mono_ms();
}

static void on_update(const struct tp_progress_state *s, void *data)
{
	bool changed =
	    strcmp(s->activity, painter.last.activity) != 0 || s->point != painter.last.point;

	(void)data;
	painter.last = *s;
	if (painter.terminal) {
		if (changed || tp_clock_mono_ms() - painter.painted_ms >= REPAINT_MS)
			draw_line();
	} else if (changed) {
		fprintf(stderr, "triptych: %s%s%s\n", panel_name(s), s->point < 0 ? "" : ": ",
			s->activity);
	}
}

struct tp_progress tp_paint_progress(void)
{
	const char *term = getenv("TERM");

	painter.terminal = isatty(2) && term && strcmp(term, "dumb") != 0;
	painter.last = (struct tp_progress_state){};
	if (painter.terminal)
		tp_log_set_hooks(clear_line, draw_line);
	return (struct tp_progress){.update = on_update, .state = {.point = -1}};
}

void tp_paint_end(void)
{
	clear_line();
	painter.last = (struct tp_progress_state){};
	tp_log_set_hooks(NULL, NULL);
}
