/*
 * Embeds the compiled kernels. The Makefile defines FATBIN, the file that nvcc -fatbin wrote, and FATBIN_TARGETS, its
 * architectures; and PTX, a file with the same kernels for older drivers. Without them the program has no CUDA kernels,
 * and says so.
 */
#include "base/embed.h"

#ifdef FATBIN
	EMBED cuda_fatbin, .incbin FATBIN
#else
	EMBED cuda_fatbin
#define FATBIN_TARGETS ""
#endif

#ifdef PTX
	EMBED cuda_ptx, .incbin PTX
#else
	EMBED cuda_ptx
#endif

	EMBED_TEXT cuda_fatbin_targets, .ascii FATBIN_TARGETS
