/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build-id of hostile ELF files, and hashes that do not see release and build-id. */
#include "scratch.h"

#include <elf.h>
#include <errno.h>

#include "build/build_id.h"
#include "build/image.h"

/* An ELF file with one note segment. Everything in it can be bent before it is written. */
struct file {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	Elf64_Nhdr note;
	char name[4];
	unsigned char id[20];
};

static struct file good(void)
{
	struct file f = {
	    .head = {.e_phoff = sizeof(Elf64_Ehdr),
		     .e_phentsize = sizeof(Elf64_Phdr),
		     .e_phnum = 1},
	    .segment = {.p_type = PT_NOTE,
			.p_offset = offsetof(struct file, note),
			.p_filesz = sizeof(Elf64_Nhdr) + 24,
			.p_align = 4},
	    .note = {.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID},
	    .name = "GNU",
	};

	memcpy(f.head.e_ident, ELFMAG, SELFMAG);
	f.head.e_ident[EI_CLASS] = ELFCLASS64;
	f.head.e_ident[EI_DATA] = ELFDATA2LSB;
	for (size_t i = 0; i < sizeof(f.id); i++)
		f.id[i] = (unsigned char)(0xa0 + i);
	return f;
}

static int read_id(const char *dir, const struct file *f, size_t size)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/elf", dir);
	unsigned char id[TP_BUILD_ID_MAX] = {};
	int r;

	assert_int_equal(tp_file_write(path, f, size, 0600, NULL), 0);
	r = tp_elf_build_id(path, id, NULL);
	if (r > 0)
		assert_memory_equal(id, f->id, (size_t)r < 20 ? (size_t)r : 20);
	return r;
}

static void reads_the_note(void **state)
{
	struct file f = good();

	assert_int_equal(read_id(*state, &f, sizeof(f)), 20);
}

static void survives_every_bent_field(void **state)
{
	static const uint32_t values[] = {0, 1, 3, 5, 21, 0x7fffffff, 0x80000000, 0xffffffff};

	for (size_t i = 0; i < TP_ARRAY_SIZE(values); i++) {
		struct file f = good();

		f.note.n_namesz = values[i];
		assert_int_equal(read_id(*state, &f, sizeof(f)), -ENODATA);
		f = good();
		f.note.n_descsz = values[i];
		if (values[i] != 5)
			assert_int_equal(read_id(*state, &f, sizeof(f)), -ENODATA);
		f = good();
		f.segment.p_filesz = values[i];
		assert_int_equal(read_id(*state, &f, sizeof(f)), -ENODATA);
		f = good();
		f.segment.p_offset = (uint64_t)values[i] << 32 | 0xfffffff0;
		assert_int_equal(read_id(*state, &f, sizeof(f)), -ENODATA);
		f = good();
		f.head.e_phoff = (uint64_t)values[i] << 32 | 0xfffffff0;
		assert_int_equal(read_id(*state, &f, sizeof(f)), -ENODATA);
		f = good();
		f.head.e_phnum = (uint16_t)values[i];
		assert_true(read_id(*state, &f, sizeof(f)) == (values[i] & 0xffff ? 20 : -ENODATA));
	}
}

static void survives_every_truncation(void **state)
{
	struct file f = good();

	for (size_t n = 0; n < offsetof(struct file, id) + sizeof(f.id); n++)
		assert_int_equal(read_id(*state, &f, n),
				 n < sizeof(Elf64_Ehdr) ? -EBADMSG : -ENODATA);
	f.head.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(read_id(*state, &f, sizeof(f)), -EBADMSG);
}

/* A file that ends soon after the last of the places, with @tag and @id_byte at each of them. */
static void hash_of(const char *dir, const char *tag, unsigned char id_byte, const size_t *at,
		    size_t n, struct tp_image_hashes *ret)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/image", dir);
	size_t size = at[n - 1] + 32 + 13;
	_cleanup_(tp_freep) unsigned char *data = malloc(size);
	struct file f = good();

	for (size_t i = 0; i < size; i++)
		data[i] = (unsigned char)(i * 7 + i / 251);
	memset(f.id, id_byte, sizeof(f.id));
	memcpy(data, &f, sizeof(f));
	for (size_t i = 0; i < n; i++) {
		memcpy(data + at[i], tag, strlen(tag));
		memcpy(data + at[i] + strlen(tag), f.id, sizeof(f.id));
	}
	assert_int_equal(tp_file_write(path, data, size, 0600, NULL), 0);
	assert_int_equal(tp_image_hash(path, tag, ret, NULL), 0);
}

static void masks_wherever_they_lie(void **state)
{
	size_t places[80];
	struct tp_image_hashes a, b, c;

	/* Every offset around the border of the first window, one file each. */
	for (size_t i = 0; i < TP_ARRAY_SIZE(places); i++)
		places[i] = (1u << 20) - 70 + i;
	for (size_t i = 0; i < TP_ARRAY_SIZE(places); i++) {
		hash_of(*state, "aaaabbbbcccc", 0xee, &places[i], 1, &a);
		hash_of(*state, "000111222333", 0x11, &places[i], 1, &b);
		assert_string_equal(a.canonical, b.canonical);
		assert_string_not_equal(a.sha256, b.sha256);
		assert_string_not_equal(a.build_id, b.build_id);
	}
	hash_of(*state, "aaaabbbbcccc", 0xee, (size_t[]){4096, 3u << 20, (3u << 20) + 12313}, 3,
		&a);
	hash_of(*state, "000111222333", 0x11, (size_t[]){4096, 3u << 20, (3u << 20) + 12313}, 3,
		&b);
	assert_string_equal(a.canonical, b.canonical);
	/* And nothing else: another place is another code. */
	hash_of(*state, "000111222333", 0x11, (size_t[]){4097, 3u << 20, (3u << 20) + 12313}, 3,
		&c);
	assert_string_not_equal(b.canonical, c.canonical);
}

static void the_plain_hash_is_the_files(void **state)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/image", (char *)*state);
	struct tp_image_hashes h;
	char hex[TP_SHA256_HEX];

	hash_of(*state, "aaaabbbbcccc", 0xee, (size_t[]){5000}, 1, &h);
	assert_int_equal(tp_sha256_path(path, hex, NULL), 0);
	assert_string_equal(h.sha256, hex);
	assert_string_equal(h.build_id, "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    scratch_test(reads_the_note),
	    scratch_test(survives_every_bent_field),
	    scratch_test(survives_every_truncation),
	    scratch_test(masks_wherever_they_lie),
	    scratch_test(the_plain_hash_is_the_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
