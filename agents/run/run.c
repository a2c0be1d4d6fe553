/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run; see run.h. */
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/record.h"
#include "run/interrupt.h"
#include "run/records.h"
#include "run/state.h"
#include "util/clock.h"
#include "util/fd.h"
#include "workloads/timing.h"

#define DMA_LATENCY_PATH "/dev/cpu_dma_latency"
#define QUIET_STEP_MS	 20
#define HANG_UP_MS	 10000 /* a connection that stays longer than this is left to itself */

struct progress {
	struct tp_run *run;
	struct tp_result *result;
	struct tp_str text; /* records that are not written yet */
	struct tp_bench *bench;
	enum tp_phase phase;
	int64_t rounds_done; /* in this phase */
	int dma_latency_fd;
};

/* Without privileges the limit stays in the way; the start record says so. */
static bool lock_memory(void)
{
	struct rlimit all = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};

	setrlimit(RLIMIT_MEMLOCK, &all);
	return mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

static int write_env(struct progress *p, const char *when, struct tp_err *reterr)
{
	tp_records_env(&p->text, when);
	return tp_result_append(p->result, &p->text, reterr);
}

static int enter_phase(struct progress *p, enum tp_phase phase, struct tp_err *reterr)
{
	p->phase = phase;
	p->rounds_done = 0;
	return tp_state_write(p->run->out, p->run->run_id, phase, 0, NULL, reterr);
}

static int check_interrupt(struct tp_err *reterr)
{
	const char *reason = tp_interrupt_reason();

	return reason ? tp_err_set(reterr, -ECANCELED, NULL, "%s", reason) : 0;
}

static int run_rounds(struct progress *p, int64_t count, struct tp_err *reterr)
{
	int r = check_interrupt(reterr);

	while (r == 0 && p->rounds_done < count) {
		struct tp_round round = {.warmup = p->phase == TP_PHASE_WARMUP,
					 .number = p->rounds_done + 1};

		r = p->run->workload->round(p->bench, &round, reterr);
		if (r == 0)
			r = check_interrupt(reterr);
		if (r < 0)
			break;
		tp_records_round(&p->text, &round);
		r = tp_result_append(p->result, &p->text, reterr);
		p->rounds_done++;
	}
	return r;
}

/*
 * Busy for @ms: what is outside goes on meanwhile. Where the clock counts instructions a sleep
 * would take no time at all.
 */
static int spin(int64_t ms, struct tp_err *reterr)
{
	struct tp_deadline end = tp_deadline_in(ms);

	while (!tp_deadline_passed(end))
		;
	return check_interrupt(reterr);
}

static int await_hang_up(const struct tp_connection *c, struct tp_err *reterr)
{
	struct tp_deadline patience = tp_deadline_in(HANG_UP_MS);
	int r = 0;

	while (r == 0 && tp_connection_open(c) && !tp_deadline_passed(patience))
		r = spin(QUIET_STEP_MS, reterr);
	return r;
}

/* The connection that started the run ends meanwhile: no traffic during measured rounds. */
static int be_quiet(struct progress *p, struct tp_err *reterr)
{
	struct tp_deadline end;
	int r = 0;

	if (p->run->warmed)
		p->run->warmed(p->run);
	if (p->run->connection)
		r = await_hang_up(p->run->connection, reterr);
	end = tp_deadline_in(p->run->quiet_ms);
	while (r == 0 && !tp_deadline_passed(end))
		r = spin(QUIET_STEP_MS, reterr);
	return r;
}

static int hold_dma_latency(struct progress *p, struct tp_err *reterr)
{
	int32_t us = (int32_t)p->run->dma_latency_us;

	if (us < 0)
		return 0;
	p->dma_latency_fd = open(DMA_LATENCY_PATH, O_WRONLY | O_CLOEXEC);
	if (p->dma_latency_fd < 0 || write(p->dma_latency_fd, &us, sizeof(us)) != sizeof(us))
		return tp_err_set(reterr, errno ? -errno : -EIO, NULL, "cannot hold %s: %s",
				  DMA_LATENCY_PATH, strerror(errno));
	return 0;
}

static int start(struct progress *p, struct tp_err *reterr)
{
	bool locked;
	int r = enter_phase(p, TP_PHASE_WARMUP, reterr);

	if (r < 0)
		return r;
	locked = lock_memory();
	tp_records_start(&p->text, p->run, locked, tp_timing_step_ns());
	r = tp_result_append(p->result, &p->text, reterr);
	if (r == 0)
		r = hold_dma_latency(p, reterr);
	if (r == 0)
		r = write_env(p, "before", reterr);
	if (r == 0)
		r = p->run->workload->prepare(p->run->values, &p->bench, reterr);
	return r;
}

static int measure(struct progress *p, struct tp_err *reterr)
{
	int r = run_rounds(p, p->run->warmup, reterr);

	if (r == 0)
		r = enter_phase(p, TP_PHASE_MEASURED, reterr);
	if (r == 0)
		r = be_quiet(p, reterr);
	if (r == 0)
		r = run_rounds(p, p->run->rounds, reterr);
	return r;
}

static int write_end(struct progress *p, const char *reason, struct tp_err *reterr)
{
	tp_record_final(&p->text, reason, tp_result_records(p->result) + 1);
	return tp_result_commit(p->result, &p->text, reterr);
}

/* The first failure is the reason; what goes wrong while telling it is of no interest. */
static void tell_failure(struct progress *p, const struct tp_err *err)
{
	struct tp_err ignored;

	tp_str_reset(&p->text);
	if (write_end(p, err->text, &ignored) < 0 ||
	    tp_state_write(p->run->out, p->run->run_id, TP_PHASE_FAILED, p->rounds_done, err->text,
			   &ignored) < 0)
		errno = 0;
}

static void release(struct progress *p)
{
	p->run->workload->cleanup(p->bench);
	p->bench = NULL;
	tp_fd_closep(&p->dma_latency_fd);
}

int tp_run_execute(struct tp_run *run, struct tp_result *result, struct tp_err *reterr)
{
	struct progress p = {.run = run, .result = result, .dma_latency_fd = -1};
	int64_t rounds_done;
	int r;

	tp_interrupt_watch(run->deadline_ms);
	r = start(&p, reterr);
	if (r == 0)
		r = measure(&p, reterr);
	if (r == 0)
		r = write_env(&p, "after", reterr);
	rounds_done = p.rounds_done;
	release(&p);
	tp_interrupt_unwatch();
	if (r == 0)
		r = write_end(&p, NULL, reterr);
	if (r == 0)
		r = tp_state_write(run->out, run->run_id, TP_PHASE_DONE, rounds_done, NULL, reterr);
	else
		tell_failure(&p, reterr);
	tp_str_deinit(&p.text);
	return r;
}
