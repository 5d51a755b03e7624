/* The data files of the command line: presets (presets.h), which presets.inc, made by make, names in order; completions. */
#include "base/embed.h"

/* A struct preset, and what it points at. */
	.macro PRESET name:req, file:req
	.pushsection READ_ONLY
1:	.asciz "\name"
2:	.incbin "\file"
	.byte 0
	.popsection
	.quad 1b, 2b
	.endm

	.section READ_ONLY_POINTERS
	.balign 8
	SYMBOL preset_table
8:
#include "presets.inc"
9:
	.section READ_ONLY
	.balign 8
	SYMBOL preset_count
	.quad (9b - 8b) / 16

	EMBED_TEXT completions_bash, .incbin "src/cli/completions.bash"
	EMBED_TEXT completions_zsh, .incbin "src/cli/completions.zsh"
	EMBED_TEXT completions_fish, .incbin "src/cli/completions.fish"
