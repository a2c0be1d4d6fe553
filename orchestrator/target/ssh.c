/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SSH connection: handshake, pinned host key, key authentication, end.
 *
 * libssh2 runs non-blocking and knows no time-out of its own: every EAGAIN goes through
 * tp_ssh_wait(), which knows the deadline. A connection that failed once is dead: its socket is
 * shut down, so that nothing in libssh2 can wait for a peer that is gone.
 */
#include "target/ssh.h"

#include <errno.h>
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "target/base64.h"
#include "target/transports.h"
#include "util/fd.h"
#include "util/str.h"

#define GREETING_MS   10000 /* a server that accepted greets by then, or it hangs */
#define PROBE_MS      5000  /* to find out why a handshake failed */
#define FREE_ATTEMPTS 64
#define ANY_TYPE      "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521"

static void kill_connection(struct tp_ssh *ssh)
{
	ssh->dead = true;
	shutdown(ssh->fd, SHUT_RDWR);
}

int tp_ssh_lost(struct tp_ssh *ssh, int code, const char *doing, struct tp_err *reterr)
{
	char *text = NULL;

	libssh2_session_last_error(ssh->session, &text, NULL, 0);
	tp_err_set(reterr, TP_TRANSPORT_E_LOST, ssh->origin,
		   "the connection was lost while %s (%s, code %d); what became of it is unknown",
		   doing, text && *text ? text : "closed", code);
	kill_connection(ssh);
	return TP_TRANSPORT_E_LOST;
}

int tp_ssh_wait(struct tp_ssh *ssh, struct tp_deadline deadline, const char *doing,
		struct tp_err *reterr)
{
	int directions = libssh2_session_block_directions(ssh->session);
	short events = 0;
	int r;

	if (directions & LIBSSH2_SESSION_BLOCK_INBOUND)
		events |= POLLIN;
	if (directions & LIBSSH2_SESSION_BLOCK_OUTBOUND)
		events |= POLLOUT;
	r = tp_ssh_poll(ssh->fd, events ? events : POLLIN, deadline);
	if (r == 0)
		return 0;
	if (r == -ETIMEDOUT) {
		tp_err_set(reterr, TP_TRANSPORT_E_LOST, ssh->origin,
			   "no answer before the deadline while %s; the connection was dropped",
			   doing);
		kill_connection(ssh);
		return TP_TRANSPORT_E_LOST;
	}
	return tp_ssh_lost(ssh, r, doing, reterr);
}

static void close_ssh(struct tp_transport *t)
{
	struct tp_ssh *ssh = (struct tp_ssh *)t;

	if (ssh->session) {
		/* One polite word, sent or not; then the socket goes, so that nothing waits. */
		if (!ssh->dead)
			libssh2_session_disconnect(ssh->session, "done");
		kill_connection(ssh);
		for (int i = 0; i < FREE_ATTEMPTS; i++) {
			if (libssh2_session_free(ssh->session) != LIBSSH2_ERROR_EAGAIN)
				break;
		}
	}
	tp_fd_closep(&ssh->fd);
	free(ssh);
	libssh2_exit();
}

static void free_ssh(struct tp_ssh **ssh)
{
	if (*ssh)
		close_ssh(&(*ssh)->base);
	*ssh = NULL;
}

static int new_ssh(const struct tp_target_config *config, struct tp_ssh **ret,
		   struct tp_err *reterr)
{
	struct tp_ssh *ssh;

	if (libssh2_init(0) != 0)
		return tp_err_oom(reterr);
	ssh = calloc(1, sizeof(*ssh));
	if (!ssh) {
		libssh2_exit();
		return tp_err_oom(reterr);
	}
	ssh->base.ops = &tp_transport_ssh;
	ssh->fd = -1;
	snprintf(ssh->origin, sizeof(ssh->origin), "target %s", config->name ? config->name : "");
	*ret = ssh;
	return 0;
}

/* No common algorithm: say which one is missing. */
static int explain_no_key(struct tp_ssh *ssh, const struct tp_target_config *config,
			  const char *type, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *offer =
	    tp_ssh_offered_host_keys(config, tp_deadline_in(PROBE_MS));
	const char *host = config->transport.host;

	if (offer && !strstr(offer, "ed25519") && !strstr(offer, "ecdsa-sha2-"))
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_HOST_KEY, ssh->origin,
		    "%s offers host keys of the types %s only, which this program "
		    "cannot verify; it requires ed25519 or ECDSA: run ssh-keygen -A on "
		    "the target and restart its SSH server",
		    host, offer);
	if (offer && type && !strstr(offer, type))
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_HOST_KEY, ssh->origin,
		    "%s has no %s host key any more, which is the type that was pinned; "
		    "it offers %s. If the machine was installed anew, pin its new key "
		    "with `triptych target add`",
		    host, type, offer);
	return tp_err_set(reterr, TP_TRANSPORT_E_HOST_KEY, ssh->origin,
			  "%s and this program have no SSH algorithm in common (it offers the host "
			  "keys %s)",
			  host, offer ? offer : "unknown");
}

static int handshake(struct tp_ssh *ssh, const struct tp_target_config *config, const char *type,
		     struct tp_deadline deadline, struct tp_err *reterr)
{
	int r = tp_ssh_connect(config, deadline, &ssh->fd, reterr);

	if (r)
		return r;
	if (tp_ssh_poll(ssh->fd, POLLIN, tp_deadline_min(deadline, GREETING_MS)) < 0)
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_UNREACHABLE, ssh->origin,
		    "%s accepts connections on port %d but gives no SSH greeting; is it "
		    "booting, or does it hang?",
		    config->transport.host, config->transport.port);
	ssh->session = libssh2_session_init();
	if (!ssh->session)
		return tp_err_oom(reterr);
	libssh2_session_set_blocking(ssh->session, 0);
	if (libssh2_session_method_pref(ssh->session, LIBSSH2_METHOD_HOSTKEY,
					type ? type : ANY_TYPE) < 0)
		return tp_err_set(reterr, TP_TRANSPORT_E_HOST_KEY, ssh->origin,
				  "the SSH library does not know host keys of the type %s",
				  type ? type : ANY_TYPE);
	while ((r = libssh2_session_handshake(ssh->session, ssh->fd)) == LIBSSH2_ERROR_EAGAIN) {
		r = tp_ssh_wait(ssh, deadline, "greeting the SSH server", reterr);
		if (r)
			break;
	}
	if (r == LIBSSH2_ERROR_KEX_FAILURE) {
		kill_connection(ssh);
		return explain_no_key(ssh, config, type, reterr);
	}
	if (r == 0)
		return 0;
	if (r < 0)
		tp_ssh_lost(ssh, r, "greeting the SSH server", reterr);
	/* Nobody was logged in yet: the target cannot be reached, that is all. */
	if (reterr)
		reterr->code = TP_TRANSPORT_E_UNREACHABLE;
	return TP_TRANSPORT_E_UNREACHABLE;
}

static int check_host_key(struct tp_ssh *ssh, const struct tp_target_config *config,
			  const struct tp_ssh_pin *pin, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *pinned = NULL, *answered = NULL;
	size_t len = 0;
	int type;
	const char *key = libssh2_session_hostkey(ssh->session, &len, &type);

	if (key && len == pin->len && memcmp(key, pin->blob, len) == 0)
		return 0;
	pinned = tp_ssh_fingerprint(pin->blob, pin->len);
	answered = tp_ssh_fingerprint(key ? key : "", len);
	return tp_err_set(
	    reterr, TP_TRANSPORT_E_HOST_KEY, ssh->origin,
	    "the host key of %s changed: pinned is %s, it answered with %s. Either "
	    "another machine answers there, or it was installed anew; in that case pin "
	    "the new key with `triptych target add`",
	    config->transport.host, pinned ? pinned : "?", answered ? answered : "?");
}

static int log_in(struct tp_ssh *ssh, const struct tp_target_config *config,
		  struct tp_deadline deadline, struct tp_err *reterr)
{
	const char *user = config->transport.user ? config->transport.user : "root";
	const char *key = config->transport.key;
	char *text = NULL;
	int r;

	while ((r = libssh2_userauth_publickey_fromfile_ex(ssh->session, user,
							   (unsigned int)strlen(user), NULL, key,
							   NULL)) == LIBSSH2_ERROR_EAGAIN) {
		r = tp_ssh_wait(ssh, deadline, "logging in", reterr);
		if (r)
			return r;
	}
	if (r == 0)
		return 0;
	if (r == LIBSSH2_ERROR_FILE)
		return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, ssh->origin,
				  "the SSH key %s cannot be read as a private key", key);
	if (r == LIBSSH2_ERROR_AUTHENTICATION_FAILED || r == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED)
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_AUTH, ssh->origin,
		    "%s does not let user %s in with the key %s; add the line of %s.pub "
		    "to that user's authorized_keys there",
		    config->transport.host, user, key, key);
	libssh2_session_last_error(ssh->session, &text, NULL, 0);
	if (r == LIBSSH2_ERROR_SOCKET_RECV || r == LIBSSH2_ERROR_SOCKET_SEND ||
	    r == LIBSSH2_ERROR_SOCKET_DISCONNECT)
		return tp_ssh_lost(ssh, r, "logging in", reterr);
	return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, ssh->origin,
			  "cannot log in as %s at %s: %s (code %d)", user, config->transport.host,
			  text ? text : "", r);
}

static int open_ssh(const struct tp_target_config *config, struct tp_deadline deadline,
		    struct tp_transport **ret, struct tp_err *reterr)
{
	_cleanup_(tp_ssh_pin_deinit) struct tp_ssh_pin pin = {};
	_cleanup_(free_ssh) struct tp_ssh *ssh = NULL;
	int r;

	if (!config->transport.host_key)
		return tp_err_set(reterr, TP_TRANSPORT_E_HOST_KEY, config->name,
				  "no host key is pinned for this target; pin it with `triptych "
				  "target add`");
	if (!config->transport.key)
		return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, config->name,
				  "transport.key is missing: name an ed25519 or ECDSA private key");
	r = tp_ssh_pin_parse(config->transport.host_key, &pin, reterr);
	if (r == 0)
		r = tp_ssh_key_check(config->transport.key, reterr);
	if (r == 0)
		r = new_ssh(config, &ssh, reterr);
	if (r == 0)
		r = handshake(ssh, config, pin.type, deadline, reterr);
	if (r == 0)
		r = check_host_key(ssh, config, &pin, reterr);
	if (r == 0)
		r = log_in(ssh, config, deadline, reterr);
	if (r == 0) {
		*ret = &ssh->base;
		ssh = NULL;
	}
	return r;
}

/* "type base64" from a blob that names its own type. */
static char *key_text(const char *blob, size_t len)
{
	_cleanup_(tp_freep) char *base64 = tp_base64_encode(blob, len, true);
	size_t n = len >= 4 ? (unsigned char)blob[3] : 0;

	if (!base64 || n == 0 || n > len - 4)
		return NULL;
	return tp_strf("%.*s %s", (int)n, blob + 4, base64);
}

int tp_ssh_fetch_host_key(const struct tp_target_config *config, struct tp_deadline deadline,
			  char **ret_key, char **ret_fingerprint, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = NULL, *fingerprint = NULL;
	_cleanup_(free_ssh) struct tp_ssh *ssh = NULL;
	const char *blob;
	size_t len = 0;
	int type, r = new_ssh(config, &ssh, reterr);

	if (r == 0)
		r = handshake(ssh, config, NULL, deadline, reterr);
	if (r)
		return r;
	blob = libssh2_session_hostkey(ssh->session, &len, &type);
	text = blob ? key_text(blob, len) : NULL;
	fingerprint = blob ? tp_ssh_fingerprint(blob, len) : NULL;
	if (!text || !fingerprint)
		return tp_err_oom(reterr);
	*ret_key = TP_TAKE(text);
	if (ret_fingerprint)
		*ret_fingerprint = TP_TAKE(fingerprint);
	return 0;
}

const struct tp_transport_ops tp_transport_ssh = {
    .kind = "ssh",
    .answers = tp_ssh_answers,
    .open = open_ssh,
    .close = close_ssh,
    .exec = tp_ssh_exec,
    .upload = tp_ssh_upload,
    .download = tp_ssh_download,
};
