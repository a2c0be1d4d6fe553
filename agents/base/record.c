/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the protocol; see record.h. */
#include "base/record.h"

#include <errno.h>
#include <unistd.h>

#include "util/fd.h"

struct tp_jsonw tp_record_begin(struct tp_str *out, const char *kind, bool first)
{
	struct tp_jsonw w = tp_jsonw_on(out);

	tp_jsonw_object(&w, NULL);
	if (first)
		tp_jsonw_int(&w, "triptych_agent", TP_AGENT_PROTOCOL);
	tp_jsonw_text(&w, "record", kind);
	return w;
}

void tp_record_end(struct tp_jsonw *w)
{
	tp_jsonw_object_end(w);
	tp_str_append(w->out, "\n");
}

void tp_record_final(struct tp_str *out, const char *reason, int64_t records)
{
	struct tp_jsonw w = tp_record_begin(out, "end", false);

	tp_jsonw_text(&w, "status", reason ? "failed" : "ok");
	if (reason)
		tp_jsonw_text(&w, "reason", reason);
	if (records >= 0)
		tp_jsonw_int(&w, "records", records);
	tp_record_end(&w);
}

int tp_record_print(struct tp_str *out)
{
	int r = out->broken ? -ENOMEM : tp_fd_write_all(STDOUT_FILENO, out->data, out->len);

	tp_str_reset(out);
	return r;
}
