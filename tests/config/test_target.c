/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A target's description as it should be: every key arrives, every gap is filled. */
#include "config_helper.h"

static const char full[] =
    "# a comment\n"
    "name: lab\n"
    "evidence: virtual\n"
    "transport: {kind: ssh, host: 127.0.0.1, port: 40022, user: root, key: /x/id_ed25519, "
    "host_key: \"ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIHJgY2ZyGuxAqMRFY3u5zYtDlq3hS9v2aB5hZpWfVQ1J\"}\n"
    "boot: {kind: grub, dir: /boot, grub_dir: /boot/grub, grub_prefix: \"\", "
    "initrd: /boot/initrd.img, cmdline: \"console=ttyS0 panic=5\"}\n"
    "power: {kind: qmp, socket: /x/qmp.sock, start: [qemu-system-x86_64, \"-m\", \"512\"]}\n"
    "console: {kind: file, path: /x/console.log}\n"
    "kernel: {seed: vm-seed, fragments: [normalise, /x/own.config], jobs: 2,\n"
    "  allow_config_differences: [CONFIG_FOO, CONFIG_BAR_2]}\n"
    "contract: {settle_ms: 1000}\n"
    "attempts: {boot: 3, infra: 7}\n"
    "deadlines: {connect_ms: 1, exec_ms: 2, upload_ms: 3, down_ms: 4, up_ms: 5, settle_ms: 6, "
    "run_ms: 7, power_ms: 8}\n"
    "work_dir: /var/lib/triptych\n";

static struct tp_target_config parse(const char *text)
{
	struct tp_target_config c = {};
	struct tp_err err = {};

	if (tp_target_config_parse(text, "x.yaml", &c, &err) != 0)
		fail_msg("%s", err.text);
	return c;
}

static void reads_every_key(void **state)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config c = parse(full);

	(void)state;
	assert_string_equal(c.name, "lab");
	assert_int_equal(c.evidence, TP_EVIDENCE_VIRTUAL);
	assert_string_equal(c.transport.kind, "ssh");
	assert_string_equal(c.transport.host, "127.0.0.1");
	assert_int_equal(c.transport.port, 40022);
	assert_string_equal(c.transport.user, "root");
	assert_string_equal(c.transport.key, "/x/id_ed25519");
	assert_true(tp_str_starts(c.transport.host_key, "ssh-ed25519 AAAA"));
	assert_null(c.transport.dir);
	assert_string_equal(c.boot.kind, "grub");
	assert_string_equal(c.boot.grub_dir, "/boot/grub");
	assert_string_equal(c.boot.grub_prefix, "");
	assert_string_equal(c.boot.initrd, "/boot/initrd.img");
	assert_string_equal(c.boot.cmdline, "console=ttyS0 panic=5");
	assert_string_equal(c.power.socket, "/x/qmp.sock");
	assert_int_equal(c.power.start_count, 3);
	assert_string_equal(c.power.start[2], "512");
	assert_null(c.power.reset);
	assert_string_equal(c.console.path, "/x/console.log");
	assert_string_equal(c.kernel.seed, "vm-seed");
	assert_int_equal(c.kernel.fragments_count, 2);
	assert_string_equal(c.kernel.fragments[1], "/x/own.config");
	assert_int_equal(c.kernel.allow_config_differences_count, 2);
	assert_int_equal(c.kernel.jobs, 2);
	assert_int_equal(c.settle_ms, 1000);
	assert_int_equal(c.max_boot_attempts, 3);
	assert_int_equal(c.max_infra_attempts, 7);
	assert_int_equal(c.deadlines.connect_ms, 1);
	assert_int_equal(c.deadlines.settle_ms, 6);
	assert_int_equal(c.deadlines.power_ms, 8);
	assert_string_equal(c.work_dir, "/var/lib/triptych");
}

static void fills_gaps(void **state)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config c =
	    parse("name: m\nevidence: bare_metal\n"
		  "transport:\n  kind: ssh\n  host: m.example.org\n  user: root\n  key: /k\n"
		  "boot: {cmdline: \"root=/dev/sda2 panic=10\"}\n"
		  "kernel: {seed: server}\n");

	(void)state;
	assert_int_equal(c.evidence, TP_EVIDENCE_BARE_METAL);
	assert_int_equal(c.transport.port, 22);
	assert_null(c.transport.host_key);
	assert_string_equal(c.boot.kind, "grub");
	assert_string_equal(c.boot.dir, "/boot");
	assert_string_equal(c.boot.grub_dir, "/boot/grub");
	assert_string_equal(c.boot.grub_prefix, "/boot");
	assert_null(c.boot.initrd);
	assert_string_equal(c.power.kind, "none");
	assert_string_equal(c.console.kind, "none");
	assert_int_equal(c.kernel.jobs, 0);
	assert_int_equal(c.settle_ms, 5000);
	assert_int_equal(c.max_boot_attempts, 2);
	assert_int_equal(c.max_infra_attempts, 5);
	assert_int_equal(c.deadlines.connect_ms, 30000);
	assert_int_equal(c.deadlines.exec_ms, 60000);
	assert_int_equal(c.deadlines.upload_ms, 600000);
	assert_int_equal(c.deadlines.down_ms, 60000);
	assert_int_equal(c.deadlines.up_ms, 300000);
	assert_int_equal(c.deadlines.settle_ms, 120000);
	assert_int_equal(c.deadlines.run_ms, 3600000);
	assert_int_equal(c.deadlines.power_ms, 60000);
	assert_string_equal(c.work_dir, "/var/lib/triptych");
}

static void fake_needs_only_a_folder(void **state)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config c =
	    parse("name: f\ntransport: {kind: fake, dir: /x/machine}\n");

	(void)state;
	assert_int_equal(c.evidence, TP_EVIDENCE_FAKE);
	assert_string_equal(c.transport.dir, "/x/machine");
	assert_string_equal(c.power.kind, "none");
	assert_string_equal(c.boot.cmdline, "panic=5");
	assert_int_equal(c.settle_ms, 0);
	assert_null(c.kernel.seed);
}

static void zero_is_a_value(void **state)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config c =
	    parse(SSH_TARGET "contract: {settle_ms: 0}\n");

	(void)state;
	assert_int_equal(c.settle_ms, 0);
}

static void relative_paths_start_at_the_file(void **state)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config c = {};
	_cleanup_(tp_target_config_deinit) struct tp_target_config again = {};
	_cleanup_(tp_freep) char *path = tp_strf("%s/lab.yaml", (char *)*state);
	_cleanup_(tp_freep) char *key = tp_strf("%s/keys/it's ours", (char *)*state);
	_cleanup_(tp_freep) char *seed = tp_strf("%s/./own.config", (char *)*state);
	_cleanup_(tp_freep) char *text = NULL;
	const char *yaml = "# Mäschine, with a comment\n"
			   "name: lab\nevidence: virtual\n"
			   "transport: {kind: ssh, host: h, user: root, key: \"keys/it's ours\"}\n"
			   "power:\n  kind: qmp\n  socket: qmp.sock # beside it\n"
			   "console: {kind: file, path: /abs/console}\n"
			   "boot: {cmdline: panic=5}\n"
			   "kernel: {seed: ./own.config, fragments: [normalise, sub/own]}\n";
	struct tp_err err = {};

	assert_int_equal(tp_file_write(path, yaml, strlen(yaml), 0600, &err), 0);
	if (tp_target_config_load(path, &c, &text, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(c.transport.key, key);
	assert_string_equal(c.kernel.seed, seed);
	assert_string_equal(c.kernel.fragments[0], "normalise");
	assert_true(tp_str_starts(c.kernel.fragments[1], *state));
	assert_true(tp_str_ends(c.power.socket, "/qmp.sock"));
	assert_string_equal(c.console.path, "/abs/console");
	/* The text to keep has the same paths, its comments, and needs no folder any more. */
	assert_non_null(strstr(text, "# Mäschine, with a comment\nname: lab\n"));
	assert_non_null(strstr(text, "qmp.sock' # beside it\n"));
	if (tp_target_config_parse(text, "stored", &again, &err) != 0)
		fail_msg("%s\n%s", err.text, text);
	assert_string_equal(again.transport.key, key);
	assert_string_equal(again.kernel.fragments[1], c.kernel.fragments[1]);
	assert_string_equal(again.power.socket, c.power.socket);
}

static void absolute_text_is_kept_as_it_is(void **state)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config c = {};
	_cleanup_(tp_freep) char *path = tp_strf("%s/lab.yaml", (char *)*state);
	_cleanup_(tp_freep) char *text = NULL;
	struct tp_err err = {};

	assert_int_equal(tp_file_write(path, full, strlen(full), 0600, &err), 0);
	assert_int_equal(tp_target_config_load(path, &c, &text, &err), 0);
	assert_string_equal(text, full);
}

static void missing_file_is_named(void **state)
{
	struct tp_target_config c = {};
	struct tp_err err = {};
	char *text = NULL;

	(void)state;
	assert_true(tp_target_config_load("/nowhere/lab.yaml", &c, &text, &err) < 0);
	assert_non_null(strstr(err.text, "/nowhere/lab.yaml"));
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reads_every_key),
	    cmocka_unit_test(fills_gaps),
	    cmocka_unit_test(fake_needs_only_a_folder),
	    cmocka_unit_test(zero_is_a_value),
	    scratch_test(relative_paths_start_at_the_file),
	    scratch_test(absolute_text_is_kept_as_it_is),
	    cmocka_unit_test(missing_file_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
