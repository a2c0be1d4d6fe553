/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making a machine known; see enroll.h. */
#include "engine/enroll.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/target.h"
#include "target/machine.h"
#include "target/transport.h"
#include "util/clock.h"
#include "util/str.h"

/* Look at the machine as a job would; @ret_facts is its facts as JSON. */
static int inspect(const struct tp_paths *paths, const struct tp_target_config *config,
		   char **ret_facts, struct tp_err *reterr)
{
	_cleanup_(tp_machine_closep) struct tp_machine *machine = NULL;
	int r = tp_machine_open(config, paths->agent, &machine, reterr);

	if (r == 0)
		r = tp_machine_rescue(machine, reterr);
	if (r == 0)
		r = tp_machine_precheck(machine, reterr);
	if (r == 0)
		r = tp_machine_facts(machine, ret_facts, reterr);
	return tp_err_as_errno(r, reterr);
}

/* Replace *@text by a description that pins the key which answers, if the person agrees. */
static int pin(struct tp_target_config *config, char **text, const char *origin,
	       tp_enroll_trust_fn trust, void *data, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *key = NULL;
	_cleanup_(tp_freep) char *fingerprint = NULL;
	_cleanup_(tp_freep) char *pinned = NULL;
	int r = tp_ssh_fetch_host_key(config, tp_deadline_in(config->deadlines.connect_ms), &key,
				      &fingerprint, reterr);

	if (r != 0)
		return tp_err_as_errno(r, reterr);
	if (!trust || !trust(key, fingerprint, data))
		return tp_err_set(
		    reterr, -EPERM, config->name,
		    "the host key of %s (%s) is not trusted; compare it on the machine "
		    "and give --accept-host-key, or write transport.host_key yourself",
		    config->name, fingerprint);
	r = tp_target_config_pin(*text, origin, key, &pinned, reterr);
	if (r != 0)
		return r;
	tp_target_config_deinit(config);
	r = tp_target_config_parse(pinned, origin, config, reterr);
	if (r == 0) {
		free(*text);
		*text = TP_TAKE(pinned);
	}
	return r;
}

int tp_enroll_add(struct tp_store *store, const struct tp_paths *paths, const char *yaml_path,
		  tp_enroll_trust_fn trust, void *data, char **ret_name, struct tp_err *reterr)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config config = {};
	_cleanup_(tp_freep) char *text = NULL;
	_cleanup_(tp_freep) char *facts = NULL;
	char *name;
	int64_t id;
	int r = tp_target_config_load(yaml_path, &config, &text, reterr);

	if (r == 0 && strcmp(config.transport.kind, "ssh") == 0 && !config.transport.host_key)
		r = pin(&config, &text, yaml_path, trust, data, reterr);
	if (r == 0)
		r = inspect(paths, &config, &facts, reterr);
	if (r != 0)
		return r;
	r = tp_store_target_put(store, config.name, text, config.evidence, facts,
				tp_clock_wall_ms(), &id, reterr);
	if (r != 0)
		return tp_err_as_errno(r, reterr);
	name = strdup(config.name);
	if (!name)
		return tp_err_oom(reterr);
	*ret_name = name;
	return 0;
}

int tp_enroll_find(struct tp_store *store, const char *name, struct tp_target_row *ret,
		   struct tp_err *reterr)
{
	int r = tp_store_target_get(store, name, ret, reterr);

	if (r == TP_STORE_E_NOT_FOUND)
		return tp_err_set(reterr, -ENOENT, name,
				  "there is no target named %s; `triptych target list` shows those "
				  "there are, `triptych target add FILE` adds one",
				  name);
	return tp_err_as_errno(r, reterr);
}

int tp_enroll_check(struct tp_store *store, const struct tp_paths *paths, const char *name,
		    char **ret_facts_json, struct tp_err *reterr)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config config = {};
	_cleanup_(tp_target_row_deinit) struct tp_target_row row = {};
	_cleanup_(tp_freep) char *facts = NULL;
	int64_t id;
	int r = tp_enroll_find(store, name, &row, reterr);

	if (r == 0 && strcmp(row.state, tp_target_state_name(TP_TARGET_LEASED)) == 0)
		return tp_err_set(reterr, -EBUSY, name,
				  "target %s is measuring for a job; a check would disturb it",
				  name);
	if (r == 0)
		r = tp_target_config_parse(row.yaml, name, &config, reterr);
	if (r == 0)
		r = inspect(paths, &config, &facts, reterr);
	if (r == 0)
		r = tp_store_target_put(store, name, row.yaml, config.evidence, facts,
					tp_clock_wall_ms(), &id, reterr);
	if (r == 0)
		*ret_facts_json = TP_TAKE(facts);
	return tp_err_as_errno(r, reterr);
}
