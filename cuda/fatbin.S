/*
 * The compiled kernels as data of the program. -DFATBIN='"file"' names what nvcc -fatbin made, and FATBIN_TARGETS what
 * for; without it the program is built without CUDA kernels, and says so.
 */
#ifdef __CET__
#include <cet.h> /* the mark that there is nothing here without landing pads; one object without it takes the program's */
#endif
	.section .rodata
	.balign 64
	.globl cuda_fatbin
	.type cuda_fatbin, %object
cuda_fatbin:
#ifdef FATBIN
	.incbin FATBIN
#endif
cuda_fatbin_end:
	.size cuda_fatbin, cuda_fatbin_end - cuda_fatbin

	.balign 8
	.globl cuda_fatbin_size
	.type cuda_fatbin_size, %object
	.size cuda_fatbin_size, 8
cuda_fatbin_size:
	.quad cuda_fatbin_end - cuda_fatbin

	.globl cuda_fatbin_targets
	.type cuda_fatbin_targets, %object
cuda_fatbin_targets:
#ifdef FATBIN
	.asciz FATBIN_TARGETS
#else
	.asciz ""
#endif
	.size cuda_fatbin_targets, . - cuda_fatbin_targets

	.section .note.GNU-stack, "", %progbits
