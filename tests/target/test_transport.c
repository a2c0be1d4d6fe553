/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conformance table of transports, on this machine directly and through a real sshd. */
#include <stdio.h>

#include "ssh_server.h"
#include "transport_checks.h"
#include "../util/scratch.h"

static struct ssh_server server = {.pid = -1, .relay = -1};

static void run_check(const struct tp_target_config *config, const char *dir,
		      const struct transport_check *check)
{
	struct transport_bench bench = {.dir = dir};
	struct tp_err err = {};
	int r = tp_transport_open(config, tp_deadline_in(30000), &bench.t, &err);

	if (r)
		fail_msg("open: %d %s", r, err.text);
	print_message("%s: %s\n", bench.t->ops->kind, check->name);
	check->run(&bench);
	tp_transport_close(bench.t);
}

static void local_conforms(void **state)
{
	static char kind[] = "local", name[] = "here";
	struct tp_target_config config = {.name = name, .transport.kind = kind};

	for (int i = 0; i < n_transport_checks; i++)
		run_check(&config, *state, &transport_checks[i]);
}

static void ssh_conforms(void **state)
{
	struct tp_target_config config;

	if (!ssh_server_available()) {
		print_message("no sshd here: install openssh-server\n");
		skip();
	}
	config = ssh_server_config(&server);
	for (int i = 0; i < n_transport_checks; i++)
		run_check(&config, *state, &transport_checks[i]);
}

static int start_server(void **state)
{
	_cleanup_(tp_freep) char *dir = NULL;

	if (scratch_setup(state) < 0)
		return -1;
	dir = tp_strf("%s/sshd", (char *)*state);
	return ssh_server_available() ? ssh_server_start(&server, dir, "ed25519") : 0;
}

static int stop_server(void **state)
{
	ssh_server_stop(&server);
	return scratch_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(local_conforms),
	    cmocka_unit_test_setup_teardown(ssh_conforms, start_server, stop_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
