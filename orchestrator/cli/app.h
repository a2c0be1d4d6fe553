/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every command starts from: where things are, the open database, the chosen output.
 */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include "engine/paths.h"
#include "engine/worker.h"
#include "store/store.h"
#include "util/err.h"

enum tp_output {
	TP_OUTPUT_TEXT,
	TP_OUTPUT_JSON,
	TP_OUTPUT_TSV,
};

/* Exit codes of every command. */
enum {
	TP_EXIT_OK = 0,
	TP_EXIT_FAILED = 1,
	TP_EXIT_USAGE = 2,
	TP_EXIT_INCONCLUSIVE = 4,
};

struct tp_app {
	struct tp_paths paths;
	struct tp_store *store;
	enum tp_output output;
	struct tp_worker_options worker;
};

struct tp_command {
	const char *name;
	const char *usage;				       /* after "triptych NAME " */
	const char *help;				       /* one line */
	int (*run)(struct tp_app *app, int argc, char **argv); /* argv[0] is the command's name */
};

/* One option of a command; exactly one of @flag, @text and @number is set. */
struct tp_option {
	const char *name; /* long name without dashes */
	bool *flag;
	const char **text;
	long long *number;
};

/*
 * Parse @argv by @options (ended by a zero entry) plus --json and --tsv. Options may stand
 * anywhere. Returns the index of the first operand, or -1 after it has said what is wrong.
 */
int tp_app_options(struct tp_app *app, const struct tp_command *command, int argc, char **argv,
		   const struct tp_option *options);

/* Open the database: writable (created when it is not there) or for queries. */
TP_MUST_CHECK int tp_app_open(struct tp_app *app, bool read_only, struct tp_err *reterr);

/* Print @err on stderr and return TP_EXIT_FAILED. */
int tp_app_fail(const struct tp_err *err);

/* Print usage and return TP_EXIT_USAGE. */
int tp_app_usage(const struct tp_command *command, const char *what);

extern const struct tp_command tp_cmd_demo, tp_cmd_doctor, tp_cmd_exact, tp_cmd_log, tp_cmd_query,
    tp_cmd_retry, tp_cmd_status, tp_cmd_target;

/* Run @job in the foreground with live progress, then print its verdicts. An exit code. */
int tp_app_run_job(struct tp_app *app, int64_t job);

/* Print a finished job's answer: the verdict table, or why there is none. An exit code. */
int tp_app_show_job(struct tp_app *app, int64_t job);
