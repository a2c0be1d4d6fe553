/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Points at which a test may kill this process; see failpoint.h. */
#include "util/failpoint.h"

#ifdef TP_FAILPOINTS
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void log_point(const char *path, const char *name)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);

	if (fd < 0)
		return;
	if (write(fd, name, strlen(name)) < 0 || write(fd, "\n", 1) < 0)
		abort();
	close(fd);
}

void tp_failpoint(const char *name)
{
	static long passed;
	const char *kill_at = getenv("TRIPTYCH_KILL_AT");
	const char *log = getenv("TRIPTYCH_KILL_LOG");

	passed++;
	if (log)
		log_point(log, name);
	if (kill_at && passed == strtol(kill_at, NULL, 10))
		kill(getpid(), SIGKILL);
}
#else
extern int tp_failpoint_is_compiled_out;
int tp_failpoint_is_compiled_out = 1;
#endif
