/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power drivers: none, exec, and qmp against a pretended QEMU. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/machine.h"
#include "target/power.h"
#include "../util/scratch.h"

static char kind_none[] = "none", kind_exec[] = "exec", kind_qmp[] = "qmp", name[] = "test";

static int act(struct tp_target_config *config, const char *action, bool *on, struct tp_err *err)
{
	config->name = name;
	if (config->deadlines.power_ms == 0)
		config->deadlines.power_ms = 5000;
	*err = (struct tp_err){};
	return tp_power_act(config, action, on, err);
}

static void none(void **state)
{
	struct tp_target_config config = {.power.kind = kind_none};
	struct tp_err err;
	bool on;

	(void)state;
	assert_int_equal(act(&config, "on", &on, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "no power control"));
	assert_false(tp_power_has(&config));
	assert_int_equal(act(&config, "explode", &on, &err), -EINVAL);
	assert_non_null(strstr(err.text, "explode"));
}

static void program(void **state)
{
	static char sh[] = "sh", c[] = "-c", good[] = "exit 0",
		    bad[] = "echo no such socket; exit 3";
	static char slow[] = "sleep 20";
	char *argv[] = {sh, c, good};
	struct tp_target_config config = {
	    .power = {.kind = kind_exec, .reset = argv, .reset_count = 3}};
	struct tp_err err;
	bool on = false;

	(void)state;
	assert_true(tp_power_has(&config));
	assert_int_equal(act(&config, "reset", &on, &err), 0);
	assert_true(on);
	assert_int_equal(act(&config, "on", &on, &err), 0);
	assert_int_equal(act(&config, "status", &on, &err), -ENOTSUP);
	assert_int_equal(act(&config, "off", &on, &err), -ENOTSUP);
	argv[2] = bad;
	assert_true(act(&config, "reset", &on, &err) < 0);
	assert_non_null(strstr(err.text, "no such socket"));
	argv[2] = slow;
	config.deadlines.power_ms = 300;
	assert_int_equal(act(&config, "reset", &on, &err), -ETIMEDOUT);
	config.power.reset_count = 0;
	assert_int_equal(act(&config, "reset", &on, &err), -EINVAL);
}

/* ---- a pretended QEMU ---- */

struct qemu {
	const char *socket;
	const char *log;    /* what it was told, a letter each: c capabilities, s status ... */
	const char *status; /* JSON */
	bool silent;
};

static void note(const struct qemu *q, char letter)
{
	FILE *f = fopen(q->log, "a");

	fputc(letter, f);
	fclose(f);
}

static void answer(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		_exit(1);
}

static bool serve_line(const struct qemu *q, int fd, const char *line)
{
	answer(fd, "{\"event\":\"RESUME\",\"timestamp\":{\"seconds\":1}}\r\n");
	if (strstr(line, "qmp_capabilities"))
		note(q, 'c');
	if (strstr(line, "query-status")) {
		note(q, 's');
		answer(fd, q->status);
		return true;
	}
	if (strstr(line, "system_reset"))
		note(q, 'r');
	if (strstr(line, "\"cont\""))
		note(q, 'o');
	if (strstr(line, "quit")) {
		note(q, 'q');
		unlink(q->socket);
		answer(fd, "{\"return\":{}}\r\n");
		return false;
	}
	answer(fd, "{\"ret"); /* in two pieces */
	usleep(20000);
	answer(fd, "urn\":{}}\r\n");
	return true;
}

static bool serve(const struct qemu *q, int fd)
{
	char line[512];
	bool more = true;
	FILE *f;

	if (q->silent) {
		pause();
		return false;
	}
	f = fdopen(fd, "r");
	answer(fd, "{\"QMP\":{\"version\":{},\"capabilities\":[]}}\r\n");
	while (more && fgets(line, sizeof(line), f))
		more = serve_line(q, fd, line);
	fclose(f);
	return more;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 4) < 0)
		return -1;
	return fd;
}

static pid_t start_qemu(const struct qemu *q)
{
	int fd = listen_at(q->socket);
	pid_t pid;

	assert_true(fd >= 0);
	pid = fork();
	if (pid == 0) {
		while (serve(q, accept(fd, NULL, NULL)))
			;
		_exit(0);
	}
	close(fd);
	return pid;
}

static void stop_qemu(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void assert_told(const char *log, const char *letters)
{
	_cleanup_(tp_freep) char *text = NULL;

	assert_int_equal(tp_file_read(log, 1000, &text, NULL, NULL), 0);
	assert_string_equal(text, letters);
	unlink(log);
}

static void qemu_running(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/qmp", (char *)*state);
	_cleanup_(tp_freep) char *log = tp_strf("%s/log", (char *)*state);
	struct qemu q = {.socket = path,
			 .log = log,
			 .status = "{\"return\":{\"running\":true,\"status\":\"running\"}}\r\n"};
	struct tp_target_config config = {.power = {.kind = kind_qmp, .socket = path}};
	struct tp_err err;
	bool on = false;
	pid_t pid = start_qemu(&q);

	assert_int_equal(act(&config, "status", &on, &err), 0);
	assert_true(on);
	assert_told(log, "cs");
	assert_int_equal(act(&config, "on", &on, &err), 0);
	assert_told(log, "cs"); /* nothing was done to it */
	assert_int_equal(act(&config, "reset", &on, &err), 0);
	assert_told(log, "csr");
	assert_int_equal(act(&config, "off", &on, &err), 0);
	assert_false(on);
	assert_told(log, "csq");
	waitpid(pid, NULL, 0);
	assert_int_equal(act(&config, "status", &on, &err), 0);
	assert_false(on);
	assert_int_equal(act(&config, "off", &on, &err), 0);
	assert_int_equal(act(&config, "on", &on, &err), -ENOTSUP);
	assert_non_null(strstr(err.text, "power.start"));
}

static void qemu_stopped(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/qmp", (char *)*state);
	_cleanup_(tp_freep) char *log = tp_strf("%s/log", (char *)*state);
	struct qemu q = {.socket = path,
			 .log = log,
			 .status =
			     "{\"return\":{\"running\":false,\"status\":\"guest-panicked\"}}\r\n"};
	struct tp_target_config config = {.power = {.kind = kind_qmp, .socket = path}};
	struct tp_err err;
	bool on = true;
	pid_t pid = start_qemu(&q);

	assert_int_equal(act(&config, "status", &on, &err), 0);
	assert_false(on);
	assert_told(log, "cs");
	assert_int_equal(act(&config, "reset", &on, &err), 0);
	assert_true(on);
	assert_told(log, "csro");
	stop_qemu(pid);
}

static void qemu_refuses(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/qmp", (char *)*state);
	_cleanup_(tp_freep) char *log = tp_strf("%s/log", (char *)*state);
	struct qemu q = {.socket = path,
			 .log = log,
			 .status =
			     "{\"error\":{\"class\":\"GenericError\",\"desc\":\"not now\"}}\r\n"};
	struct tp_target_config config = {.power = {.kind = kind_qmp, .socket = path}};
	struct tp_err err;
	bool on;
	pid_t pid = start_qemu(&q);

	assert_int_equal(act(&config, "status", &on, &err), -EIO);
	assert_non_null(strstr(err.text, "not now"));
	stop_qemu(pid);
}

static void qemu_hangs(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/qmp", (char *)*state);
	struct qemu q = {.socket = path, .silent = true};
	struct tp_target_config config = {.power = {.kind = kind_qmp, .socket = path},
					  .deadlines.power_ms = 400};
	int64_t start = tp_clock_mono_ms();
	struct tp_err err;
	bool on;
	pid_t pid = start_qemu(&q);

	assert_int_equal(act(&config, "reset", &on, &err), -ETIMEDOUT);
	assert_true(tp_clock_mono_ms() - start < 2000);
	stop_qemu(pid);
}

static void qemu_does_not_start(void **state)
{
	static char sh[] = "sh", c[] = "-c", script[] = "echo no KVM here; exit 1";
	_cleanup_(tp_freep) char *path = tp_strf("%s/qmp", (char *)*state);
	char *argv[] = {sh, c, script};
	struct tp_target_config config = {
	    .power = {.kind = kind_qmp, .socket = path, .start = argv, .start_count = 3}};
	static char silent[] = "exit 0";
	struct tp_err err;
	bool on;

	assert_true(act(&config, "on", &on, &err) < 0);
	assert_non_null(strstr(err.text, "no KVM here"));
	argv[2] = silent; /* and one that says it did, but did not */
	config.deadlines.power_ms = 400;
	assert_int_equal(act(&config, "on", &on, &err), -ETIMEDOUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(none),
	    cmocka_unit_test(program),
	    scratch_test(qemu_running),
	    scratch_test(qemu_stopped),
	    scratch_test(qemu_refuses),
	    scratch_test(qemu_hangs),
	    scratch_test(qemu_does_not_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
