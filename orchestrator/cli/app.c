/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every command starts from; see app.h. */
#include "cli/app.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fd.h"
#include "util/str.h"

#define MAX_OPTIONS 16

int tp_app_usage(const struct tp_command *command, const char *what)
{
	fprintf(stderr, "triptych %s: %s\nusage: triptych %s %s\n", command->name, what,
		command->name, command->usage);
	return TP_EXIT_USAGE;
}

int tp_app_fail(const struct tp_err *err)
{
	fflush(stdout);
	fprintf(stderr, "triptych: %s\n", err->text[0] ? err->text : strerror(-err->code));
	return TP_EXIT_FAILED;
}

int tp_app_open(struct tp_app *app, bool read_only, struct tp_err *reterr)
{
	int r;

	if (app->store)
		return 0;
	if (read_only && !tp_path_exists(app->paths.database))
		return tp_err_set(reterr, -ENOENT, NULL,
				  "there is no database at %s yet: nothing has been measured with "
				  "this state folder (--state DIR chooses another)",
				  app->paths.database);
	r = tp_store_open(app->paths.database, read_only, 10000, &app->store, reterr);
	return tp_err_as_errno(r, reterr);
}

static int take_option(const struct tp_command *command, const struct tp_option *option,
		       const char *value)
{
	long long number;
	char what[160];

	if (option->flag) {
		*option->flag = true;
		return 0;
	}
	if (option->text) {
		*option->text = value;
		return 0;
	}
	if (tp_parse_i64(value, 0, LLONG_MAX, &number) < 0) {
		snprintf(what, sizeof(what), "--%s takes a whole number, not '%.60s'", option->name,
			 value);
		tp_app_usage(command, what);
		return -1;
	}
	*option->number = number;
	return 0;
}

int tp_app_options(struct tp_app *app, const struct tp_command *command, int argc, char **argv,
		   const struct tp_option *options)
{
	struct option table[MAX_OPTIONS + 4] = {
	    {"json", no_argument, NULL, 'j'},
	    {"tsv", no_argument, NULL, 't'},
	    {"help", no_argument, NULL, 'h'},
	};
	int n = 3;
	int c, index;

	for (const struct tp_option *o = options; o && o->name && n < MAX_OPTIONS + 3; o++)
		table[n++] = (struct option){o->name, o->flag ? no_argument : required_argument,
					     NULL, 1000 + (int)(o - options)};
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", table, &index)) != -1) {
		char what[160];

		if (c == 'j') {
			app->output = TP_OUTPUT_JSON;
		} else if (c == 't') {
			app->output = TP_OUTPUT_TSV;
		} else if (c == 'h') {
			printf("triptych %s: %s\nusage: triptych %s %s\n", command->name,
			       command->help, command->name, command->usage);
			exit(TP_EXIT_OK);
		} else if (c >= 1000) {
			if (take_option(command, &options[c - 1000], optarg) < 0)
				return -1;
		} else {
			snprintf(what, sizeof(what),
				 c == ':' ? "%.80s lacks its value" : "unknown option %.80s",
				 argv[optind - 1]);
			tp_app_usage(command, what);
			return -1;
		}
	}
	return optind;
}
