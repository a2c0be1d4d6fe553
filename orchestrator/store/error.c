/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQLite's results as sentences that say what to do; see db.h. */
#include "store/db.h"

#include <errno.h>

/* SQLite quotes a CHECK as it was written, over several lines; a sentence has one. */
static void copy_words(const struct tp_store *store, int rc, char *ret, size_t size)
{
	const char *words = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc);
	size_t n = 0;

	for (; *words && n + 1 < size; words++) {
		bool space = *words == ' ' || *words == '\n' || *words == '\t';

		if (!space || (n > 0 && ret[n - 1] != ' '))
			ret[n++] = space ? ' ' : *words;
	}
	ret[n] = '\0';
}

/* The families of results that a person can do something about. */
int tp_db_error(const struct tp_store *store, int rc, const char *what, struct tp_err *reterr)
{
	const char *path = store->path;
	char words[256];

	copy_words(store, rc, words, sizeof(words));
	switch (rc & 0xff) {
	case SQLITE_FULL:
		return tp_err_set(reterr, -ENOSPC, path,
				  "the disk that holds the database %s is full; make room and run "
				  "the command again, nothing recorded is lost",
				  path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return tp_err_set(reterr, -EBUSY, path,
				  "another process keeps the database %s locked; run the command "
				  "again when it is done",
				  path);
	case SQLITE_CORRUPT:
		return tp_err_set(
		    reterr, -EBADMSG, path,
		    "the database %s is damaged; put a copy back, or save what can be "
		    "read with: sqlite3 FILE .recover",
		    path);
	case SQLITE_NOTADB:
		return tp_err_set(reterr, -EBADMSG, path,
				  "%s is not a database; move it away or name another state folder",
				  path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_CANTOPEN:
		return tp_err_set(reterr, -EACCES, path,
				  "cannot %s the database %s; this user must be able to write the "
				  "file and the folder it is in",
				  what, path);
	case SQLITE_IOERR:
		return tp_err_set(reterr, -EIO, path,
				  "cannot %s the database %s: %s; look at the disk and the kernel "
				  "log",
				  what, path, words);
	case SQLITE_NOMEM:
		return tp_err_oom(reterr);
	case SQLITE_CONSTRAINT:
		return tp_err_set(reterr, -EINVAL, path, "the database %s refuses a record: %s",
				  path, words);
	}
	return tp_err_set(reterr, -EIO, path, "cannot %s the database %s: %s (%d)", what, path,
			  words, rc);
}

int tp_db_fenced(int64_t job, struct tp_err *reterr)
{
	return tp_err_set(reterr, TP_STORE_E_FENCED, NULL,
			  "another worker has taken job %lld over; this one stops", (long long)job);
}
