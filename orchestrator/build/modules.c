/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packing modules; see modules.h. */
#include "build/modules.h"

#include <errno.h>
#include <stdlib.h>

#include "build/make.h"
#include "util/child.h"
#include "util/fd.h"
#include "util/str.h"

static int pack(struct tp_build *b, const char *dir, const char *tar, struct tp_err *reterr)
{
	/* build and source are links into our work folder, which no target has. */
	const char *const argv[] = {"tar",
				    "--sort=name",
				    "--mtime=@946684800",
				    "--owner=0",
				    "--group=0",
				    "--numeric-owner",
				    "--format=gnu",
				    "--exclude=lib/modules/*/build",
				    "--exclude=lib/modules/*/source",
				    "-cf",
				    tar,
				    "-C",
				    dir,
				    "lib",
				    NULL};
	struct tp_child child = {
	    .argv = argv, .log_fd = b->log_fd, .keep_fd = b->lock_fd, .deadline = b->deadline};

	return tp_child_check(&child, NULL, reterr);
}

int tp_modules_pack(struct tp_build *b, const char *tar, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *dir = tp_strf("%s/modules", b->paths.work);
	_cleanup_(tp_freep) char *lib = dir ? tp_strf("%s/lib/modules", dir) : NULL;
	_cleanup_(tp_freep) char *where = dir ? tp_strf("INSTALL_MOD_PATH=%s", dir) : NULL;
	const char *const targets[] = {"INSTALL_MOD_STRIP=1", where, "modules_install", NULL};
	int r;

	if (!lib || !where)
		return tp_err_oom(reterr);
	r = tp_dir_remove(dir, reterr);
	if (r == 0)
		r = tp_dir_make(lib, 0755, reterr);
	if (r == 0)
		r = tp_make_run(b, targets, reterr);
	if (r != 0)
		return r;
	return pack(b, dir, tar, reterr);
}
