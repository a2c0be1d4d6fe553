/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys before they are used: the pinned host key, the private key file.
 *
 * libssh2 1.10 signs RSA with SHA-1 only, which servers refuse with words that help nobody:
 * RSA is recognised here and said to be the reason.
 */
#include "target/ssh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/base64.h"
#include "util/fd.h"
#include "util/hash.h"
#include "util/str.h"

#define KEY_FILE_MAX 65536

static const char *const usable_types[] = {
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
};

static bool is_usable(const char *type)
{
	for (size_t i = 0; i < TP_ARRAY_SIZE(usable_types); i++) {
		if (strcmp(usable_types[i], type) == 0)
			return true;
	}
	return false;
}

void tp_ssh_pin_deinit(struct tp_ssh_pin *pin)
{
	free(pin->blob);
	*pin = (struct tp_ssh_pin){};
}

/* The type that a public key blob names in its first field. */
static bool blob_has_type(const unsigned char *blob, size_t len, const char *type)
{
	size_t n = strlen(type);

	return len >= 4 + n && blob[0] == 0 && blob[1] == 0 && blob[2] == 0 && blob[3] == n &&
	       memcmp(blob + 4, type, n) == 0;
}

int tp_ssh_pin_parse(const char *text, struct tp_ssh_pin *ret, struct tp_err *reterr)
{
	struct tp_ssh_pin pin = {};
	size_t type_len = strcspn(text, " ");
	const char *key = text + type_len + strspn(text + type_len, " ");

	if (type_len == 0 || type_len >= sizeof(pin.type))
		return tp_err_set(reterr, TP_TRANSPORT_E_HOST_KEY, NULL,
				  "transport.host_key must read \"TYPE BASE64\" as in a "
				  "known_hosts file");
	memcpy(pin.type, text, type_len);
	if (!is_usable(pin.type)) {
		tp_str_sanitize(pin.type);
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_HOST_KEY, NULL,
		    "the pinned host key is of the type %s, which this program cannot "
		    "verify; it requires ed25519 or ECDSA: give the target such a host "
		    "key (ssh-keygen -A) and pin that",
		    pin.type);
	}
	if (tp_base64_decode(key, strcspn(key, " \t\r\n"), &pin.blob, &pin.len) < 0 ||
	    !blob_has_type(pin.blob, pin.len, pin.type)) {
		tp_ssh_pin_deinit(&pin);
		return tp_err_set(reterr, TP_TRANSPORT_E_HOST_KEY, NULL,
				  "transport.host_key is damaged: its base64 is not a key of the "
				  "type that it names");
	}
	*ret = pin;
	return 0;
}

char *tp_ssh_fingerprint(const void *blob, size_t len)
{
	char hex[TP_SHA256_HEX];
	unsigned char raw[32];
	_cleanup_(tp_freep) char *text = NULL;

	tp_sha256_bytes(blob, len, hex);
	for (size_t i = 0; i < sizeof(raw); i++) {
		char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		raw[i] = (unsigned char)strtoul(pair, NULL, 16);
	}
	text = tp_base64_encode(raw, sizeof(raw), false);
	return text ? tp_strf("SHA256:%s", text) : NULL;
}

enum key_kind {
	KEY_USABLE,
	KEY_RSA,
	KEY_ENCRYPTED,
	KEY_UNKNOWN,
};

/* Skip one length-prefixed field; NULL when it is not whole. */
static const unsigned char *next_field(const unsigned char *p, const unsigned char *end,
				       const unsigned char **ret_text, size_t *ret_len)
{
	size_t len;

	if (end - p < 4)
		return NULL;
	len = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	if (len > (size_t)(end - p) - 4)
		return NULL;
	*ret_text = p + 4;
	*ret_len = len;
	return p + 4 + len;
}

static bool field_is(const unsigned char *text, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(text, word, len) == 0;
}

/* OpenSSH's own format: magic, cipher, kdf, kdf options, number of keys, public key ... */
static enum key_kind classify_openssh(const unsigned char *data, size_t len)
{
	static const char magic[] = "openssh-key-v1";
	const unsigned char *end = data + len, *p, *text;
	size_t n;

	if (len < sizeof(magic) || memcmp(data, magic, sizeof(magic)) != 0)
		return KEY_UNKNOWN;
	p = next_field(data + sizeof(magic), end, &text, &n);
	if (!p)
		return KEY_UNKNOWN;
	if (!field_is(text, n, "none"))
		return KEY_ENCRYPTED;
	for (int i = 0; p && i < 2; i++)
		p = next_field(p, end, &text, &n);
	if (!p || end - p < 4 || !next_field(p + 4, end, &text, &n))
		return KEY_UNKNOWN;
	if (!next_field(text, text + n, &text, &n))
		return KEY_UNKNOWN;
	if (field_is(text, n, "ssh-rsa"))
		return KEY_RSA;
	for (size_t i = 0; i < TP_ARRAY_SIZE(usable_types); i++) {
		if (field_is(text, n, usable_types[i]))
			return KEY_USABLE;
	}
	return KEY_UNKNOWN;
}

/* PKCS #8: the algorithm's object identifier is among the first bytes. */
static enum key_kind classify_pkcs8(const unsigned char *data, size_t len)
{
	static const unsigned char rsa[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01};

	return memmem(data, len < 64 ? len : 64, rsa, sizeof(rsa)) ? KEY_RSA : KEY_USABLE;
}

static enum key_kind classify_key(const char *text)
{
	static const char begin[] = "-----BEGIN ";
	const char *head = strstr(text, begin);
	const char *body = head ? strchr(head, '\n') : NULL;
	const char *foot = body ? strstr(body, "-----END") : NULL;
	_cleanup_(tp_freep) unsigned char *data = NULL;
	enum key_kind kind;
	size_t len;

	if (!foot)
		return KEY_UNKNOWN;
	head += sizeof(begin) - 1;
	if (tp_str_starts(head, "RSA "))
		return KEY_RSA;
	if (tp_str_starts(head, "ENCRYPTED") || memmem(head, (size_t)(foot - head), "ENCRYPTED", 9))
		return KEY_ENCRYPTED;
	if (tp_str_starts(head, "EC "))
		return KEY_USABLE;
	if (tp_base64_decode(body, (size_t)(foot - body), &data, &len) < 0)
		return KEY_UNKNOWN;
	kind = tp_str_starts(head, "OPENSSH") ? classify_openssh(data, len)
					      : classify_pkcs8(data, len);
	explicit_bzero(data, len);
	return kind;
}

static int check_file(const char *path, struct tp_err *reterr)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_AUTH, NULL,
		    "cannot use the SSH key %s: %s; correct transport.key or make one: "
		    "ssh-keygen -t ed25519 -N '' -f %s",
		    path, strerror(errno), path);
	if (!S_ISREG(st.st_mode))
		return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, NULL, "the SSH key %s is not a file",
				  path);
	if (st.st_mode & 077)
		return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, NULL,
				  "the SSH key %s is open to others (mode %04o); run: chmod 600 %s",
				  path, st.st_mode & 07777, path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, NULL,
				  "the SSH key %s belongs to another user", path);
	return 0;
}

int tp_ssh_key_check(const char *path, struct tp_err *reterr)
{
	char *text = NULL;
	enum key_kind kind;
	size_t len;
	int r = check_file(path, reterr);

	if (r)
		return r;
	r = tp_file_read(path, KEY_FILE_MAX, &text, &len, NULL);
	if (r < 0)
		return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, NULL,
				  "cannot read the SSH key %s: %s", path, strerror(-r));
	kind = classify_key(text);
	explicit_bzero(text, len);
	free(text);
	switch (kind) {
	case KEY_USABLE:
		return 0;
	case KEY_RSA:
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_AUTH, NULL,
		    "the SSH key %s is an RSA key, with which this program cannot log "
		    "in; it requires ed25519 or ECDSA: ssh-keygen -t ed25519 -N ''",
		    path);
	case KEY_ENCRYPTED:
		return tp_err_set(
		    reterr, TP_TRANSPORT_E_AUTH, NULL,
		    "the SSH key %s has a passphrase, which nobody can type here; make "
		    "a key of its own for this target: ssh-keygen -t ed25519 -N ''",
		    path);
	case KEY_UNKNOWN:
		break;
	}
	return tp_err_set(reterr, TP_TRANSPORT_E_AUTH, NULL,
			  "%s is not a private key that this program can use; it requires ed25519 "
			  "or ECDSA: ssh-keygen -t ed25519 -N ''",
			  path);
}
