/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A real sshd on 127.0.0.1 for tests: own keys in a throw-away folder, lets this user in.
 * Between it and the client stands a relay that can be cut or frozen.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "config/target.h"

struct ssh_server {
	char *dir;	  /* keys and configuration */
	char *user_key;	  /* private key that is let in */
	char *host_key;	  /* "type base64" of the server */
	int port;	  /* where sshd listens */
	int relay_port;	  /* the relay before it; 0 without one */
	pid_t pid, relay; /* -1: not running */
};

/* Is there an sshd and an ssh-keygen at all? */
bool ssh_server_available(void);

/* @type of the host key: "ed25519", "ecdsa", "rsa". Returns 0 or -1. */
int ssh_server_start(struct ssh_server *s, const char *dir, const char *type);
void ssh_server_stop(struct ssh_server *s);

/* Start the relay; its process can be killed (cut) or stopped (frozen). */
int ssh_server_relay(struct ssh_server *s);
/* After @ms, send @signal to the relay's group. Returns the helper's pid, to be waited for. */
pid_t ssh_server_cut_later(struct ssh_server *s, int ms, int signal);

/* A key pair of @type at @path. */
int ssh_server_keygen(const char *path, const char *type, const char *passphrase);

/* A description of this server as a target; strings are borrowed from @s. */
struct tp_target_config ssh_server_config(const struct ssh_server *s);
