/* SPDX-License-Identifier: GPL-2.0-or-later */
/* triptych doctor: what this controller lacks, in plain words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/app.h"
#include "util/fd.h"
#include "util/str.h"

#define LEAST_FREE_GIB 6

static const struct {
	const char *program, *package, *purpose;
} wanted[] = {
    {"git", "git", "sources and worktrees"},
    {"make", "make", "kernel builds"},
    {"gcc", "gcc", "kernel builds"},
    {"ld", "binutils", "kernel builds"},
    {"flex", "flex", "kernel builds"},
    {"bison", "bison", "kernel builds"},
    {"bc", "bc", "kernel builds"},
    {"ccache", "ccache", "kernel builds in seconds rather than minutes"},
    {"qemu-system-x86_64", "qemu-system-x86", "the embedded virtual machine"},
    {"grub-mkstandalone", "grub-common", "the embedded virtual machine"},
    {"mcopy", "mtools", "the embedded virtual machine"},
    {"mkfs.vfat", "dosfstools", "the embedded virtual machine"},
    {"cpio", "cpio", "the embedded virtual machine"},
};

static bool in_path(const char *program)
{
	const char *path = getenv("PATH");
	_cleanup_(tp_freep) char *copy = strdup(path ? path : "/usr/bin:/bin");
	char *save = NULL;

	for (char *dir = copy ? strtok_r(copy, ":", &save) : NULL; dir;
	     dir = strtok_r(NULL, ":", &save)) {
		_cleanup_(tp_freep) char *file = tp_strf("%s/%s", dir, program);

		if (file && access(file, X_OK) == 0)
			return true;
	}
	/* mkfs.vfat lives where an ordinary user's PATH does not look. */
	return strcmp(program, "mkfs.vfat") == 0 && access("/sbin/mkfs.vfat", X_OK) == 0;
}

static int check_programs(void)
{
	int lacking = 0;

	for (size_t i = 0; i < TP_ARRAY_SIZE(wanted); i++) {
		if (in_path(wanted[i].program))
			continue;
		printf("lacking: %s, needed for %s (Debian: apt-get install %s)\n",
		       wanted[i].program, wanted[i].purpose, wanted[i].package);
		lacking++;
	}
	return lacking;
}

static int check_file(const char *path, const char *what)
{
	if (tp_path_exists(path))
		return 0;
	printf("lacking: %s at %s; build or install triptych again\n", what, path);
	return 1;
}

static int check_disk(const char *state)
{
	int64_t free_bytes = tp_disk_free(state);

	if (free_bytes >= (int64_t)LEAST_FREE_GIB << 30)
		return 0;
	printf("lacking: disk: %s has %lld MiB free; a kernel's trees and artefacts need about %d "
	       "GiB\n",
	       state, (long long)free_bytes >> 20, LEAST_FREE_GIB);
	return 1;
}

static int doctor_run(struct tp_app *app, int argc, char **argv)
{
	int first = tp_app_options(app, &tp_cmd_doctor, argc, argv, NULL);
	struct tp_err err = {};
	int lacking;

	if (first < 0)
		return TP_EXIT_USAGE;
	if (argc != first)
		return tp_app_usage(&tp_cmd_doctor, "it takes no operand");
	lacking = check_programs() + check_disk(app->paths.state);
	lacking += check_file(app->paths.agent, "the agent");
	lacking += check_file(app->paths.data, "the data folder");
	if (tp_app_open(app, false, &err) != 0) {
		printf("lacking: a working database: %s\n", err.text);
		lacking++;
	}
	if (lacking == 0)
		printf("this controller has all it needs; state is in %s\n", app->paths.state);
	return lacking ? TP_EXIT_FAILED : TP_EXIT_OK;
}

const struct tp_command tp_cmd_doctor = {
    .name = "doctor",
    .usage = "",
    .help = "what this controller lacks, in plain words",
    .run = doctor_run,
};
