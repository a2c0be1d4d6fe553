/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych: the command line. Finds the command, opens the state folder, runs it. */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/app.h"
#include "util/log.h"

static const struct tp_command *const commands[] = {
    &tp_cmd_demo,   &tp_cmd_doctor, &tp_cmd_target, &tp_cmd_exact,
    &tp_cmd_status, &tp_cmd_log,    &tp_cmd_retry,  &tp_cmd_query,
};

static void print_help(FILE *to)
{
	fprintf(to, "usage: triptych [--state DIR] [--data DIR] [--verbose|--quiet] COMMAND ...\n\n"
		    "Did exactly this commit change this metric on this machine?\n\n");
	for (size_t i = 0; i < TP_ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->help);
	fprintf(to, "\nEach command explains itself with --help; the manual is triptych(1).\n");
}

struct globals {
	const char *state, *data;
	int next; /* index of the command's name; 0 when help or version was asked for */
	int exit_code;
};

/* Options before the command. */
static struct globals parse_globals(int argc, char **argv)
{
	struct globals g = {.next = 1};

	for (; g.next < argc && argv[g.next][0] == '-'; g.next++) {
		const char *arg = argv[g.next];

		if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
			print_help(stdout);
			return (struct globals){};
		}
		if (strcmp(arg, "--version") == 0) {
			printf("triptych %s\n", TP_VERSION);
			return (struct globals){};
		}
		if (strcmp(arg, "--verbose") == 0) {
			tp_log_set_level(TP_LOG_DEBUG);
		} else if (strcmp(arg, "--quiet") == 0) {
			tp_log_set_level(TP_LOG_WARN);
		} else if (strcmp(arg, "--state") == 0 && g.next + 1 < argc) {
			g.state = argv[++g.next];
		} else if (strcmp(arg, "--data") == 0 && g.next + 1 < argc) {
			g.data = argv[++g.next];
		} else {
			fprintf(stderr, "triptych: unknown option %s\n", arg);
			print_help(stderr);
			return (struct globals){.exit_code = TP_EXIT_USAGE};
		}
	}
	return g;
}

static const struct tp_command *find_command(const char *name)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct tp_app app = {.worker = tp_worker_options_default()};
	struct globals globals = parse_globals(argc, argv);
	const struct tp_command *command;
	struct tp_err err = {};
	int code;

	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	if (globals.next == 0)
		return globals.exit_code;
	if (globals.next >= argc) {
		print_help(stderr);
		return TP_EXIT_USAGE;
	}
	command = find_command(argv[globals.next]);
	if (!command) {
		fprintf(stderr, "triptych: there is no command %s\n", argv[globals.next]);
		print_help(stderr);
		return TP_EXIT_USAGE;
	}
	if (tp_paths_init(&app.paths, globals.state, globals.data, &err) != 0)
		return tp_app_fail(&err);
	code = command->run(&app, argc - globals.next, argv + globals.next);
	app.store = tp_store_close(app.store);
	tp_paths_deinit(&app.paths);
	return code;
}
