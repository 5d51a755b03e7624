/*
 * Embeds data files in the program. A room with data files names them in its embed.S:
 *
 *   EMBED(page_css, .incbin "src/report/page.css")
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
	.section .note.GNU-stack, "", %progbits
	.section .rodata

/* Each is one line for the assembler; 64 bytes suit any vector. */
#define EMBED_TEXT(name, bytes) .balign 64; .globl name; .type name, %object; name: bytes; 9: .byte 0; .size name, . - name
#define EMBED(name, bytes)                                                                                             \
	EMBED_TEXT(name, bytes);                                                                                       \
	.balign 8; .globl name##_size; .type name##_size, %object; name##_size: .quad 9b - name; .size name##_size, 8

/* clang-format on */
#else

#include <stddef.h>

#define EMBEDDED(name)            \
	extern const char name[]; \
	extern const size_t name##_size

#endif
