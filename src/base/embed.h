/*
 * Embeds data files in the program. A room with data files names them in its embed.S:
 *
 *   EMBED page_css, .incbin "src/report/page.css"
 *
 * defines the constants page_css, which holds the bytes of the file and a NUL, and page_css_size, the number
 * of bytes without the NUL. C declares them with EMBEDDED(page_css). Paths are relative to the top folder, where
 * make runs. They are written out in full, since ccache recognises .incbin only with a quoted path.
 */
#pragma once

#ifdef __ASSEMBLER__
/* clang-format off */

#ifdef __CET__
#include <cet.h> /* one object without this mark costs the whole program its landing pads */
#endif
#ifdef __APPLE__
#define READ_ONLY __TEXT, __const
#define READ_ONLY_POINTERS __DATA, __const
	.macro SYMBOL name:req
	.globl _\name
_\name:
	.endm
#else
#define READ_ONLY .rodata
#define READ_ONLY_POINTERS .data.rel.ro, "aw", %progbits
	.macro SYMBOL name:req
	.globl \name
	.type \name, %object
\name:
	.endm
	.section .note.GNU-stack, "", %progbits
#endif

/* 64 bytes suit any vector. */
	.macro EMBED_TEXT name:req, bytes:vararg
	.balign 64
	SYMBOL \name
8:	\bytes
9:	.byte 0
	.endm

	.macro EMBED name:req, bytes:vararg
	EMBED_TEXT \name, \bytes
	.balign 8
	SYMBOL \name\()_size
	.quad 9b - 8b
	.endm

	.section READ_ONLY
/* clang-format on */
#else

#include <stddef.h>

#define EMBEDDED(name)            \
	extern const char name[]; \
	extern const size_t name##_size

#endif
