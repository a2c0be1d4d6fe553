/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry of transports, and what is common to them; see transport.h. */
#include "target/transport.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "target/transports.h"
#include "util/str.h"

#define CHECK_MAX_OUTPUT (1 << 20)

static const struct tp_transport_ops *const registry[] = {
    &tp_transport_ssh,
    &tp_transport_local,
};

void tp_exec_result_deinit(struct tp_exec_result *result)
{
	free(result->output);
	free(result->errors);
	*result = (struct tp_exec_result){};
}

static const struct tp_transport_ops *find_ops(const char *kind)
{
	for (size_t i = 0; kind && i < TP_ARRAY_SIZE(registry); i++) {
		if (strcmp(registry[i]->kind, kind) == 0)
			return registry[i];
	}
	return NULL;
}

int tp_transport_open(const struct tp_target_config *config, struct tp_deadline deadline,
		      struct tp_transport **ret, struct tp_err *reterr)
{
	const struct tp_transport_ops *ops = find_ops(config->transport.kind);

	if (!ops)
		return tp_err_set(reterr, -EINVAL, config->name,
				  "there is no transport of the kind \"%s\"; use ssh",
				  config->transport.kind ? config->transport.kind : "");
	return ops->open(config, deadline, ret, reterr);
}

struct tp_transport *tp_transport_close(struct tp_transport *t)
{
	if (t)
		t->ops->close(t);
	return NULL;
}

bool tp_transport_answers(const struct tp_target_config *config, struct tp_deadline deadline)
{
	const struct tp_transport_ops *ops = find_ops(config->transport.kind);

	return ops && ops->answers(config, deadline);
}

/* The last line that says something. */
static const char *last_words(struct tp_exec_result *result)
{
	char *text = tp_str_chomp(result->errors[0] ? result->errors : result->output);
	char *line = strrchr(text, '\n');

	tp_str_sanitize(text);
	if (strlen(text) > 300 && !line)
		text[300] = '\0';
	return line ? line + 1 : text;
}

int tp_transport_check(struct tp_transport *t, const char *const *argv, struct tp_deadline deadline,
		       char **ret_output, struct tp_err *reterr)
{
	_cleanup_(tp_exec_result_deinit) struct tp_exec_result result = {};
	int r = t->ops->exec(t, argv, CHECK_MAX_OUTPUT, deadline, &result, reterr);

	if (r)
		return r;
	if (result.exit_code == 127)
		return tp_err_set(reterr, -ENOENT, NULL, "the target lacks the program %s",
				  argv[0]);
	if (result.exit_code != 0)
		return tp_err_set(reterr, -EIO, NULL, "on the target, %s ended with %d: %s",
				  argv[0], result.exit_code, last_words(&result));
	if (ret_output)
		*ret_output = TP_TAKE(result.output);
	return 0;
}
