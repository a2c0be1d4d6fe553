/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build-id note; see build_id.h. */
#include "build/build_id.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fd.h"
#include "util/str.h"

#define MAX_SEGMENTS   64
#define MAX_NOTE_BYTES (1u << 20)

static bool read_at(int fd, void *buffer, size_t len, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, buffer, len, (off_t)offset) == (ssize_t)len;
}

static size_t align_up(size_t n, size_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* Length of the build-id among the notes in @data, 0 for none. */
static int find_note(const unsigned char *data, size_t size, size_t align,
		     unsigned char ret[static TP_BUILD_ID_MAX])
{
	size_t at = 0;

	while (at < size && size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name_at = at + sizeof(note), desc_at;

		memcpy(&note, data + at, sizeof(note));
		if (note.n_namesz > size - name_at)
			return 0;
		desc_at = align_up(name_at + note.n_namesz, align);
		if (desc_at > size || note.n_descsz > size - desc_at)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(data + name_at, "GNU", 4) && note.n_descsz >= 4 &&
		    note.n_descsz <= TP_BUILD_ID_MAX) {
			memcpy(ret, data + desc_at, note.n_descsz);
			return (int)note.n_descsz;
		}
		at = align_up(desc_at + note.n_descsz, align);
	}
	return 0;
}

static int search_segment(int fd, const Elf64_Phdr *segment,
			  unsigned char ret[static TP_BUILD_ID_MAX])
{
	_cleanup_(tp_freep) unsigned char *data = NULL;

	if (segment->p_type != PT_NOTE || segment->p_filesz == 0 ||
	    segment->p_filesz > MAX_NOTE_BYTES)
		return 0;
	data = malloc(segment->p_filesz);
	if (!data)
		return -ENOMEM;
	if (!read_at(fd, data, segment->p_filesz, segment->p_offset))
		return 0;
	return find_note(data, segment->p_filesz, segment->p_align == 8 ? 8 : 4, ret);
}

static bool is_usable(const Elf64_Ehdr *head)
{
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_phentsize == sizeof(Elf64_Phdr);
}

int tp_elf_build_id(const char *path, unsigned char ret[static TP_BUILD_ID_MAX],
		    struct tp_err *reterr)
{
	_cleanup_(tp_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr head;

	if (fd < 0)
		return tp_err_set(reterr, -errno, NULL, "cannot open %s: %s", path,
				  strerror(errno));
	if (!read_at(fd, &head, sizeof(head), 0) || !is_usable(&head))
		return tp_err_set(reterr, -EBADMSG, NULL,
				  "%s is not a 64-bit little-endian ELF file with segments", path);
	for (unsigned int i = 0; i < head.e_phnum && i < MAX_SEGMENTS; i++) {
		Elf64_Phdr segment;
		int r;

		if (!read_at(fd, &segment, sizeof(segment),
			     head.e_phoff + (uint64_t)i * sizeof(segment)))
			break;
		r = search_segment(fd, &segment, ret);
		if (r < 0)
			return tp_err_oom(reterr);
		if (r > 0)
			return r;
	}
	return tp_err_set(reterr, -ENODATA, NULL,
			  "%s carries no GNU build-id, by which a booted kernel proves itself; the "
			  "linker must be called with --build-id",
			  path);
}
