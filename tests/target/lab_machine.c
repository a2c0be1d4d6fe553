/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual lab machine; see lab_machine.h. */
#include "lab_machine.h"

#include <stdio.h>
#include <unistd.h>

#include "target/remote.h"
#include "target/transport.h"
#include "util/child.h"
#include "util/hash.h"
#include "../util/scratch.h"

#define MAKE_MS	 120000
#define LOGIN_MS 180000

static char *disk_image(void)
{
	const char *vm = getenv("TRIPTYCH_LAB_VM");
	char *image = vm ? tp_strf("%s/disk.img", vm) : NULL;

	if (image && access(image, R_OK) == 0)
		return image;
	free(image);
	return NULL;
}

bool lab_machine_available(void)
{
	const char *kernel = getenv("TRIPTYCH_LAB_KERNEL");
	_cleanup_(tp_freep) char *image = kernel ? tp_strf("%s/bzImage", kernel) : disk_image();

	if (!image || access(image, R_OK) < 0) {
		fprintf(stderr, "no kernel for the lab machine: TRIPTYCH_LAB_KERNEL must name a "
				"folder that holds a bzImage\n");
		return false;
	}
	if (access("/usr/bin/qemu-system-x86_64", X_OK) < 0) {
		fprintf(stderr, "qemu-system-x86 is not installed\n");
		return false;
	}
	return true;
}

static void run_program(const char *const *argv)
{
	const struct tp_child child = {
	    .argv = argv, .log_fd = -1, .deadline = tp_deadline_in(MAKE_MS)};
	struct tp_err err = {};

	if (tp_child_check(&child, NULL, &err) != 0)
		fail_msg("%s: %s", argv[0], err.text);
}

static void take_rescue_kernel(struct lab_machine *lab, const char *scratch)
{
	_cleanup_(tp_freep) char *image = disk_image();
	_cleanup_(tp_freep) char *to = NULL;

	lab->artifact_dir = tp_strf("%s/kernel", scratch);
	to = tp_strf("%s/bzImage", lab->artifact_dir);
	assert_int_equal(tp_dir_make(lab->artifact_dir, 0700, NULL), 0);
	run_program((const char *[]){"mcopy", "-n", "-i", image, "::/vmlinuz-rescue", to, NULL});
}

static void make_machine(struct lab_machine *lab)
{
	const char *source = getenv("TRIPTYCH_SOURCE");
	_cleanup_(tp_freep) char *tool = tp_strf("%s/tools/lab/make-vm", source);
	_cleanup_(tp_freep) char *image = tp_strf("%s/bzImage", lab->artifact_dir);
	_cleanup_(tp_freep) char *port = tp_strf("%d", 20000 + (int)(getpid() % 20000));

	run_program((const char *[]){tool, lab->dir, "--kernel", image, "--port", port, NULL});
}

static void read_config(struct lab_machine *lab)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/target.yaml", lab->dir);
	_cleanup_(tp_freep) char *text = NULL;
	struct tp_err err = {};

	if (tp_target_config_load(path, &lab->config, &text, &err) != 0)
		fail_msg("target.yaml: %s", err.text);
	lab->cmdline = lab->config.boot.cmdline;
	lab->config.deadlines.up_ms = LOGIN_MS;
}

void lab_machine_reopen(struct lab_machine *lab)
{
	struct tp_err err = {};

	lab->bench.m = tp_machine_close(lab->bench.m);
	if (tp_machine_open(&lab->config, lab->agent, &lab->bench.m, &err) != 0)
		fail_msg("open: %s", err.text);
}

char *lab_machine_sh(struct lab_machine *lab, const char *script)
{
	struct tp_transport *t = NULL;
	struct tp_exec_result out = {};
	struct tp_err err = {};
	char *text;

	if (tp_transport_open(&lab->config, tp_deadline_in(60000), &t, &err) != 0 ||
	    tp_remote_sh(t, script, NULL, 65536, tp_deadline_in(60000), &out, &err) != 0)
		fail_msg("%s: %s", script, err.text);
	tp_transport_close(t);
	text = TP_TAKE(out.output);
	tp_exec_result_deinit(&out);
	return text;
}

static void run_quietly(struct lab_machine *lab, const char *script)
{
	free(lab_machine_sh(lab, script));
}

/* A rescue kernel that is the kernel under test: only token and cause differ. */
static void provoke(struct machine_bench *b, enum machine_fault fault)
{
	struct lab_machine *lab = b->data;
	static char *spoilt;

	switch (fault) {
	case FAULT_NONE:
		free(TP_TAKE(spoilt));
		lab->config.boot.cmdline = lab->cmdline;
		lab->config.deadlines.up_ms = LOGIN_MS;
		b->request.build_id = lab->rescue.build_id;
		b->run.workload = "toy";
		if (lab->config.transport.port < 0) {
			lab->config.transport.port = -lab->config.transport.port;
			lab_machine_reopen(lab);
		} else {
			run_quietly(lab, "rm -f /boot/fill; sync");
		}
		break;
	case FAULT_FELL_BACK:
		lab->config.boot.cmdline = spoilt = tp_strf("%s rdinit=/nothing", lab->cmdline);
		break;
	case FAULT_NEVER_CAME_UP:
		lab->config.boot.cmdline = spoilt = tp_strf("%s rdinit=/bin/sh", lab->cmdline);
		lab->config.deadlines.up_ms = LOGIN_MS / 2;
		break;
	case FAULT_WRONG_KERNEL:
		b->request.build_id = "ffffffffffffffffffffffffffffffffffffffff";
		break;
	case FAULT_NEVER_WENT_DOWN:
		run_quietly(lab, "rm /sbin/reboot; ln -s /bin/true /sbin/reboot");
		lab->config.deadlines.down_ms = 8000;
		break;
	case FAULT_NO_SPACE:
		run_quietly(lab, "dd if=/dev/zero of=/boot/fill bs=1M; sync");
		break;
	case FAULT_UNREACHABLE:
		lab->config.transport.port = -lab->config.transport.port;
		lab_machine_reopen(lab);
		break;
	case FAULT_RUN_FAILED:
		b->run.workload = "fail-late";
		break;
	case FAULT_AGENT_DIED:
		b->run.workload = "die";
		break;
	}
}

void lab_machine_start(struct lab_machine *lab, const char *scratch)
{
	struct tp_err err = {};

	*lab = (struct lab_machine){
	    .dir = tp_strf("%s/vm", scratch),
	    .agent = tp_strf("%s/tests/target/agent-stub", getenv("TRIPTYCH_SOURCE")),
	};
	const char *kernel = getenv("TRIPTYCH_LAB_KERNEL");
	_cleanup_(tp_freep) char *image = NULL;

	if (kernel)
		lab->artifact_dir = strdup(kernel);
	else
		take_rescue_kernel(lab, scratch);
	image = tp_strf("%s/bzImage", lab->artifact_dir);
	make_machine(lab);
	read_config(lab);
	assert_int_equal(tp_sha256_path(image, lab->image_sha256, NULL), 0);
	if (tp_power_act(&lab->config, "on", NULL, &err) != 0)
		fail_msg("power on: %s", err.text);
	lab_machine_reopen(lab);
	if (tp_machine_rescue(lab->bench.m, &err) != 0 ||
	    tp_machine_identify(lab->bench.m, &lab->rescue, &err) != 0)
		fail_msg("first login: %s", err.text);
	lab->bench = (struct machine_bench){
	    .config = &lab->config,
	    .m = lab->bench.m,
	    .agent = lab->agent,
	    .dir = scratch,
	    .request = {.artifact_dir = lab->artifact_dir,
			.image_sha256 = lab->image_sha256,
			.release = lab->rescue.release,
			.build_id = lab->rescue.build_id,
			.token = "00112233445566aa"},
	    .run = {.run_id = "00112233445566aa", .workload = "toy", .warmup = 2, .rounds = 10},
	    .provoke = provoke,
	    .data = lab,
	};
}

void lab_machine_stop(struct lab_machine *lab)
{
	tp_machine_close(lab->bench.m);
	if (lab->config.power.kind && tp_power_act(&lab->config, "off", NULL, NULL) != 0)
		fprintf(stderr, "the lab machine could not be switched off\n");
	lab->config.boot.cmdline = lab->cmdline;
	tp_target_config_deinit(&lab->config);
	free(lab->dir);
	free(lab->artifact_dir);
	free(lab->agent);
}
