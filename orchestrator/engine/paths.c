/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things are; see paths.h. */
#include "engine/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

static bool runs_from_build_tree(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return false;
	exe[n] = '\0';
	return tp_str_starts(exe, TP_BUILD_ROOT "/");
}

static char *default_state(void)
{
	const char *own = getenv("TRIPTYCH_STATE");
	const char *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (own && own[0])
		return strdup(own);
	if (xdg && xdg[0] == '/')
		return tp_strf("%s/triptych", xdg);
	return tp_strf("%s/.local/state/triptych", home && home[0] ? home : "/root");
}

/* An absolute spelling, so that a later change of folder or a child's cwd does not matter. */
static char *absolute(const char *path)
{
	_cleanup_(tp_freep) char *cwd = NULL;

	if (path[0] == '/')
		return strdup(path);
	cwd = getcwd(NULL, 0);
	return cwd ? tp_strf("%s/%s", cwd, path) : NULL;
}

static int find_state(struct tp_paths *p, const char *state)
{
	_cleanup_(tp_freep) char *given = state ? strdup(state) : default_state();

	p->state = given ? absolute(given) : NULL;
	if (!p->state)
		return -ENOMEM;
	p->database = tp_strf("%s/triptych.db", p->state);
	p->kernels = tp_strf("%s/kernels", p->state);
	p->work = tp_strf("%s/work", p->state);
	p->logs = tp_strf("%s/logs", p->state);
	p->lab = tp_strf("%s/lab", p->state);
	return p->database && p->kernels && p->work && p->logs && p->lab ? 0 : -ENOMEM;
}

static int find_data(struct tp_paths *p, const char *data)
{
	bool in_tree = runs_from_build_tree();
	const char *env = getenv("TRIPTYCH_DATA");
	const char *agent = getenv("TRIPTYCH_AGENT");

	if (!data)
		data = env && env[0] ? env : (in_tree ? TP_SOURCE_ROOT : TP_DATA_DIR);
	p->data = absolute(data);
	p->scripts = strdup(in_tree ? TP_SOURCE_ROOT "/tools" : TP_LIBEXEC_DIR);
	if (agent && agent[0])
		p->agent = absolute(agent);
	else
		p->agent = strdup(in_tree ? TP_BUILD_ROOT "/agents/triptych-agent"
					  : TP_LIBEXEC_DIR "/triptych-agent");
	return p->data && p->scripts && p->agent ? 0 : -ENOMEM;
}

int tp_paths_init(struct tp_paths *ret, const char *state, const char *data, struct tp_err *reterr)
{
	struct tp_paths p = {};
	int r;

	if (find_state(&p, state) < 0 || find_data(&p, data) < 0) {
		tp_paths_deinit(&p);
		return tp_err_oom(reterr);
	}
	r = tp_dir_make(p.state, 0750, reterr);
	if (r == 0)
		r = tp_dir_make(p.kernels, 0750, reterr);
	if (r == 0)
		r = tp_dir_make(p.work, 0750, reterr);
	if (r == 0)
		r = tp_dir_make(p.logs, 0750, reterr);
	if (r < 0) {
		tp_paths_deinit(&p);
		return r;
	}
	*ret = p;
	return 0;
}

void tp_paths_deinit(struct tp_paths *p)
{
	free(p->state);
	free(p->database);
	free(p->kernels);
	free(p->work);
	free(p->logs);
	free(p->lab);
	free(p->data);
	free(p->scripts);
	free(p->agent);
	*p = (struct tp_paths){};
}

int tp_paths_kconfig(const struct tp_paths *paths, const char *name, char **ret,
		     struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = strchr(name, '/')
					     ? absolute(name)
					     : tp_strf("%s/kconfigs/%s.config", paths->data, name);

	if (!path)
		return tp_err_oom(reterr);
	if (!tp_path_exists(path))
		return tp_err_set(
		    reterr, -ENOENT, name,
		    "there is no kernel configuration %s (looked for %s); give a path "
		    "or one of the names in kconfigs/",
		    name, path);
	*ret = TP_TAKE(path);
	return 0;
}
