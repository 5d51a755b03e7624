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

EMBED_TEXT(cuda_fatbin_targets, .ascii FATBIN_TARGETS)
