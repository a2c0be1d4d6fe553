/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a build's output: progress, the first error, and whose fault it was. */
#include "scratch.h"

#include "build/scan.h"

static struct tp_build_scan scan(const char *text)
{
	struct tp_build_scan s = {.source_prefix = "/w/src/", .object_prefix = "/w/obj/"};
	_cleanup_(tp_freep) char *copy = strdup(text);
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		tp_scan_line(&s, line);
	return s;
}

static void counts_objects(void **state)
{
	struct tp_build_scan s =
	    scan("  SYNC    include/config/auto.conf\n  HOSTCC  scripts/x\n"
		 "  CC      fs/inode.o\n  CC [M]  fs/fat/cache.o\n"
		 "  AS      arch/x86/entry.o\n  LD      vmlinux.o\n  CCX     no\n"
		 "  CC\n CC      one-blank.o\n  AR      fs/built-in.a\n"
		 "  CC      /w/obj/tools/objtool/check.o\n");

	(void)state;
	assert_int_equal(s.compiled, 5);
	assert_string_equal(s.what, "tools/objtool/check.o");
	assert_string_equal(s.error, "");
	assert_int_equal(s.fault, TP_FAULT_SOURCE);
}

/* Real lines of real tools, each after noise that looks alarming and is not. */
static void finds_the_first_error(void **state)
{
	static const struct {
		const char *log, *error;
	} cases[] = {
	    {"/w/src/fs/inode.c:5:2: warning: error-prone\nIn file included from x.h:1:\n"
	     "/w/src/fs/inode.c:12:9: error: 'x' undeclared\n/w/src/fs/a.c:1:1: error: later\n"
	     "make[3]: *** [/w/src/scripts/Makefile.build:229: fs/inode.o] Error 1\n",
	     "fs/inode.c:12:9: error: 'x' undeclared"},
	    {"/w/src/a.c:1:10: fatal error: linux/none.h: No such file or directory\n",
	     "a.c:1:10: fatal error: linux/none.h: No such file or directory"},
	    {"ld: warning: orphan section `.x'\nld: vmlinux.o: in function `f':\n"
	     "inode.c:(.text+0x1): undefined reference to `g'\n",
	     "inode.c:(.text+0x1): undefined reference to `g'"},
	    {"/usr/bin/ld: a.o:/w/src/a.c:3: multiple definition of `x'; b.o: first defined here\n",
	     "/usr/bin/ld: a.o:a.c:3: multiple definition of `x'; b.o: first defined here"},
	    {"ERROR: modpost: \"foo\" [drivers/a.ko] undefined!\n",
	     "ERROR: modpost: \"foo\" [drivers/a.ko] undefined!"},
	    {"vmlinux.o: warning: objtool: f() falls through\nvmlinux.o: error: objtool: g(): "
	     "bad\n",
	     "vmlinux.o: error: objtool: g(): bad"},
	    {"fs/Kconfig:3:warning: x\nfs/Kconfig:12: syntax error\n",
	     "fs/Kconfig:12: syntax error"},
	    {"crypto/Kconfig:1449: can't open file \"arch/arm/crypto/Kconfig\"\n",
	     "crypto/Kconfig:1449: can't open file \"arch/arm/crypto/Kconfig\""},
	    {"{standard input}: Assembler messages:\n{standard input}:9: Error: no such "
	     "instruction\n",
	     "{standard input}:9: Error: no such instruction"},
	    {"make[2]: *** No rule to make target 'fs/x.o', needed by 'fs/built-in.a'.  Stop.\n"
	     "make[1]: *** [Makefile:1: fs] Error 2\n",
	     "make[2]: *** No rule to make target 'fs/x.o', needed by 'fs/built-in.a'.  Stop."},
	    {"something odd\n", "something odd"},
	    {"a.c:1:1: error: \x1b[31m red\n", "a.c:1:1: error: ?[31m red"},
	};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct tp_build_scan s = scan(cases[i].log);

		assert_string_equal(tp_scan_first_error(&s), cases[i].error);
		assert_int_equal(s.fault, TP_FAULT_SOURCE);
	}
}

static void whose_fault(void **state)
{
	static const struct {
		const char *line;
		enum tp_build_fault fault;
		const char *package;
	} cases[] = {
	    {"/bin/sh: 1: bc: not found", TP_FAULT_MISSING_TOOL, "bc"},
	    {"/bin/bash: line 1: flex: command not found", TP_FAULT_MISSING_TOOL, "flex"},
	    {"make[1]: bison: No such file or directory", TP_FAULT_MISSING_TOOL, "bison"},
	    {"/w/src/scripts/x.c:5:10: fatal error: gelf.h: No such file or directory",
	     TP_FAULT_MISSING_TOOL, "libelf-dev"},
	    {"certs/extract-cert.c:21:10: fatal error: openssl/bio.h: No such file or directory",
	     TP_FAULT_MISSING_TOOL, "libssl-dev"},
	    {"/tmp/cc.s: fatal error: error writing to /tmp/cc.s: No space left on device",
	     TP_FAULT_NO_SPACE, NULL},
	    {"ld: final link failed: No space left on device", TP_FAULT_NO_SPACE, NULL},
	    {"gcc: fatal error: Killed signal terminated program cc1", TP_FAULT_KILLED, NULL},
	    {"make[2]: *** [scripts/Makefile.vmlinux:34: vmlinux] Error 137", TP_FAULT_KILLED,
	     NULL},
	    {"make[2]: *** [Makefile:1: x.o] Killed", TP_FAULT_KILLED, NULL},
	    {"cc1: out of memory allocating 65536 bytes", TP_FAULT_NO_MEMORY, NULL},
	    {"virtual memory exhausted: Cannot allocate memory", TP_FAULT_NO_MEMORY, NULL},
	    /* The source's own mistakes. */
	    {"/bin/sh: 1: frobnicate: not found", TP_FAULT_SOURCE, NULL},
	    {"a.c:1:1: fatal error: linux/none.h: No such file or directory", TP_FAULT_SOURCE,
	     NULL},
	    {"a.c:1:1: internal compiler error: Segmentation fault", TP_FAULT_SOURCE, NULL},
	    {"make[2]: *** [Makefile:1: x.o] Error 1", TP_FAULT_SOURCE, NULL},
	};

	(void)state;
	for (size_t i = 0; i < TP_ARRAY_SIZE(cases); i++) {
		struct tp_build_scan s = scan(cases[i].line);

		if (s.fault != cases[i].fault)
			fail_msg("%s: %d", cases[i].line, s.fault);
		if (cases[i].package)
			assert_string_equal(s.missing_pkg, cases[i].package);
	}
}

static void hostile_lines_are_bounded(void **state)
{
	_cleanup_(tp_freep) char *line = malloc(100001);
	struct tp_build_scan s;

	(void)state;
	memset(line, 'x', 100000);
	line[100000] = '\0';
	memcpy(line, "a: error: ", 10);
	s = scan(line);
	assert_int_equal(strlen(s.error), TP_SCAN_LINE - 1);
	memcpy(line, "  CC      ", 10);
	s = scan(line);
	assert_int_equal(s.compiled, 1);
	assert_int_equal(strlen(s.what), sizeof(s.what) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_objects),
	    cmocka_unit_test(finds_the_first_error),
	    cmocka_unit_test(whose_fault),
	    cmocka_unit_test(hostile_lines_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
