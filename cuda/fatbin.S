/*
 * The compiled kernels as data of the program. -DFATBIN='"file"' names what nvcc -fatbin made, and FATBIN_TARGETS the
 * architectures; without them the program has no CUDA kernels and reports so.
 */
#include "base/embed.h"

#ifdef FATBIN
EMBED(cuda_fatbin, .incbin FATBIN)
#else
EMBED(cuda_fatbin, )
#define FATBIN_TARGETS ""
#endif

	.globl cuda_fatbin_targets
	.type cuda_fatbin_targets, %object
cuda_fatbin_targets:
	.asciz FATBIN_TARGETS
	.size cuda_fatbin_targets, . - cuda_fatbin_targets
