/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * triptych demo: the main job on the embedded virtual machine, from nothing.
 *
 * Every part is the one that a real machine gets: a git history, normalised kernels, SSH, a
 * one-shot boot entry, a rescue kernel. Each stage is skipped when its result is there.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "build/build.h"
#include "cli/app.h"
#include "cli/paint.h"
#include "config/target.h"
#include "engine/enroll.h"
#include "engine/exact.h"
#include "target/machine.h"
#include "util/child.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/str.h"

#define SCRIPT_TIMEOUT_MS (30 * 60 * 1000)

struct demo {
	struct tp_app *app;
	char *history, *vm, *target_yaml;
	struct tp_kernel_result rescue;
	bool keep;
	const char *protocol;
};

static void demo_deinit(struct demo *d)
{
	free(d->history);
	free(d->vm);
	free(d->target_yaml);
	tp_kernel_result_deinit(&d->rescue);
}

static void on_script_line(const char *line, void *data)
{
	(void)data;
	tp_log(TP_LOG_INFO, "%s", line);
}

static int run_script(struct demo *d, const char *script, const char *const *args,
		      struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/lab/%s", d->app->paths.scripts, script);
	const char *argv[12] = {path};
	struct tp_child child = {
	    .argv = argv,
	    .merge_stderr = true,
	    .log_fd = -1,
	    .on_line = on_script_line,
	    .deadline = tp_deadline_in(SCRIPT_TIMEOUT_MS),
	};

	if (!path)
		return tp_err_oom(reterr);
	for (int i = 0; args[i] && i < 10; i++)
		argv[i + 1] = args[i];
	return tp_child_check(&child, NULL, reterr);
}

static int make_history(struct demo *d, struct tp_err *reterr)
{
	const char *args[] = {d->history, NULL};

	tp_log(TP_LOG_INFO, "demo 1/4: a git history of real kernel code (about a minute, once)");
	return run_script(d, "make-history", args, reterr);
}

static void on_build_progress(int done, int expected, const char *what, void *data)
{
	(void)what;
	tp_progress_count(data, done, expected, false);
}

/* The rescue kernel is the history's base, built like every other kernel. */
static int build_rescue(struct demo *d, struct tp_err *reterr)
{
	_cleanup_(tp_kernel_plan_deinit) struct tp_kernel_plan plan = {};
	_cleanup_(tp_freep) char *seed = NULL;
	_cleanup_(tp_freep) char *normalise = NULL;
	const struct tp_paths *paths = &d->app->paths;
	struct tp_progress progress = tp_paint_progress();
	struct tp_kernel_request request = {
	    .repo = d->history,
	    .spec = "demo/base",
	    .cache_dir = paths->kernels,
	    .work_dir = paths->work,
	    .timeout_ms = d->app->worker.build_timeout_ms,
	};
	int r = tp_paths_kconfig(paths, "vm-seed", &seed, reterr);

	if (r == 0)
		r = tp_paths_kconfig(paths, "normalise", &normalise, reterr);
	if (r != 0)
		return r;
	request.seed = seed;
	request.fragments = (const char *const[]){normalise, NULL};
	tp_log(TP_LOG_INFO, "demo 2/4: the rescue kernel (about ten minutes, once)");
	tp_progress_activity(&progress, "building demo/base");
	r = tp_kernel_plan_make(&request, &plan, reterr);
	if (r == 0)
		r = tp_kernel_build(&request, &plan, on_build_progress, &progress, &d->rescue,
				    reterr);
	tp_paint_end();
	if (r == 0 && d->rescue.outcome != TP_BUILD_OK)
		r = tp_err_set(reterr, -EIO, "demo/base", "the rescue kernel does not build: %s",
			       d->rescue.first_error ? d->rescue.first_error : "no message");
	return r;
}

/* A port of loopback that is free now; kept with the machine from then on. */
static int choose_port(struct demo *d, char ret[8], struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/port", d->app->paths.lab);
	_cleanup_(tp_freep) char *kept = NULL;
	_cleanup_(tp_fd_closep) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);

	if (!path)
		return tp_err_oom(reterr);
	if (tp_path_exists(path) && tp_file_read(path, 6, &kept, NULL, reterr) == 0) {
		snprintf(ret, 8, "%.6s", tp_str_chomp(kept));
		return 0;
	}
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		return tp_err_set(reterr, -errno, NULL, "no port of 127.0.0.1 is free: %s",
				  strerror(errno));
	snprintf(ret, 8, "%d", ntohs(addr.sin_port));
	return tp_file_write(path, ret, strlen(ret), 0640, reterr);
}

static int make_vm(struct demo *d, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *image = tp_strf("%s/bzImage", d->rescue.artifact_dir);
	char port[8] = "";
	const char *args[] = {d->vm, "--kernel", image, "--port", port, NULL};
	int r = image ? choose_port(d, port, reterr) : tp_err_oom(reterr);

	if (r != 0)
		return r;
	tp_log(TP_LOG_INFO, "demo 3/4: the virtual machine");
	return run_script(d, "make-vm", args, reterr);
}

static int power(struct demo *d, const char *action, struct tp_err *reterr)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config config = {};
	_cleanup_(tp_freep) char *text = NULL;
	bool on;
	int r = tp_target_config_load(d->target_yaml, &config, &text, reterr);

	if (r == 0)
		r = tp_power_act(&config, action, &on, reterr);
	return r;
}

/* The same machine under the same description keeps its row: unfinished jobs stay valid. */
static int enroll(struct demo *d, struct tp_err *reterr)
{
	_cleanup_(tp_target_row_deinit) struct tp_target_row row = {};
	_cleanup_(tp_target_config_deinit) struct tp_target_config config = {};
	_cleanup_(tp_freep) char *text = NULL;
	_cleanup_(tp_freep) char *name = NULL;
	int r = tp_target_config_load(d->target_yaml, &config, &text, reterr);

	if (r == 0)
		r = power(d, "on", reterr);
	if (r != 0)
		return r;
	if (tp_store_target_get(d->app->store, config.name, &row, reterr) == 0 &&
	    strcmp(row.yaml, text) == 0)
		return 0;
	return tp_enroll_add(d->app->store, &d->app->paths, d->target_yaml, NULL, NULL, &name,
			     reterr);
}

static int measure(struct demo *d, const char *spec)
{
	struct tp_exact exact = {
	    .repo = d->history,
	    .spec = spec,
	    .target = "lab",
	    .protocol = d->protocol,
	    .again = true,
	};
	struct tp_err err = {};
	int64_t job;
	bool done;

	if (tp_exact_prepare(d->app->store, &d->app->paths, &exact, &job, &done, &err) != 0)
		return tp_app_fail(&err);
	return tp_app_run_job(d->app, job);
}

static int prepare(struct demo *d, struct tp_err *reterr)
{
	int r = tp_dir_make(d->app->paths.lab, 0750, reterr);

	if (r == 0)
		r = tp_app_open(d->app, false, reterr);
	if (r == 0)
		r = make_history(d, reterr);
	if (r == 0)
		r = build_rescue(d, reterr);
	if (r == 0)
		r = make_vm(d, reterr);
	if (r == 0)
		r = enroll(d, reterr);
	return r;
}

static int demo_run(struct tp_app *app, int argc, char **argv)
{
	_cleanup_(demo_deinit) struct demo d = {.app = app, .protocol = "lab"};
	struct tp_option options[] = {
	    {.name = "keep", .flag = &d.keep},
	    {.name = "protocol", .text = &d.protocol},
	    {},
	};
	int first = tp_app_options(app, &tp_cmd_demo, argc, argv, options);
	const char *const default_specs[] = {"demo/slower", "demo/neutral", NULL};
	const char *const *specs = argc > first ? (const char *const *)argv + first : default_specs;
	struct tp_err err = {};
	int r = TP_EXIT_OK;

	if (first < 0)
		return TP_EXIT_USAGE;
	d.history = tp_strf("%s/history", app->paths.lab);
	d.vm = tp_strf("%s/vm", app->paths.lab);
	d.target_yaml = tp_strf("%s/vm/target.yaml", app->paths.lab);
	if (!d.history || !d.vm || !d.target_yaml)
		return TP_EXIT_FAILED;
	if (prepare(&d, &err) != 0)
		return tp_app_fail(&err);
	tp_log(TP_LOG_INFO,
	       "demo 4/4: measuring parent A, child, parent B (about two minutes each)");
	for (; *specs && r == TP_EXIT_OK; specs++)
		r = measure(&d, *specs);
	if (!d.keep && power(&d, "off", &err) != 0)
		tp_log(TP_LOG_WARN, "the virtual machine is still running: %s", err.text);
	return r;
}

const struct tp_command tp_cmd_demo = {
    .name = "demo",
    .usage = "[REV...] [--protocol P] [--keep] [--json|--tsv]",
    .help = "the main job on the embedded virtual machine, from nothing",
    .run = demo_run,
};
