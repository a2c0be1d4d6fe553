/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GNU build-id; see buildid.h. */
#include "facts/buildid.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/fd.h"
#include "util/str.h"

#define NOTES_BYTES (1 << 20)

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static int to_hex(const unsigned char *id, size_t n, char *ret)
{
	if (n == 0 || 2 * n >= TP_BUILDID_HEX)
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		snprintf(ret + 2 * i, 3, "%02x", id[i]);
	return 0;
}

int tp_buildid_parse(const void *notes, size_t len, char ret[static TP_BUILDID_HEX])
{
	const unsigned char *p = notes;

	while (len >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr head;
		size_t name_len, desc_len;

		memcpy(&head, p, sizeof(head));
		p += sizeof(head);
		len -= sizeof(head);
		name_len = padded(head.n_namesz);
		if (name_len > len || head.n_descsz > len - name_len)
			return -ENOENT;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(p, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0)
			return to_hex(p + name_len, head.n_descsz, ret);
		/* The last note of a section may lack its padding. */
		desc_len = padded(head.n_descsz);
		if (desc_len > len - name_len)
			return -ENOENT;
		p += name_len + desc_len;
		len -= name_len + desc_len;
	}
	return -ENOENT;
}

char *tp_buildid_read(const char *root)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/sys/kernel/notes", root);
	_cleanup_(tp_freep) char *notes = NULL;
	char hex[TP_BUILDID_HEX];
	size_t len;

	if (!path || tp_file_read(path, NOTES_BYTES, &notes, &len, NULL) < 0)
		return NULL;
	return tp_buildid_parse(notes, len, hex) == 0 ? strdup(hex) : NULL;
}
