/*
 * Compares 64 bytes at a time. Pure.
 *
 * A loop over many is an inline function with one of the two as its argument, and is instantiated for both: the second
 * time in a function that is DIFFERING_WIDE, for processors with CPU_AVX512.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/cpu.h"

typedef uint64_t differing64_fn(const uint8_t *a, const uint8_t *b);

/* Returns a bit for each of 64 bytes that differ. */
static inline uint64_t differing64(const uint8_t *a, const uint8_t *b)
{
	uint64_t bits = 0;

#if defined(__SSE2__)
	for (unsigned i = 0; i < 64; i += 16) {
		__m128i equal =
			_mm_cmpeq_epi8(_mm_loadu_si128((const void *)(a + i)), _mm_loadu_si128((const void *)(b + i)));

		bits |= (uint64_t)(uint16_t)~_mm_movemask_epi8(equal) << i;
	}
#else
	for (unsigned i = 0; i < 64; i++)
		bits |= (uint64_t)(a[i] != b[i]) << i;
#endif
	return bits;
}

#if defined(__x86_64__)
#define HAS_DIFFERING_WIDE 1
#define DIFFERING_WIDE     __attribute__((target("avx512f,avx512bw,bmi")))

DIFFERING_WIDE static inline uint64_t differing64_wide(const uint8_t *a, const uint8_t *b)
{
	return _mm512_cmpneq_epu8_mask(_mm512_loadu_si512((const void *)a), _mm512_loadu_si512((const void *)b));
}
#else
#define HAS_DIFFERING_WIDE 0
#define DIFFERING_WIDE
#define differing64_wide differing64
#endif

static inline bool differing_is_wide(void)
{
	return HAS_DIFFERING_WIDE && cpu_features() & CPU_AVX512;
}
