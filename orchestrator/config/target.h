/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target's description, read from YAML through libcyaml: unknown keys are errors, and an
 * error names file, line and column. Secrets are named by file, never written inline.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "core/model.h"
#include "util/err.h"

/* Longest wait for each kind of act, milliseconds; each has a default and a YAML key. */
struct tp_target_deadlines {
	int64_t connect_ms; /* TCP + SSH handshake: 30 000 */
	int64_t exec_ms;    /* an ordinary command: 60 000 */
	int64_t upload_ms;  /* one kernel: 600 000 */
	int64_t down_ms;    /* from "reboot" until it is down: 60 000 */
	int64_t up_ms;	    /* from down until a login answers: 300 000 */
	int64_t settle_ms;  /* until the contract's quiet holds: 120 000 */
	int64_t run_ms;	    /* one agent run: 3 600 000 */
	int64_t power_ms;   /* one power action: 60 000 */
};

struct tp_target_config {
	char *name;		   /* [a-z0-9][a-z0-9-]*, 1..32 */
	enum tp_evidence evidence; /* `evidence: virtual | bare_metal`; fake for transport fake */
	struct {
		char *kind; /* "ssh" or "fake" */
		char *host;
		int port;
		char *user;
		char *key;	/* private key file, ed25519 or ECDSA */
		char *host_key; /* "ssh-ed25519 AAAA..." pinned; NULL only before `target add` */
		char *dir;	/* fake: folder of the simulated machine */
	} transport;
	struct {
		char *kind;	   /* "grub" */
		char *dir;	   /* where kernels go: /boot */
		char *grub_dir;	   /* custom.cfg and grubenv: /boot/grub */
		char *grub_prefix; /* @dir as GRUB sees it: "" when /boot is its own partition */
		char *initrd;	   /* shared initramfs file on the target; NULL for none */
		char *cmdline;	   /* kernel command line, equal in all boots; we add the token */
	} boot;
	struct {
		char *kind;   /* "none", "qmp" or "exec" */
		char *socket; /* qmp */
		char **start; /* qmp: argv that starts the machine when it is off */
		unsigned start_count;
		char **reset; /* exec: argv */
		unsigned reset_count;
	} power;
	struct {
		char *kind; /* "none" or "file" */
		char *path;
	} console;
	struct {
		char *seed;	  /* kconfigs/NAME.config or a path */
		char **fragments; /* the same, applied in order after the seed */
		unsigned fragments_count;
		char **allow_config_differences; /* CONFIG_ names that may differ between roles */
		unsigned allow_config_differences_count;
		int jobs; /* make -j; 0: all CPUs */
	} kernel;
	int64_t settle_ms; /* contract.settle_ms: rest after login before anything is measured */
	char *work_dir;	   /* on the target: /var/lib/triptych */
	int max_boot_attempts;	/* 2 */
	int max_infra_attempts; /* 5 */
	struct tp_target_deadlines deadlines;
};

void tp_target_config_deinit(struct tp_target_config *config);

/*
 * Read from @path, or from text that the store kept (@origin names it in errors).
 *
 * Relative paths (transport.key and .dir, power.socket, console.path, kernel.seed and
 * .fragments with a '/') start at the file's folder. @ret_text (free()) is the file's text with
 * those made absolute: what the store keeps. Text that is parsed has absolute paths only.
 * Without their keys: port 22, boot.dir /boot, boot.grub_dir /boot/grub, boot.grub_prefix as
 * boot.dir, power and console none, contract.settle_ms 5000 (fake: 0). A fake transport needs
 * only `dir`; its kernel.seed may then be NULL.
 * Returns 0 or a negative errno; an error reads "FILE:LINE:COLUMN: sentence".
 */
TP_MUST_CHECK int tp_target_config_load(const char *path, struct tp_target_config *ret,
					char **ret_text, struct tp_err *reterr);
TP_MUST_CHECK int tp_target_config_parse(const char *text, const char *origin,
					 struct tp_target_config *ret, struct tp_err *reterr);

/*
 * @ret_text (free()): @text with `host_key` added to its transport, all else as it was. Refused
 * when a key is pinned already or @host_key is none that can be used.
 */
TP_MUST_CHECK int tp_target_config_pin(const char *text, const char *origin, const char *host_key,
				       char **ret_text, struct tp_err *reterr);
