/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * triptych-agent: the program on the target. It reports facts and raw samples as JSON lines
 * and judges nothing. Every answer ends with an end record, whatever happened.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/record.h"
#include "commands/command.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const struct tp_command *const commands[] = {
    &tp_command_version, &tp_command_facts, &tp_command_run,
    &tp_command_status,	 &tp_command_stop,  &tp_command_list,
};

static const struct tp_command *find_command(const char *name)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static void print_usage(FILE *to)
{
	fputs("usage:\n", to);
	for (size_t i = 0; i < TP_ARRAY_SIZE(commands); i++)
		fprintf(to, "  triptych-agent %s %s\n", commands[i]->name, commands[i]->usage);
}

/* A descriptor that the login shell left open would keep the connection open for a whole run. */
static void close_inherited(void)
{
	if (close_range(3, ~0u, 0) < 0) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
	}
}

static int finish(int r, struct tp_str *out, const struct tp_err *err)
{
	if (r != 0)
		fprintf(stderr, "triptych-agent: %s\n", err->text);
	if (r == TP_COMMAND_E_USAGE)
		print_usage(stderr);
	tp_record_final(out, r == 0 ? NULL : err->text, -1);
	if (tp_record_print(out) < 0) {
		fprintf(stderr, "triptych-agent: cannot write to standard output\n");
		r = r == 0 ? -EIO : r;
	}
	tp_str_deinit(out);
	if (r == TP_COMMAND_E_USAGE)
		return EXIT_USAGE;
	return r == 0 ? EXIT_OK : EXIT_FAILED;
}

int main(int argc, char **argv)
{
	const struct tp_command *command = argc > 1 ? find_command(argv[1]) : NULL;
	struct tp_str out = {};
	struct tp_err err = {};

	close_inherited();
	signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!command) {
		tp_err_set(&err, -EINVAL, NULL, "%s is not a command",
			   argc > 1 ? argv[1] : "(nothing)");
		return finish(TP_COMMAND_E_USAGE, &out, &err);
	}
	return finish(command->run(argc - 2, argv + 2, &out, &err), &out, &err);
}
