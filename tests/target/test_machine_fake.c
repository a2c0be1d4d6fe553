/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conformance table of machines against the simulated one, and what it alone promises. */
#include <errno.h>
#include <stdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine_checks.h"
#include "target/fake.h"
#include "util/hash.h"
#include "../util/scratch.h"

static const char *const fault_lines[] = {
    [FAULT_NONE] = "",
    [FAULT_FELL_BACK] = "boot %lld fell_back\n",
    [FAULT_WRONG_KERNEL] = "boot %lld wrong_kernel\n",
    [FAULT_NEVER_WENT_DOWN] = "# not this\nboot %lld never_went_down\n",
    [FAULT_NEVER_CAME_UP] = "boot %lld never_came_up\n",
    [FAULT_NO_SPACE] = "install %lld no_space\n",
    [FAULT_UNREACHABLE] = "unreachable\n",
    [FAULT_RUN_FAILED] = "run %lld run_failed\n",
    [FAULT_AGENT_DIED] = "run %lld agent_died\n",
};

static void provoke(struct machine_bench *b, enum machine_fault fault)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/faults", b->config->transport.dir);
	struct tp_fake_state state;
	char line[64];
	int64_t n;

	assert_int_equal(tp_fake_load(b->config->transport.dir, &state, NULL), 0);
	n = fault == FAULT_NO_SPACE ? state.installs : state.boots;
	if (fault == FAULT_RUN_FAILED || fault == FAULT_AGENT_DIED)
		n = state.runs;
	snprintf(line, sizeof(line), fault_lines[fault], (long long)n + 1);
	assert_int_equal(tp_file_write(path, line, strlen(line), 0600, NULL), 0);
}

struct fixture {
	struct machine_bench bench;
	struct tp_target_config config;
	char *artifacts, *machine_dir;
	char sha256[TP_SHA256_HEX];
};

static void put(const char *dir, const char *name, const char *text)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, name);

	assert_int_equal(tp_dir_make(dir, 0700, NULL), 0);
	assert_int_equal(tp_file_write(path, text, strlen(text), 0600, NULL), 0);
}

static void init_fixture(struct fixture *f, const char *dir, const char *speed_symbol)
{
	static char name[] = "simulated", kind[] = "fake";
	_cleanup_(tp_freep) char *image = NULL;

	*f = (struct fixture){.artifacts = tp_strf("%s/kernel", dir),
			      .machine_dir = tp_strf("%s/machine", dir)};
	f->config.name = name;
	f->config.transport.kind = kind;
	f->config.transport.dir = f->machine_dir;
	put(f->artifacts, "bzImage", speed_symbol);
	put(f->artifacts, "System.map", speed_symbol);
	image = tp_strf("%s/bzImage", f->artifacts);
	assert_int_equal(tp_sha256_path(image, f->sha256, NULL), 0);
	f->bench = (struct machine_bench){
	    .config = &f->config,
	    .agent = "/nonexistent",
	    .dir = dir,
	    .request = {.artifact_dir = f->artifacts,
			.image_sha256 = f->sha256,
			.release = "6.99.0-tp-000000000001",
			.build_id = "0123456789abcdef0123456789abcdef01234567",
			.token = "00112233445566aa"},
	    .run = {.run_id = "00112233445566aa",
		    .workload = "inotify-watch",
		    .warmup = 2,
		    .rounds = 25},
	    .provoke = provoke,
	};
	assert_int_equal(tp_machine_open(&f->config, f->bench.agent, &f->bench.m, NULL), 0);
}

static void deinit_fixture(struct fixture *f)
{
	tp_machine_close(f->bench.m);
	free(f->artifacts);
	free(f->machine_dir);
}

static void conforms(void **state)
{
	struct fixture f;

	init_fixture(&f, *state, "c000 T toy_speed_100\n");
	for (int i = 0; i < n_machine_checks; i++) {
		print_message("fake: %s\n", machine_checks[i].name);
		machine_checks[i].run(&f.bench);
	}
	deinit_fixture(&f);
}

/* elapsed_ns of the first measured round of @metric. */
static long long first_value(const char *path, const char *metric)
{
	_cleanup_(tp_freep) char *text = NULL;
	_cleanup_(tp_freep) char *mark =
	    tp_strf("\"phase\":\"measured\",\"round\":1,\"metric\":\"%s\",\"elapsed_ns\":", metric);
	const char *at;

	assert_int_equal(tp_file_read(path, 1 << 30, &text, NULL, NULL), 0);
	at = strstr(text, mark);
	assert_non_null(at);
	return strtoll(at + strlen(mark), NULL, 10);
}

/* Boot the fixture's kernel and run; the first measured value of the primary metric. */
static long long measure(struct fixture *f, const char *metric)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/records", f->bench.dir);
	struct tp_boot_report report = {};
	struct tp_run_report run = {};
	struct tp_identity id;

	assert_int_equal(tp_machine_identify(f->bench.m, &id, NULL), 0);
	assert_int_equal(tp_machine_install(f->bench.m, &f->bench.request, NULL), 0);
	assert_int_equal(tp_machine_arm(f->bench.m, &f->bench.request, NULL), 0);
	assert_int_equal(
	    tp_machine_boot(f->bench.m, &f->bench.request, id.boot_id, false, &report, NULL), 0);
	assert_int_equal(report.outcome, TP_OUTCOME_OK);
	tp_boot_report_deinit(&report);
	assert_int_equal(tp_machine_run(f->bench.m, &f->bench.run, local, NULL, NULL, &run, NULL),
			 0);
	assert_int_equal(run.outcome, TP_OUTCOME_OK);
	return first_value(local, metric);
}

static void speed_is_the_kernels(void **state)
{
	static char *params[] = {"--workers", "4", "--controls", "no"};
	_cleanup_(tp_freep) char *slow_dir = tp_strf("%s/slow", (char *)*state);
	_cleanup_(tp_freep) char *big = NULL;
	struct fixture fast, slow;
	long long a, b;

	init_fixture(&fast, *state, "c000 T toy_speed_100\n");
	/* A long map whose symbol lies across two reads. */
	big = malloc(65536 + 200);
	memset(big, '\n', 65536 + 200);
	strcpy(big + 65530, "toy_speed_130\nc000 T other\n");
	init_fixture(&slow, slow_dir, big);
	fast.bench.run.params = slow.bench.run.params = params;
	fast.bench.run.n_params = slow.bench.run.n_params = 4;
	a = measure(&fast, "p4_distinct_ns_per_watch");
	b = measure(&slow, "p4_distinct_ns_per_watch");
	assert_true(b > a * 129 / 100 && b < a * 131 / 100);
	assert_int_equal(measure(&fast, "p4_distinct_ns_per_watch"), a);
	assert_int_equal(measure(&fast, "p4_shared_ns_per_watch"),
			 measure(&slow, "p4_shared_ns_per_watch"));
	deinit_fixture(&fast);
	deinit_fixture(&slow);
}

static void many_rounds(void **state)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/records", (char *)*state);
	struct fixture f;
	struct stat st;

	init_fixture(&f, *state, "c000 T toy_speed_100\n");
	f.bench.run.rounds = 100000;
	measure(&f, "p1_distinct_ns_per_watch");
	assert_int_equal(stat(local, &st), 0);
	assert_true(st.st_size > 50000000);
	deinit_fixture(&f);
}

/* Another process, killed in the middle of things, leaves a machine that can be read. */
static void outlives_its_process(void **state)
{
	struct fixture f;
	struct tp_identity id;
	bool armed = false;
	int status;
	pid_t pid;

	init_fixture(&f, *state, "c000 T toy_speed_100\n");
	pid = fork();
	if (pid == 0) {
		for (;;) {
			if (tp_machine_install(f.bench.m, &f.bench.request, NULL) != 0 ||
			    tp_machine_arm(f.bench.m, &f.bench.request, NULL) != 0)
				_exit(1);
		}
	}
	usleep(300000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(tp_machine_identify(f.bench.m, &id, NULL), 0);
	assert_int_equal(tp_machine_armed(f.bench.m, &f.bench.request, &armed, NULL), 0);
	assert_true(armed);
	deinit_fixture(&f);
}

static void put_faults(struct fixture *f, const char *lines)
{
	put(f->machine_dir, "faults", lines);
}

static void changed_facts_and_spoilt_rounds(void **state)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/records", (char *)*state);
	_cleanup_(tp_freep) char *text = NULL;
	struct fixture f;

	init_fixture(&f, *state, "c000 T toy_speed_100\n");
	put_faults(&f, "boot 2 new_microcode\nrun 2 spoilt\n");
	measure(&f, "p1_distinct_ns_per_watch");
	assert_int_equal(tp_file_read(local, 1 << 20, &text, NULL, NULL), 0);
	assert_non_null(strstr(text, "\"microcode\":0"));
	assert_null(strstr(text, "\"semantic_ok\":false"));
	free(TP_TAKE(text));
	measure(&f, "p1_distinct_ns_per_watch");
	assert_int_equal(tp_file_read(local, 1 << 20, &text, NULL, NULL), 0);
	assert_non_null(strstr(text, "\"microcode\":1"));
	assert_null(strstr(text, "\"semantic_ok\":true"));
	deinit_fixture(&f);
}

static void lost_connections(void **state)
{
	_cleanup_(tp_freep) char *local = tp_strf("%s/records", (char *)*state);
	struct tp_boot_report boot = {};
	struct tp_run_report run = {};
	struct tp_identity before, after;
	struct fixture f;

	init_fixture(&f, *state, "c000 T toy_speed_100\n");
	put_faults(&f, "boot 1 lost\nrun 1 lost\n");
	assert_int_equal(tp_machine_identify(f.bench.m, &before, NULL), 0);
	assert_int_equal(tp_machine_install(f.bench.m, &f.bench.request, NULL), 0);
	assert_int_equal(tp_machine_arm(f.bench.m, &f.bench.request, NULL), 0);
	assert_int_equal(
	    tp_machine_boot(f.bench.m, &f.bench.request, before.boot_id, false, &boot, NULL),
	    TP_MACHINE_E_LOST);
	/* The order was given all the same. */
	assert_int_equal(tp_machine_identify(f.bench.m, &after, NULL), 0);
	assert_string_not_equal(before.boot_id, after.boot_id);
	assert_int_equal(
	    tp_machine_boot(f.bench.m, &f.bench.request, before.boot_id, true, &boot, NULL), 0);
	assert_int_equal(boot.outcome, TP_OUTCOME_OK);
	tp_boot_report_deinit(&boot);
	assert_int_equal(tp_machine_run(f.bench.m, &f.bench.run, local, NULL, NULL, &run, NULL),
			 TP_MACHINE_E_LOST);
	assert_false(tp_path_exists(local));
	deinit_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(conforms),	    scratch_test(speed_is_the_kernels),
	    scratch_test(many_rounds),	    scratch_test(changed_facts_and_spoilt_rounds),
	    scratch_test(lost_connections), scratch_test(outlives_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
