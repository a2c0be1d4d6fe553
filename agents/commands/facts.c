/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `facts`: everything of the target contract that can be read. */
#include "facts/facts.h"
#include "base/args.h"
#include "base/record.h"
#include "commands/command.h"

static const struct tp_option options[] = {
    {.name = "root",
     .kind = TP_OPTION_TEXT,
     .help = "read files from under this folder, and run nothing"},
};

static int run_facts(int argc, char *const *argv, struct tp_str *out, struct tp_err *reterr)
{
	struct tp_value values[TP_ARRAY_SIZE(options)];
	struct tp_option_set set = {options, TP_ARRAY_SIZE(options), values};
	struct tp_jsonw w;

	if (tp_args_parse(argc, argv, &set, 1, reterr) < 0)
		return TP_COMMAND_E_USAGE;
	w = tp_record_begin(out, "facts", true);
	tp_facts_all(&w, "facts", values[0].text);
	tp_record_end(&w);
	return 0;
}

const struct tp_command tp_command_facts = {
    .name = "facts", .usage = "[--root DIR]", .run = run_facts};
