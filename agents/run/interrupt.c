/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals and the deadline; see interrupt.h. Handlers reach nothing but these two flags. */
#include "run/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped_by;
static volatile sig_atomic_t deadline_passed;

static void start_timer(int64_t ms)
{
	struct itimerval timer = {.it_value = {.tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_stop(int number)
{
	stopped_by = number;
}

static void on_alarm(int number)
{
	(void)number;
	if (deadline_passed)
		_exit(TP_INTERRUPT_EXIT_HUNG);
	deadline_passed = 1;
	start_timer(TP_INTERRUPT_GRACE_MS);
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void tp_interrupt_watch(int64_t deadline_ms)
{
	stopped_by = 0;
	deadline_passed = 0;
	handle(SIGTERM, on_stop);
	handle(SIGINT, on_stop);
	handle(SIGHUP, SIG_IGN);
	handle(SIGPIPE, SIG_IGN);
	handle(SIGALRM, on_alarm);
	if (deadline_ms > 0)
		start_timer(deadline_ms);
}

void tp_interrupt_unwatch(void)
{
	start_timer(0);
}

const char *tp_interrupt_reason(void)
{
	if (stopped_by == SIGINT)
		return "stopped by SIGINT";
	if (stopped_by)
		return "stopped by SIGTERM";
	if (deadline_passed)
		return "the run did not end before --deadline-ms";
	return NULL;
}
