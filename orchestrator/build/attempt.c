/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One attempt at a build; see attempt.h. */
#include "build/attempt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "build/configure.h"
#include "build/make.h"
#include "build/modules.h"
#include "build/objtree.h"
#include "util/fd.h"
#include "util/str.h"

char *tp_attempt_file(const struct tp_build *b, const char *name)
{
	return tp_strf("%s/%s", b->paths.object, name);
}

char *tp_attempt_image(const struct tp_build *b)
{
	return tp_attempt_file(b, "arch/x86/boot/bzImage");
}

static int check_present(const struct tp_build *b, struct tp_err *reterr)
{
	static const char *const names[] = {"arch/x86/boot/bzImage", "vmlinux", "System.map",
					    "include/config/kernel.release"};

	for (size_t i = 0; i < TP_ARRAY_SIZE(names); i++) {
		_cleanup_(tp_freep) char *path = tp_attempt_file(b, names[i]);

		if (!path)
			return tp_err_oom(reterr);
		if (!tp_path_exists(path))
			return tp_err_set(reterr, -EIO, NULL,
					  "make ended well but left no %s in %s; is this an x86 "
					  "kernel source?",
					  names[i], b->paths.object);
	}
	return 0;
}

/* What `uname -r` will say, to the byte: a wrong one would make identity checks worthless. */
static int read_release(struct tp_build *b, struct tp_err *reterr)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-_+~";
	_cleanup_(tp_freep) char *path = tp_attempt_file(b, "include/config/kernel.release");
	_cleanup_(tp_freep) char *text = NULL;
	size_t len;
	int r = path ? tp_file_read(path, 4096, &text, NULL, reterr) : tp_err_oom(reterr);

	if (r < 0)
		return r;
	len = strlen(tp_str_chomp(text));
	if (len >= TP_RELEASE_MAX)
		return tp_err_set(
		    reterr, -EINVAL, NULL,
		    "the release string is %zu characters long, a kernel takes at most "
		    "%d: remove localversion files from the source",
		    len, TP_RELEASE_MAX - 1);
	if (!tp_str_ends(text, b->plan->local_version) || strspn(text, allowed) != len) {
		tp_str_sanitize(text);
		return tp_err_set(
		    reterr, -EINVAL, NULL,
		    "the source made the release \"%s\", which does not end in %s as it "
		    "was told; it cannot be told apart from others",
		    text, b->plan->local_version);
	}
	memcpy(b->facts.release, text, len + 1);
	return 0;
}

/* Without module signing there is no key. Only its hash is ever kept outside the object tree. */
static int hash_signing_key(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_attempt_file(b, "certs/signing_key.pem");

	if (!path)
		return tp_err_oom(reterr);
	b->facts.signing_key_sha256[0] = '\0';
	return tp_path_exists(path) ? tp_sha256_path(path, b->facts.signing_key_sha256, reterr) : 0;
}

static int collect(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *vmlinux = tp_attempt_file(b, "vmlinux");
	int r = check_present(b, reterr);

	if (r == 0)
		r = read_release(b, reterr);
	if (r == 0)
		r = hash_signing_key(b, reterr);
	if (r < 0)
		return r;
	if (!vmlinux)
		return tp_err_oom(reterr);
	/* The tag without "-tp-": some places carry the digits alone. */
	return tp_image_hash(vmlinux, b->plan->local_version + strlen("-tp-"), &b->facts.image,
			     reterr);
}

static int make_all(struct tp_build *b, struct tp_err *reterr)
{
	const char *const targets[] = {"bzImage", "vmlinux",
				       b->facts.has_modules ? "modules" : NULL, NULL};
	_cleanup_(tp_freep) char *tar = tp_strf("%s/modules.tar", b->paths.work);
	int r = tp_make_run(b, targets, reterr);

	if (r == 0 && b->facts.has_modules)
		r = tar ? tp_modules_pack(b, tar, reterr) : tp_err_oom(reterr);
	return r;
}

static int configure_and_make(struct tp_build *b, struct tp_err *reterr)
{
	_cleanup_(tp_kconfig_deinit) struct tp_kconfig config = {};
	int r;

	tp_build_tell(b, "configuring", true);
	r = tp_configure(b, &config, reterr);
	if (r != 0)
		return r;
	b->expected = tp_objtree_expect(b, &config);
	tp_build_tell(b, "compiling", true);
	r = make_all(b, reterr);
	if (r == 0)
		r = tp_configure_verify(b, reterr);
	return r;
}

int tp_attempt_run(struct tp_build *b, struct tp_err *reterr)
{
	int r = tp_objtree_begin(b, reterr);

	if (r < 0)
		return r;
	b->expected = 0;
	r = configure_and_make(b, reterr);
	/* Whoever was stopped from outside leaves the mark: his last files are not to be trusted.
	 */
	if (r >= 0 || r == -EINVAL)
		tp_objtree_end(b);
	b->facts.compiled = b->scan.compiled;
	if (r == 0)
		r = collect(b, reterr);
	if (r == 0)
		tp_objtree_remember(b);
	return r;
}
