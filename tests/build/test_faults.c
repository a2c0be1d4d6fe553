/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "The source does not build" against "we failed": only the first is evidence. */
#include "build_helper.h"

#include <errno.h>
#include <sys/mount.h>

static void assert_does_not_build(const struct toy *t, const char *spec, const char *first_error,
				  const char *in_log)
{
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};
	_cleanup_(tp_freep) char *log = NULL;
	struct tp_err err = {};

	if (try_build(t, spec, &k, &err) < 0)
		fail_msg("%s: %s", spec, err.text);
	assert_int_equal(k.outcome, TP_BUILD_FAIL);
	assert_contains(k.first_error, first_error);
	assert_null(k.artifact_dir);
	log = unpacked(k.log_path);
	assert_contains(log, in_log);
}

static void the_first_error_and_the_log(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result before =
	    built(&t, "toy/new-option");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result after = {};

	variant(*state, "after", "toy/new-option", "sed -i 's/n + 2/n + 3/' kernel/sched.c");
	assert_does_not_build(&t, "toy/broken-build", "fs/notify.c:9:20: error: ", "toy_missing");
	run(*state, "grep -q toy_missing cache/failed/*/failure.json;"
		    "test \"$(ls cache/failed | wc -l)\" = 1");
	/* A second time: the same answer, the old record replaced. */
	assert_does_not_build(&t, "toy/broken-build", "fs/notify.c:9:20: error: ", "toy_missing");
	run(*state, "test \"$(ls cache/failed | wc -l)\" = 1; test ! -e work/obj.aside");
	/* The kept tree outlived it. */
	after = built(&t, "after");
	assert_manifest(&after, "kernel.incremental", "true");
	assert_int_equal(after.files_compiled, 3);
}

static void other_ways_not_to_build(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);

	variant(*state, "undefined", "toy/base",
		"echo 'int g(void); int h(void); int h(void) "
		"{ return g(); }' >>kernel/sched.c");
	variant(*state, "norule", "toy/base", "git rm -q kernel/sched.c");
	variant(*state, "kconfig", "toy/base",
		"echo 'echo \"fs/Kconfig:12: syntax error\" >&2; exit 1' >scripts/olddefconfig");
	variant(*state, "syntax", "toy/base", "echo 'ifeq (' >>Makefile");
	assert_does_not_build(&t, "undefined", "undefined reference to `g'", "collect2");
	assert_does_not_build(&t, "norule", "No rule to make target", "sched.o");
	assert_does_not_build(&t, "kconfig", "fs/Kconfig:12: syntax error", "olddefconfig");
	assert_does_not_build(&t, "syntax", "*** ", "Makefile");
}

/* A kept object tree that fails on its own account must not blame the commit. */
static void a_spoilt_object_tree_blames_nobody(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result base = built(&t, "toy/base");
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};

	run(*state, "echo torn >work/obj/kernel/sched.o");
	k = built(&t, "toy/slower^^");
	assert_true(k.from_cache);
	tp_kernel_result_deinit(&k);
	variant(*state, "other", "toy/base", "sed -i 's/=100/=101/' fs/notify.c");
	k = built(&t, "other");
	assert_manifest(&k, "kernel.incremental", "false");
	run(*state, "test ! -e work/obj.aside");
}

static void ours_not_the_sources(void **state)
{
	static const struct {
		const char *name, *says, *words;
		int code;
	} cases[] = {
	    {"tool", "/bin/sh: 1: flex: not found", "install the package flex", -ENOENT},
	    {"header", "x.c:1:10: fatal error: gelf.h: No such file or directory",
	     "install the package libelf-dev", -ENOENT},
	    {"oom", "gcc: fatal error: Killed signal terminated program cc1", "was killed", -EIO},
	    {"memory", "cc1: out of memory allocating 5 bytes", "use fewer jobs", -ENOMEM},
	    {"space", "ld: final link failed: No space left on device", "free some room", -ENOSPC},
	};
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);

	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		_cleanup_(tp_freep) char *script = tp_strf(
		    "sed -i \"s|^\\t@nm -n .*|\\t@echo '%s'; exit 1|\" Makefile", cases[i].says);

		variant(*state, cases[i].name, "toy/base", script);
		assert_fault(&t, cases[i].name, cases[i].code, cases[i].words);
		assert_fault(&t, cases[i].name, cases[i].code, "build.log.zst");
	}
	/* The tree is not the worse for it. */
	tp_kernel_result_deinit(&(struct tp_kernel_result[]){built(&t, "toy/base")}[0]);
}

static void a_killed_make(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);

	variant(*state, "killed", "toy/base",
		"sed -i 's|^\\t@nm -n .*|\\t@kill -9 $$PPID|' Makefile");
	assert_fault(&t, "killed", -EIO, "killed by signal 9");
}

static void the_time_limit(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);

	variant(
	    *state, "slow", "toy/base",
	    "sed -i \"s|^\\t@nm -n .*|\\t@echo \\$\\$\\$\\$ >$DIR/pid; exec sleep 60|\" Makefile");
	t.timeout_ms = 3000;
	assert_fault(&t, "slow", -ETIMEDOUT, "did not finish within its time limit");
	/* Nothing of it lives on. */
	run(*state, "test ! -s pid || ! kill -0 \"$(cat pid)\" 2>/dev/null || "
		    "grep -q 'State:.Z' /proc/\"$(cat pid)\"/status");
}

static void a_full_disk(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	_cleanup_(tp_freep) char *small = tp_strf("%s/small", (char *)*state);
	_cleanup_(tp_kernel_result_deinit) struct tp_kernel_result k = {};

	run(*state, "mkdir small");
	if (mount("tmpfs", small, "tmpfs", 0, "size=4m") < 0) {
		print_message("a full disk needs the right to mount\n");
		skip();
	}
	variant(*state, "big", "toy/base",
		"sed -i 's|^\\t@nm -n .*|&\\n\\t@head -c 9000000 /dev/urandom >>$@|' Makefile");
	free(t.work);
	t.work = tp_strf("%s/work", small);
	assert_fault(&t, "big", -ENOSPC, "free some room");
	k = built(&t, "toy/base");
	tp_kernel_result_deinit(&k);
	/* The cache's disk is full while the artefacts are written. */
	free(t.work);
	free(t.cache);
	t.work = tp_strf("%s/work", (char *)*state);
	t.cache = tp_strf("%s/cache", small);
	run(*state, "rm -rf small/*");
	assert_fault(&t, "big", -ENOSPC, "No space left on device");
	run(*state,
	    "test -z \"$(find small/cache -name bzImage)\"; test -z \"$(ls -A small/cache | "
	    "grep -v failed)\"");
}

static int unmount_and_remove(void **state)
{
	_cleanup_(tp_freep) char *small = tp_strf("%s/small", (char *)*state);

	umount2(small, MNT_DETACH);
	return scratch_teardown(state);
}

static void inputs_that_change_under_way(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);
	struct tp_kernel_request request = request_of(&t, "toy/base");
	struct tp_kernel_plan plan = {};
	struct tp_kernel_result k = {};
	struct tp_err err = {};

	assert_int_equal(tp_kernel_plan_make(&request, &plan, NULL), 0);
	run(*state, "echo CONFIG_HZ=1 >>normalise.config");
	assert_int_equal(tp_kernel_build(&request, &plan, NULL, NULL, &k, &err), -ESTALE);
	assert_contains(err.text, "changed after this kernel was planned");
	tp_kernel_plan_deinit(&plan);
}

static void a_release_that_is_not_ours(void **state)
{
	_cleanup_(toy_deinit) struct toy t = toy_of(*state, NORMALISED);

	variant(*state, "suffix", "toy/base",
		"sed -i 's/(LOCALVERSION)/(LOCALVERSION)-next/' Makefile");
	variant(
	    *state, "long", "toy/base",
	    "sed -i 's/^KERNELVERSION =.*/KERNELVERSION = 6.99.0-a-name-that-is-much-longer-than-"
	    "anybody-would-want/' Makefile");
	variant(*state, "noid", "toy/base", "sed -i 's/build-id=sha1/build-id=none/' Makefile");
	assert_fault(&t, "suffix", -EINVAL, "does not end in -tp-");
	assert_fault(&t, "long", -EINVAL, "characters long");
	assert_fault(&t, "noid", -ENODATA, "carries no GNU build-id");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    build_test(the_first_error_and_the_log),
	    build_test(other_ways_not_to_build),
	    build_test(a_spoilt_object_tree_blames_nobody),
	    build_test(ours_not_the_sources),
	    build_test(a_killed_make),
	    build_test(the_time_limit),
	    cmocka_unit_test_setup_teardown(a_full_disk, build_setup, unmount_and_remove),
	    build_test(inputs_that_change_under_way),
	    build_test(a_release_that_is_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
