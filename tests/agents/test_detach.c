/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that outlives its connection: what the caller hears, and what remains when it dies. */
#include "agent_helper.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#define DETACHED(rounds)                                                                           \
	"run", "inotify-watch", "--run-id", "d", "--out", "out", "--warmup", "2", "--rounds",      \
	    rounds, "--items", "8", "--dir", ".", "--allow-any-fs", "yes", "--detach"

static void kill_run(json_t *state, int number)
{
	assert_int_equal(kill((pid_t)int_of(state, "pid"), number), 0);
}

/* The answer is over before the first measured round begins. */
static void leaves_before_the_measured_rounds(void **state)
{
	int64_t start = tp_clock_mono_ms();
	struct answer a = ASK(*state, DETACHED("3"), "--quiet-ms", "2000");
	json_t *part, *end;

	assert_ended_ok(&a);
	assert_int_equal(json_array_size(a.records), 3);
	assert_string_equal(text_of(json_array_get(a.records, 0), "record"), "started");
	assert_int_equal(int_of(json_array_get(a.records, 0), "triptych_agent"), 1);
	assert_string_equal(text_of(json_array_get(a.records, 1), "record"), "warmed");
	assert_int_equal(int_of(json_array_get(a.records, 1), "warmup"), 2);
	assert_int_equal(int_of(json_array_get(a.records, 1), "rounds"), 3);
	part = read_records(*state, "out.part");
	assert_string_equal(text_of(last_of(part), "phase"), "warmup");
	json_decref(wait_for_phase(*state, "out", "done"));
	assert_true(tp_clock_mono_ms() - start >= 2000);
	end = read_records(*state, "out");
	assert_string_equal(text_of(last_of(end), "status"), "ok");
	json_decref(part);
	json_decref(end);
	answer_free(&a);
}

static void status_follows_a_run_to_its_end(void **state)
{
	struct answer a = ASK(*state, DETACHED("20"), "--quiet-ms", "300");
	json_t *s = ask_state(*state, "out");

	assert_ended_ok(&a);
	assert_string_equal(text_of(s, "run_id"), "d");
	assert_true(json_is_true(json_object_get(s, "alive")));
	assert_true(json_is_false(json_object_get(s, "complete")));
	json_decref(s);
	s = wait_for_phase(*state, "out", "done");
	assert_int_equal(int_of(s, "round"), 20);
	assert_true(json_is_true(json_object_get(s, "complete")));
	json_decref(s);
	answer_free(&a);
}

/* Both ends of a connection over loopback; SSH_CONNECTION says that it started the run. */
static void connect_to_self(int ends[2])
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr_in peer;
	socklen_t len = sizeof(own);
	int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[128];

	assert_int_equal(bind(door, (void *)&own, len), 0);
	assert_int_equal(listen(door, 1), 0);
	assert_int_equal(getsockname(door, (void *)&own, &len), 0);
	ends[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(ends[0], (void *)&own, len), 0);
	ends[1] = accept4(door, (void *)&peer, &len, SOCK_CLOEXEC);
	assert_true(ends[1] >= 0);
	close(door);
	snprintf(text, sizeof(text), "127.0.0.1 %u 127.0.0.1 %u", ntohs(peer.sin_port),
		 ntohs(own.sin_port));
	setenv("SSH_CONNECTION", text, 1);
}

/* However short the quiet time: nothing is measured while the caller is still connected. */
static void waits_until_its_caller_has_hung_up(void **state)
{
	struct answer a;
	json_t *part;
	int ends[2];

	connect_to_self(ends);
	a = ASK(*state, DETACHED("3"), "--quiet-ms", "0");
	unsetenv("SSH_CONNECTION");
	assert_ended_ok(&a);
	tp_deadline_sleep(tp_deadline_in(400), 400);
	part = read_records(*state, "out.part");
	assert_string_equal(text_of(last_of(part), "phase"), "warmup");
	close(ends[0]);
	tp_deadline_sleep(tp_deadline_in(100), 100);
	assert_false(has_file(*state, "out"));
	close(ends[1]);
	json_decref(wait_for_phase(*state, "out", "done"));
	json_decref(part);
	answer_free(&a);
}

/* Nobody tidies up after SIGKILL: the state must tell all the same, and in which round. */
static void a_killed_run_is_seen(void **state)
{
	struct answer a = ASK(*state, DETACHED("1000000"), "--quiet-ms", "0");
	struct tp_deadline deadline = tp_deadline_in(20000);
	json_t *s = NULL;

	assert_ended_ok(&a);
	do {
		json_decref(s);
		s = ask_state(*state, "out");
	} while (int_of(s, "round") < 3 && tp_deadline_sleep(deadline, 10));
	kill_run(s, SIGKILL);
	do {
		json_decref(s);
		s = ask_state(*state, "out");
	} while (json_is_true(json_object_get(s, "alive")) && tp_deadline_sleep(deadline, 10));
	assert_true(json_is_false(json_object_get(s, "alive")));
	assert_true(json_is_false(json_object_get(s, "complete")));
	assert_string_equal(text_of(s, "phase"), "measured");
	assert_true(int_of(s, "round") >= 3);
	assert_true(has_file(*state, "out.part"));
	json_decref(s);
	answer_free(&a);
}

/* The deadline passes in the first warm-up round: no `warmed`, but the reason. */
static void a_run_that_fails_early_is_told(void **state)
{
	struct answer a = ASK(*state, DETACHED("5"), "--calls", "50000", "--deadline-ms", "20");

	assert_failed(&a, 1, "--deadline-ms");
	assert_string_equal(text_of(json_array_get(a.records, 0), "record"), "started");
	assert_int_equal(json_array_size(a.records), 2);
	answer_free(&a);
	a = ASK(*state, "run", "inotify-watch", "--run-id", "d", "--out", "out2", "--warmup", "1",
		"--rounds", "1", "--detach", "--cpus", "60000");
	assert_failed(&a, 1, "CPU 60000");
	answer_free(&a);
}

/* Every descriptor of the caller is let go: else an SSH channel would stay open for the run. */
static void holds_nothing_of_its_caller(void **state)
{
	struct answer a = ASK(*state, DETACHED("1000000"), "--quiet-ms", "0");
	json_t *s = ask_state(*state, "out");
	char *dir = tp_strf("/proc/%d/fd", (int)int_of(s, "pid"));
	char path[512], target[512];

	assert_ended_ok(&a);
	for (int fd = 0; fd < 3; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "%s/%d", dir, fd);
		n = readlink(path, target, sizeof(target) - 1);
		assert_true(n > 0);
		target[n] = '\0';
		assert_string_equal(target, "/dev/null");
	}
	assert_int_equal(getsid((pid_t)int_of(s, "pid")), int_of(s, "pid"));
	kill_run(s, SIGKILL);
	json_decref(s);
	answer_free(&a);
	free(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(leaves_before_the_measured_rounds),
	    scratch_test(status_follows_a_run_to_its_end),
	    scratch_test(waits_until_its_caller_has_hung_up),
	    scratch_test(a_killed_run_is_seen),
	    scratch_test(a_run_that_fails_early_is_told),
	    scratch_test(holds_nothing_of_its_caller),
	};

	find_agent(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
