/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few macros that the whole tree uses: ownership, must-check, array sizes.
 *
 * Nothing here may change how C reads; a macro that hides control flow does not belong.
 */
#pragma once

#include <assert.h>
#include <stddef.h>

#define TP_MUST_CHECK	   __attribute__((warn_unused_result))
#define TP_PRINTF(fmt, va) __attribute__((format(printf, fmt, va)))
#define TP_UNUSED	   __attribute__((unused))

/* Run @fn on the address of the variable when it leaves scope; @fn takes a pointer to it. */
#define _cleanup_(fn) __attribute__((cleanup(fn)))

#define TP_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Hand over an owned pointer: yields its value and leaves NULL behind. */
#define TP_TAKE(ptr)                                                                               \
	({                                                                                         \
		__typeof__(ptr) tp_taken_ = (ptr);                                                 \
		(ptr) = NULL;                                                                      \
		tp_taken_;                                                                         \
	})

/* Define the cleanup companion `NAMEp` of a free function that takes and returns a pointer. */
#define TP_DEFINE_CLEANUP(type, fn)                                                                \
	static inline void fn##p(type **p)                                                         \
	{                                                                                          \
		fn(*p);                                                                            \
		*p = NULL;                                                                         \
	}
