/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several processes, some of them killed: nobody waits for ever, nothing is half there. */
#include "store_helper.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"

/* Run @fn in a child; returns its pid. */
static pid_t start(int (*fn)(const char *path, int arg), const char *path, int arg)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(fn(path, arg) == 0 ? 0 : 1);
	return pid;
}

static int finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int add_events(const char *path, int n)
{
	struct tp_store *store = NULL;
	struct tp_err err = {};
	int r = tp_store_open(path, false, 30000, &store, &err);

	for (int i = 0; r == 0 && i < n; i++)
		r = tp_store_event_add(store, 0, "from a process of its own", i, &err);
	if (r != 0)
		fprintf(stderr, "%s\n", err.text);
	tp_store_close(store);
	return r;
}

static void writers_take_turns(void **state)
{
	struct world *w = *state;
	pid_t pids[4];

	for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
		pids[i] = start(add_events, w->path, 50);
	for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
		assert_int_equal(finish(pids[i]), 0);
	assert_peek(w, "SELECT count(*) FROM event", "200");
}

static void all_may_be_first(void **state)
{
	struct world *w = *state;

	for (int round = 0; round < 5; round++) {
		_cleanup_(tp_freep) char *path = tp_strf("%s/fresh%d.db", w->dir, round);
		pid_t pids[4];

		for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
			pids[i] = start(add_events, path, 1);
		for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
			assert_int_equal(finish(pids[i]), 0);
		free(w->path);
		w->path = TP_TAKE(path);
		assert_peek(w, "SELECT count(*) FROM event", "4");
		assert_peek(w, "PRAGMA integrity_check", "ok");
	}
}

/* Only one of many workers that claim at once has the job in the end. */
static int claim(const char *path, int job)
{
	struct tp_store *store = NULL;
	struct tp_err err = {};
	int64_t epoch;
	int r = tp_store_open(path, false, 30000, &store, &err);

	if (r == 0)
		r = tp_store_job_claim(store, job, 1, &epoch, &err);
	tp_store_close(store);
	return r;
}

static void each_claim_has_its_epoch(void **state)
{
	struct world *w = *state;
	pid_t pids[6];

	fill_world(w);
	for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
		pids[i] = start(claim, w->path, (int)w->job);
	for (size_t i = 0; i < TP_ARRAY_SIZE(pids); i++)
		assert_int_equal(finish(pids[i]), 0);
	assert_peek(w, "SELECT epoch FROM job", "7");
}

/* One point from its first row to its last, as a worker does it; goes on where it was. */
static int work(const char *path)
{
	struct world w = {.path = (char *)path, .target = 1, .protocol = 1, .job = 1};
	struct tp_snapshot s;
	struct tp_boot_row discard = {};
	int64_t boot, step;

	ok(&w, tp_store_open(path, false, 30000, &w.store, &w.err));
	ok(&w, tp_store_job_claim(w.store, w.job, 1, &w.epoch, &w.err));
	ok(&w, tp_store_snapshot(w.store, w.job, &s, &w.err));
	if (s.points[0].has_boot && s.points[0].boot_state == TP_BOOT_COMPLETE)
		return tp_store_close(w.store) != NULL;
	if (s.points[0].has_boot && s.points[0].boot_state != TP_BOOT_DISCARDED)
		ok(&w,
		   tp_store_boot_move(w.store, w.epoch, s.points[0].boot_id, s.points[0].boot_state,
				      TP_BOOT_DISCARDED, &discard, 1, &w.err));
	snprintf(w.err.text, sizeof(w.err.text), "%lld-%lld", (long long)getpid(),
		 (long long)w.epoch);
	ok(&w, tp_store_boot_new(w.store, w.job, w.epoch, s.points[0].id, w.err.text, 1, &boot,
				 &w.err));
	bring_to(&w, boot, TP_BOOT_MEASURING);
	ok(&w, tp_store_step_start(w.store, w.job, w.epoch, TP_STEP_MEASURE, 0, boot, 1, &step,
				   &w.err));
	ok(&w, tp_store_begin(w.store, &w.err));
	for (int i = 1; i <= 200; i++) {
		struct tp_round_row round = {.phase = TP_PHASE_MEASURED,
					     .round = i,
					     .metric = "m",
					     .elapsed_ns = i,
					     .ops = 1};

		ok(&w, tp_store_round_add(w.store, boot, &round, &w.err));
	}
	ok(&w, tp_store_boot_move(w.store, w.epoch, boot, TP_BOOT_MEASURING, TP_BOOT_COMPLETE, NULL,
				  1, &w.err));
	ok(&w, tp_store_step_finish(w.store, w.epoch, step, TP_STEP_DONE, NULL, 2, &w.err));
	ok(&w, tp_store_commit(w.store, &w.err));
	tp_store_close(w.store);
	return 0;
}

/* A program of its own, so that failpoints are counted from its start. */
static pid_t start_work(const char *path, int kill_at)
{
	char number[16];
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	snprintf(number, sizeof(number), "%d", kill_at);
	setenv("TRIPTYCH_KILL_AT", number, 1);
	execl("/proc/self/exe", "worker", path, NULL);
	_exit(127);
}

/* All rounds of a complete boot, none of any other, and one complete boot at most. */
static void assert_whole(const struct world *w)
{
	assert_peek(w, "PRAGMA integrity_check", "ok");
	assert_peek(w, "SELECT count(*) FROM pragma_foreign_key_check", "0");
	assert_peek(w,
		    "SELECT count(*) FROM boot WHERE (SELECT count(*) FROM round WHERE "
		    "round.boot_id = boot.id) <> CASE state WHEN 'complete' THEN 200 ELSE 0 END",
		    "0");
	assert_peek(w,
		    "SELECT count(*) FROM boot WHERE state = 'complete' AND NOT EXISTS (SELECT 1 "
		    "FROM step WHERE step.boot_id = boot.id AND step.state = 'done')",
		    "0");
}

static void killed_at_every_commit(void **state)
{
#ifdef TP_FAILPOINTS
	struct world *w = *state;
	int at;

	fill_world(w);
	for (at = 1; at < 100; at++) {
		int status = finish(start_work(w->path, at));

		assert_whole(w);
		if (WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			break;
		}
		assert_int_equal(WTERMSIG(status), SIGKILL);
	}
	assert_true(at > 15 && at < 100);
	assert_int_equal(finish(start_work(w->path, 0)), 0);
	assert_whole(w);
	assert_peek(w, "SELECT count(*) FROM boot WHERE state = 'complete'", "1");
#else
	(void)state;
	skip();
#endif
}

static void killed_at_any_moment(void **state)
{
	struct world *w = *state;

	fill_world(w);
	for (int i = 0; i < 30; i++) {
		pid_t pid = start_work(w->path, 0);

		usleep((useconds_t)(i * 1500));
		kill(pid, SIGKILL);
		finish(pid);
		assert_whole(w);
	}
	assert_int_equal(finish(start_work(w->path, 0)), 0);
	assert_whole(w);
	assert_peek(w, "SELECT count(*) FROM boot WHERE state = 'complete'", "1");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    world_test(writers_take_turns),	  world_test(all_may_be_first),
	    world_test(each_claim_has_its_epoch), world_test(killed_at_every_commit),
	    world_test(killed_at_any_moment),
	};

	if (argc == 2)
		return work(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
