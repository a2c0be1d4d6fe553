/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holding YAML against what must be said about it: the place first, then the words. */
#pragma once

#include "scratch.h"

#include <stdio.h>

#include "config/protocol.h"
#include "config/target.h"

#define SSH_TARGET                                                                                 \
	"name: lab\n"                                                                              \
	"evidence: virtual\n"                                                                      \
	"transport: {kind: ssh, host: 127.0.0.1, port: 40022, user: root, key: /x/id_ed25519}\n"   \
	"boot: {kind: grub, dir: /boot, grub_prefix: \"\", cmdline: \"console=ttyS0 panic=5\"}\n"  \
	"kernel: {seed: vm-seed, fragments: [normalise]}\n"

#define PROTOCOL                                                                                   \
	"name: quick\n"                                                                            \
	"workload: {agent: inotify-watch, workers: 1}\n"                                           \
	"warmup: 2\n"                                                                              \
	"rounds: 25\n"                                                                             \
	"metrics:\n"                                                                               \
	"  - {name: a_ns}\n"

/* The error is one sentence: begins with @place ("x.yaml:3:4"), says @words, has no line break. */
static inline void assert_says(const struct tp_err *err, const char *place, const char *words)
{
	char head[64];

	snprintf(head, sizeof(head), "%s: ", place);
	if (strncmp(err->text, head, strlen(head)) != 0 || !strstr(err->text, words) ||
	    strchr(err->text, '\n'))
		fail_msg("expected \"%s... %s\", got \"%s\"", head, words, err->text);
}

static inline void refuse_target(const char *text, const char *place, const char *words)
{
	struct tp_target_config config = {.max_boot_attempts = 77};
	struct tp_err err = {};

	if (tp_target_config_parse(text, "x.yaml", &config, &err) == 0)
		fail_msg("accepted, but should say \"%s\":\n%s", words, text);
	assert_says(&err, place, words);
	assert_int_equal(config.max_boot_attempts, 77);
}

static inline void refuse_protocol(const char *text, const char *place, const char *words)
{
	struct tp_protocol protocol = {.rounds = 77};
	struct tp_err err = {};

	if (tp_protocol_parse(text, "x.yaml", &protocol, &err) == 0)
		fail_msg("accepted, but should say \"%s\":\n%s", words, text);
	assert_says(&err, place, words);
	assert_int_equal(protocol.rounds, 77);
}
