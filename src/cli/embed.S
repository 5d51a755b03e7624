/* The data files of the command line: presets (presets.h), which presets.inc, made by make, names in order; completions. */
#include "base/embed.h"

/* A struct preset, and what it points at. */
#define PRESET(name, file) .pushsection .rodata; 1: .asciz name; 2: .incbin file; .byte 0; .popsection; .quad 1b, 2b

	.section .data.rel.ro, "aw", %progbits
	.balign 8
	.globl preset_table
	.type preset_table, %object
preset_table:
#include "presets.inc"
9:	.size preset_table, . - preset_table

	.section .rodata
	.balign 8
	.globl preset_count
	.type preset_count, %object
preset_count:
	.quad (9b - preset_table) / 16
	.size preset_count, 8

	.section .rodata
EMBED_TEXT(completions_bash, .incbin "src/cli/completions.bash")
EMBED_TEXT(completions_zsh, .incbin "src/cli/completions.zsh")
EMBED_TEXT(completions_fish, .incbin "src/cli/completions.fish")
