/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A target's description as it should not be: each mistake has its line and its column. */
#include "config_helper.h"

static void unknown_keys(void **state)
{
	(void)state;
	refuse_target(SSH_TARGET "colour: red\n", "x.yaml:6:1",
		      "unknown key \"colour\"; known here: name, evidence, transport");
	refuse_target("name: a\ntransport: {kind: fake, dir: /x, prt: 3}\n", "x.yaml:2:34",
		      "unknown key \"prt\" in transport; known here: kind, host, port");
	refuse_target(SSH_TARGET "deadlines: {conect_ms: 5}\n", "x.yaml:6:13", "\"conect_ms\"");
	refuse_target(SSH_TARGET "attempts: {boots: 5}\n", "x.yaml:6:12",
		      "known here: boot, infra");
}

static void duplicate_keys(void **state)
{
	(void)state;
	refuse_target(SSH_TARGET "name: again\n", "x.yaml:6:1",
		      "the key \"name\" is here a second time");
	refuse_target("name: a\ntransport: {kind: fake, dir: /x, kind: fake}\n", "x.yaml:2:34",
		      "\"kind\" is here a second time");
}

static void missing_keys(void **state)
{
	(void)state;
	refuse_target("transport: {kind: fake, dir: /x}\n", "x.yaml:1:1",
		      "the key \"name\" is missing");
	refuse_target("name: a\n", "x.yaml:1:1", "the key \"transport\" is missing");
	refuse_target("name: a\ntransport: {dir: /x}\n", "x.yaml:2:12",
		      "transport: the key \"kind\" is missing");
	refuse_target("name: a\ntransport: {kind: fake}\n", "x.yaml:2:12",
		      "transport.dir is missing; transport.kind fake needs it");
	refuse_target("name: a\nevidence: virtual\ntransport: {kind: ssh, user: u, key: /k}\n",
		      "x.yaml:3:12", "transport.host is missing");
	refuse_target("name: a\ntransport: {kind: ssh, host: h, user: u, key: /k}\n", "x.yaml:1:1",
		      "\"evidence\" is missing");
	refuse_target(SSH_TARGET "power: {kind: qmp}\n", "x.yaml:6:8",
		      "power.socket is missing; power.kind qmp needs it");
	refuse_target(SSH_TARGET "power: {kind: exec}\n", "x.yaml:6:8", "power.reset is missing");
	refuse_target(SSH_TARGET "console: {kind: file}\n", "x.yaml:6:10",
		      "console.path is missing");
	refuse_target("name: a\nevidence: virtual\n"
		      "transport: {kind: ssh, host: h, user: u, key: /k}\nkernel: {seed: s}\n",
		      "x.yaml:1:1", "boot.cmdline is missing");
	refuse_target("name: a\nevidence: virtual\n"
		      "transport: {kind: ssh, host: h, user: u, key: /k}\n"
		      "boot: {cmdline: panic=5}\n",
		      "x.yaml:1:1", "kernel.seed is missing");
}

static void misplaced_keys(void **state)
{
	(void)state;
	refuse_target("name: a\ntransport: {kind: fake, dir: /x, host: h}\n", "x.yaml:2:40",
		      "transport.host goes with transport.kind ssh, and this is fake");
	refuse_target(SSH_TARGET "power: {socket: /x}\n", "x.yaml:6:17",
		      "power.socket goes with power.kind qmp, and this is none");
}

static void wrong_types(void **state)
{
	(void)state;
	refuse_target("name: [a]\ntransport: {kind: fake, dir: /x}\n", "x.yaml:1:7",
		      "name must be one plain value");
	refuse_target("name: a\ntransport: fake\n", "x.yaml:2:12",
		      "transport must hold keys with values");
	refuse_target(SSH_TARGET "power: {kind: exec, reset: reboot}\n", "x.yaml:6:28",
		      "reset must be a list");
	refuse_target(SSH_TARGET "power: {kind: exec, reset: []}\n", "x.yaml:6:28",
		      "reset has 0 entries");
	refuse_target(SSH_TARGET "power: {kind: exec, reset: [a, {b: c}]}\n", "x.yaml:6:32",
		      "reset must be one plain value");
	refuse_target("name:\ntransport: {kind: fake, dir: /x}\n", "x.yaml:1:6",
		      "name has no value");
	refuse_target("name: ~\ntransport: {kind: fake, dir: /x}\n", "x.yaml:1:7",
		      "name has no value");
	refuse_target("name: \"\"\ntransport: {kind: fake, dir: /x}\n", "x.yaml:1:7",
		      "name must not be empty");
	refuse_target("name: a\nevidence: real\ntransport: {kind: fake, dir: /x}\n", "x.yaml:2:11",
		      "evidence must be one of bare_metal, virtual, fake, not \"real\"");
	refuse_target("- a\n- b\n", "x.yaml:1:1", "key: value");
	refuse_target("just words\n", "x.yaml:1:1", "key: value");
}

/* The place of the number in these one-line sections. */
static void refuse_number(const char *section, const char *place, const char *words)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s%s\n", SSH_TARGET, section);
	refuse_target(text, place, words);
}

static void wrong_numbers(void **state)
{
	static const char *const ports[] = {"0",   "65536",	  "-1",	 "22x",	    "1.5",   "0x16",
					    "022", "99999999999", "1e3", "\" 22\"", "twenty"};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(ports); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "name: a\nevidence: virtual\n"
			 "transport: {kind: ssh, port: %s, host: h, user: u, key: /k}\n",
			 ports[i]);
		refuse_target(text, "x.yaml:3:30", "port");
	}
	refuse_number("contract: {settle_ms: -5}", "x.yaml:6:23", "contract.settle_ms is -5");
	refuse_number("attempts: {boot: 0}", "x.yaml:6:18",
		      "attempts.boot is 0; it must lie in 1..10");
	refuse_number("attempts: {infra: 101}", "x.yaml:6:19", "attempts.infra is 101");
	refuse_number("deadlines: {run_ms: 0}", "x.yaml:6:21", "deadlines.run_ms is 0");
	refuse_number("deadlines: {run_ms: 999999999999}", "x.yaml:6:21", "deadlines.run_ms");
	refuse_number("deadlines: {run_ms: 99999999999999999999}", "x.yaml:6:21", "run_ms");
	refuse_target("name: a\ntransport: {kind: fake, dir: /x}\nkernel: {jobs: -2}\n",
		      "x.yaml:3:16", "kernel.jobs is -2");
}

static void wrong_words(void **state)
{
	(void)state;
	refuse_target("name: Lab_1\ntransport: {kind: fake, dir: /x}\n", "x.yaml:1:7",
		      "lower-case letters, digits and '-'");
	refuse_target("name: -a\ntransport: {kind: fake, dir: /x}\n", "x.yaml:1:7",
		      "not beginning");
	refuse_target("name: a23456789012345678901234567890123\n"
		      "transport: {kind: fake, dir: /x}\n",
		      "x.yaml:1:7", "1 to 32");
	refuse_target("name: a\ntransport: {kind: telnet, dir: /x}\n", "x.yaml:2:19",
		      "transport.kind is unknown: \"telnet\"; known are ssh, fake");
	refuse_target(SSH_TARGET "power: {kind: redfish}\n", "x.yaml:6:15",
		      "known are none, qmp, exec");
	refuse_target(SSH_TARGET "console: {kind: sol}\n", "x.yaml:6:17", "known are none, file");
	refuse_target("name: a\nevidence: virtual\n"
		      "transport: {kind: ssh, host: -oProxyCommand=x, user: u, key: /k}\n",
		      "x.yaml:3:30", "transport.host");
	refuse_target("name: a\nevidence: virtual\n"
		      "transport: {kind: ssh, host: h, user: 'u x', key: /k}\n",
		      "x.yaml:3:39", "transport.user");
	refuse_target(SSH_TARGET "work_dir: var/lib\n", "x.yaml:6:11", "work_dir");
	refuse_target(SSH_TARGET "work_dir: \"/var/lib/a b\"\n", "x.yaml:6:11", "work_dir");
	refuse_target("name: a\ntransport: {kind: fake, dir: /x}\n"
		      "kernel: {allow_config_differences: [CONFIG_A, FOO]}\n",
		      "x.yaml:3:47", "\"FOO\" is not the name of a kernel option");
	refuse_target("name: a\nevidence: virtual\ntransport: {kind: fake, dir: /x}\n",
		      "x.yaml:2:11", "evidence is fake for a fake transport");
	refuse_target("name: a\nevidence: fake\n"
		      "transport: {kind: ssh, host: h, user: u, key: /k}\n",
		      "x.yaml:2:11", "evidence is fake for a fake transport, and for no other");
}

/* Only the command line of @cmdline differs from a good description. */
static void refuse_cmdline(const char *cmdline, const char *words)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "name: a\nevidence: virtual\n"
		 "transport: {kind: ssh, host: h, user: u, key: /k}\nkernel: {seed: s}\n"
		 "boot: {cmdline: '%s'}\n",
		 cmdline);
	refuse_target(text, "x.yaml:5:17", words);
}

static void dangerous_command_lines(void **state)
{
	(void)state;
	refuse_cmdline("quiet", "lacks panic=SECONDS");
	refuse_cmdline("panic=0", "lacks panic=SECONDS");
	refuse_cmdline("xpanic=5", "lacks panic=SECONDS");
	refuse_cmdline("panic=5 ; reboot", "boot.cmdline");
	refuse_cmdline("panic=5 $x", "boot.cmdline");
	refuse_cmdline("panic=5 \"a b\"", "boot.cmdline");
}

static void relative_paths_in_stored_text(void **state)
{
	(void)state;
	refuse_target("name: a\nevidence: virtual\n"
		      "transport: {kind: ssh, host: h, user: u, key: keys/id}\n"
		      "boot: {cmdline: panic=5}\nkernel: {seed: s}\n",
		      "x.yaml:3:47", "transport.key is the relative path keys/id");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unknown_keys),
	    cmocka_unit_test(duplicate_keys),
	    cmocka_unit_test(missing_keys),
	    cmocka_unit_test(misplaced_keys),
	    cmocka_unit_test(wrong_types),
	    cmocka_unit_test(wrong_numbers),
	    cmocka_unit_test(wrong_words),
	    cmocka_unit_test(dangerous_command_lines),
	    cmocka_unit_test(relative_paths_in_stored_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
