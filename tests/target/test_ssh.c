/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only SSH can show: keys, cut and frozen connections, silent servers, a full disk. */
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ssh_server.h"
#include "target/remote.h"
#include "target/transport.h"
#include "util/hash.h"
#include "../util/scratch.h"

static struct ssh_server server = {.pid = -1, .relay = -1};
static char *scratch;

static int open_with(const struct tp_target_config *config, struct tp_transport **ret,
		     struct tp_err *err)
{
	*err = (struct tp_err){};
	*ret = NULL;
	return tp_transport_open(config, tp_deadline_in(20000), ret, err);
}

static void assert_refused(const struct tp_target_config *config, int code, const char *word)
{
	struct tp_transport *t;
	struct tp_err err;
	int r = open_with(config, &t, &err);

	print_message("    %s\n", err.text);
	assert_int_equal(r, code);
	assert_int_equal(err.code, code);
	assert_null(t);
	assert_non_null(strstr(err.text, word));
}

static char *path_of(const char *name)
{
	return tp_strf("%s/%s", scratch, name);
}

static void first_contact(void **state)
{
	struct tp_target_config config = ssh_server_config(&server);
	_cleanup_(tp_freep) char *key = NULL;
	_cleanup_(tp_freep) char *fingerprint = NULL;

	(void)state;
	config.transport.host_key = NULL;
	assert_refused(&config, TP_TRANSPORT_E_HOST_KEY, "pin");
	assert_int_equal(
	    tp_ssh_fetch_host_key(&config, tp_deadline_in(20000), &key, &fingerprint, NULL), 0);
	assert_string_equal(key, server.host_key);
	assert_true(tp_str_starts(fingerprint, "SHA256:"));
	assert_int_equal(strlen(fingerprint), 7 + 43);
}

static void host_by_name(void **state)
{
	static char name[] = "localhost", nowhere[] = "no-such-host.invalid";
	struct tp_target_config config = ssh_server_config(&server);
	struct tp_transport *t;
	struct tp_err err;

	(void)state;
	config.transport.host = name;
	if (open_with(&config, &t, &err) != 0)
		fail_msg("%s", err.text);
	tp_transport_close(t);
	config.transport.host = nowhere;
	assert_refused(&config, TP_TRANSPORT_E_UNREACHABLE, nowhere);
}

static void changed_host_key(void **state)
{
	_cleanup_(tp_freep) char *other = path_of("other-host");
	_cleanup_(tp_freep) char *other_pub = path_of("other-host.pub");
	_cleanup_(tp_freep) char *text = NULL;
	struct tp_target_config config = ssh_server_config(&server);
	static char damaged[] = "ssh-ed25519 AAAAC3Nz!";

	(void)state;
	assert_int_equal(ssh_server_keygen(other, "ed25519", ""), 0);
	assert_int_equal(tp_file_read(other_pub, 4096, &text, NULL, NULL), 0);
	config.transport.host_key = text;
	assert_refused(&config, TP_TRANSPORT_E_HOST_KEY, "changed");
	config.transport.host_key = damaged;
	assert_refused(&config, TP_TRANSPORT_E_HOST_KEY, "damaged");
}

/* The machine was installed anew and has another type of key only. */
static void vanished_host_key_type(void **state)
{
	_cleanup_(tp_freep) char *dir = path_of("ecdsa-server");
	struct ssh_server other;
	struct tp_target_config config;

	(void)state;
	assert_int_equal(ssh_server_start(&other, dir, "ecdsa"), 0);
	config = ssh_server_config(&other);
	config.transport.host_key = server.host_key;
	assert_refused(&config, TP_TRANSPORT_E_HOST_KEY, "any more");
	ssh_server_stop(&other);
}

static void rsa_host_key(void **state)
{
	_cleanup_(tp_freep) char *dir = path_of("rsa-server");
	_cleanup_(tp_freep) char *key = NULL;
	struct ssh_server other;
	struct tp_target_config config;
	struct tp_err err = {};
	int r;

	(void)state;
	assert_int_equal(ssh_server_start(&other, dir, "rsa"), 0);
	config = ssh_server_config(&other);
	assert_refused(&config, TP_TRANSPORT_E_HOST_KEY, "requires ed25519 or ECDSA");
	config.transport.host_key = server.host_key;
	assert_refused(&config, TP_TRANSPORT_E_HOST_KEY, "requires ed25519 or ECDSA");
	r = tp_ssh_fetch_host_key(&config, tp_deadline_in(20000), &key, NULL, &err);
	assert_int_equal(r, TP_TRANSPORT_E_HOST_KEY);
	assert_non_null(strstr(err.text, "rsa-sha2"));
	assert_non_null(strstr(err.text, "requires ed25519 or ECDSA"));
	ssh_server_stop(&other);
}

static void ecdsa_works(void **state)
{
	_cleanup_(tp_freep) char *dir = path_of("ecdsa-both");
	_cleanup_(tp_freep) char *user = path_of("user-ecdsa");
	_cleanup_(tp_freep) char *pub = path_of("user-ecdsa.pub");
	_cleanup_(tp_freep) char *authorized = path_of("ecdsa-both/authorized");
	struct ssh_server other;
	struct tp_target_config config;
	struct tp_transport *t;
	struct tp_err err;

	(void)state;
	assert_int_equal(ssh_server_start(&other, dir, "ecdsa"), 0);
	assert_int_equal(ssh_server_keygen(user, "ecdsa", ""), 0);
	assert_int_equal(tp_file_copy(pub, authorized, 0600, NULL), 0);
	config = ssh_server_config(&other);
	config.transport.key = user;
	if (open_with(&config, &t, &err) != 0)
		fail_msg("%s", err.text);
	tp_transport_close(t);
	ssh_server_stop(&other);
}

static void user_keys(void **state)
{
	static const struct {
		const char *name, *type, *passphrase, *word;
	} cases[] = {
	    {"rsa", "rsa", "", "requires ed25519 or ECDSA"},
	    {"stranger", "ed25519", "", "does not let user"},
	    {"locked", "ed25519", "secret phrase", "passphrase"},
	};
	struct tp_target_config config = ssh_server_config(&server);

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		_cleanup_(tp_freep) char *path = path_of(cases[i].name);

		assert_int_equal(ssh_server_keygen(path, cases[i].type, cases[i].passphrase), 0);
		config.transport.key = path;
		assert_refused(&config, TP_TRANSPORT_E_AUTH, cases[i].word);
	}
}

static void key_files(void **state)
{
	static const char half[] = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END";
	static char missing[] = "/nonexistent/key";
	_cleanup_(tp_freep) char *open_to_all = path_of("open-to-all");
	_cleanup_(tp_freep) char *garbage = path_of("garbage");
	_cleanup_(tp_freep) char *public = tp_strf("%s.pub", server.user_key);
	struct tp_target_config config = ssh_server_config(&server);

	(void)state;
	config.transport.key = missing;
	assert_refused(&config, TP_TRANSPORT_E_AUTH, missing);
	assert_int_equal(tp_file_copy(server.user_key, open_to_all, 0640, NULL), 0);
	config.transport.key = open_to_all;
	assert_refused(&config, TP_TRANSPORT_E_AUTH, "chmod 600");
	assert_int_equal(tp_file_write(garbage, half, strlen(half), 0600, NULL), 0);
	config.transport.key = garbage;
	assert_refused(&config, TP_TRANSPORT_E_AUTH, "not a private key");
	config.transport.key = public;
	assert_int_equal(chmod(public, 0600), 0);
	assert_refused(&config, TP_TRANSPORT_E_AUTH, "not a private key");
}

static void nobody_there(void **state)
{
	struct tp_target_config config = ssh_server_config(&server);
	int64_t start = tp_clock_mono_ms();

	(void)state;
	config.transport.port = 1;
	assert_refused(&config, TP_TRANSPORT_E_UNREACHABLE, "refused");
	assert_false(tp_transport_answers(&config, tp_deadline_in(1000)));
	assert_true(tp_clock_mono_ms() - start < 3000);
	config = ssh_server_config(&server);
	assert_true(tp_transport_answers(&config, tp_deadline_in(5000)));
}

/* A server that accepts and says @hello, then nothing. */
static pid_t silent_server(const char *hello, int *ret_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(fd, 16), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	*ret_port = ntohs(address.sin_port);
	pid = fork();
	while (pid == 0) {
		int client = accept(fd, NULL, NULL);

		if (client >= 0 && write(client, hello, strlen(hello)) < 0)
			_exit(1);
	}
	close(fd);
	return pid;
}

static void silence(void **state)
{
	static const char *const hellos[] = {"", "SSH-2.0-nothing\r\n", "HTTP/1.1 400 what\r\n"};
	struct tp_target_config config = ssh_server_config(&server);

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(hellos); i++) {
		struct tp_transport *t = NULL;
		struct tp_err err = {};
		int64_t start = tp_clock_mono_ms();
		pid_t pid = silent_server(hellos[i], &config.transport.port);
		int r = tp_transport_open(&config, tp_deadline_in(700), &t, &err);

		assert_int_equal(r, TP_TRANSPORT_E_UNREACHABLE);
		assert_int_equal(err.code, TP_TRANSPORT_E_UNREACHABLE);
		assert_true(tp_clock_mono_ms() - start < 2500);
		assert_int_equal(tp_transport_answers(&config, tp_deadline_in(300)), i == 1);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* Run @script while the relay is cut (SIGKILL) or frozen (SIGSTOP) after 500 ms. */
static void disturb(int signal_number, const char *script, int64_t limit_ms, int64_t at_most_ms)
{
	struct tp_target_config config;
	struct tp_exec_result out = {};
	struct tp_transport *t;
	struct tp_err err;
	int64_t start;
	pid_t helper;
	int r;

	assert_int_equal(ssh_server_relay(&server), 0);
	config = ssh_server_config(&server);
	if (open_with(&config, &t, &err) != 0)
		fail_msg("%s", err.text);
	helper = ssh_server_cut_later(&server, 500, signal_number);
	start = tp_clock_mono_ms();
	r = tp_remote_sh(t, script, NULL, 1000, tp_deadline_in(limit_ms), &out, &err);
	print_message("    %s\n", err.text);
	assert_int_equal(r, TP_TRANSPORT_E_LOST);
	assert_true(tp_clock_mono_ms() - start < at_most_ms);
	assert_null(out.output);
	/* Dead is dead: nothing waits on it any more. */
	start = tp_clock_mono_ms();
	assert_int_equal(tp_remote_sh(t, "true", NULL, 10, tp_deadline_in(20000), &out, &err),
			 TP_TRANSPORT_E_LOST);
	tp_transport_close(t);
	assert_true(tp_clock_mono_ms() - start < 1000);
	waitpid(helper, NULL, 0);
	kill(server.relay, SIGKILL);
	waitpid(server.relay, NULL, 0);
	server.relay = -1;
	server.relay_port = 0;
}

static void cut_in_mid_command(void **state)
{
	(void)state;
	disturb(SIGKILL, "sleep 20", 15000, 3000);
	disturb(SIGKILL, "yes", 15000, 3000);
}

static void frozen_in_mid_command(void **state)
{
	(void)state;
	disturb(SIGSTOP, "sleep 20", 1500, 3000);
	disturb(SIGSTOP, "yes", 1500, 3000);
}

static void frozen_in_mid_upload(void **state)
{
	_cleanup_(tp_freep) char *from = path_of("big");
	_cleanup_(tp_freep) char *to = path_of("big-there");
	_cleanup_(tp_freep) char *data = calloc(1, 64 << 20);
	struct tp_target_config config;
	struct tp_transport *t;
	struct tp_err err;
	int64_t start;

	(void)state;
	assert_int_equal(tp_file_write(from, data, 64 << 20, 0600, NULL), 0);
	assert_int_equal(ssh_server_relay(&server), 0);
	config = ssh_server_config(&server);
	if (open_with(&config, &t, &err) != 0)
		fail_msg("%s", err.text);
	kill(server.relay, SIGSTOP);
	start = tp_clock_mono_ms();
	assert_int_equal(t->ops->upload(t, from, to, 0600, tp_deadline_in(1500), &err),
			 TP_TRANSPORT_E_LOST);
	tp_transport_close(t);
	assert_true(tp_clock_mono_ms() - start < 4000);
	assert_false(tp_path_exists(to));
	kill(server.relay, SIGKILL);
	waitpid(server.relay, NULL, 0);
	server.relay = -1;
	server.relay_port = 0;
}

static void full_disk(void **state)
{
	_cleanup_(tp_freep) char *dir = path_of("small");
	_cleanup_(tp_freep) char *server_dir = path_of("small-server");
	_cleanup_(tp_freep) char *from = path_of("eight");
	_cleanup_(tp_freep) char *to = path_of("small/eight");
	_cleanup_(tp_freep) char *temp = path_of("small/eight.tmp");
	_cleanup_(tp_freep) char *data = calloc(1, 8 << 20);
	struct ssh_server small;
	struct tp_target_config config;
	struct tp_transport *t;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_dir_make(dir, 0700, NULL), 0);
	/* The mount is this process's and its children's own, and ends with them. */
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("small", dir, "tmpfs", 0, "size=4m") < 0) {
		print_message("    no right to mount: skipped\n");
		skip();
	}
	assert_int_equal(ssh_server_start(&small, server_dir, "ed25519"), 0);
	config = ssh_server_config(&small);
	assert_int_equal(tp_file_write(from, data, 8 << 20, 0600, NULL), 0);
	if (open_with(&config, &t, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(t->ops->upload(t, from, to, 0600, tp_deadline_in(20000), &err),
			 TP_TRANSPORT_E_NO_SPACE);
	print_message("    %s\n", err.text);
	assert_non_null(strstr(err.text, "full"));
	assert_false(tp_path_exists(to));
	assert_false(tp_path_exists(temp));
	/* And the connection can be used for what fits. */
	assert_int_equal(tp_remote_write(t, to, "fits", 0600, tp_deadline_in(20000), &err), 0);
	tp_transport_close(t);
	ssh_server_stop(&small);
	assert_int_equal(umount2(dir, MNT_DETACH), 0);
}

static void noisy_login(void **state)
{
	/* A login shell's start-up file may print; only what the command says counts. */
	_cleanup_(tp_freep) char *dir = path_of("noisy-server");
	_cleanup_(tp_freep) char *authorized = path_of("noisy-server/authorized");
	_cleanup_(tp_freep) char *key = NULL;
	_cleanup_(tp_freep) char *line = NULL;
	struct tp_exec_result out = {};
	struct ssh_server noisy;
	struct tp_target_config config;
	struct tp_transport *t;
	struct tp_err err;

	(void)state;
	assert_int_equal(ssh_server_start(&noisy, dir, "ed25519"), 0);
	assert_int_equal(tp_file_read(authorized, 4096, &key, NULL, NULL), 0);
	line =
	    tp_strf("command=\"echo Welcome; echo; eval \\\"$SSH_ORIGINAL_COMMAND\\\"\" %s", key);
	assert_int_equal(tp_file_write(authorized, line, strlen(line), 0600, NULL), 0);
	config = ssh_server_config(&noisy);
	if (open_with(&config, &t, &err) != 0)
		fail_msg("%s", err.text);
	if (tp_remote_sh(t, "echo a b; exit 3", NULL, 100, tp_deadline_in(20000), &out, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(out.output, "a b\n");
	assert_int_equal(out.exit_code, 3);
	tp_exec_result_deinit(&out);
	tp_transport_close(t);
	ssh_server_stop(&noisy);
}

static int start_server(void **state)
{
	_cleanup_(tp_freep) char *dir = NULL;

	if (scratch_setup((void **)&scratch) < 0)
		return -1;
	*state = scratch;
	dir = path_of("sshd");
	return ssh_server_start(&server, dir, "ed25519");
}

static int stop_server(void **state)
{
	(void)state;
	ssh_server_stop(&server);
	return scratch_teardown((void **)&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(first_contact),
	    cmocka_unit_test(host_by_name),
	    cmocka_unit_test(changed_host_key),
	    cmocka_unit_test(vanished_host_key_type),
	    cmocka_unit_test(rsa_host_key),
	    cmocka_unit_test(ecdsa_works),
	    cmocka_unit_test(user_keys),
	    cmocka_unit_test(key_files),
	    cmocka_unit_test(nobody_there),
	    cmocka_unit_test(silence),
	    cmocka_unit_test(cut_in_mid_command),
	    cmocka_unit_test(frozen_in_mid_command),
	    cmocka_unit_test(frozen_in_mid_upload),
	    cmocka_unit_test(noisy_login),
	    cmocka_unit_test(full_disk),
	};

	if (!ssh_server_available()) {
		fprintf(stderr, "no sshd or ssh-keygen here: install openssh-server\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, start_server, stop_server);
}
