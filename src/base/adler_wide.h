/*
 * struct wide_sums: the sums of a line (base/adler.h), or what is added to them, in the lanes of wide registers, block
 * by block of 64 bytes. For processors with CPU_AVX512.
 */
#pragma once

#include "base/adler.h"
#include "base/differing.h"

#if HAS_DIFFERING_WIDE

struct wide_sums {
	__m512i bytes, weighted; /* 64-bit lanes; weighted: as if each block were the last one */
	__m512i in_blocks;       /* 32-bit lanes: what the bytes weigh within their blocks; 2^15 blocks fit */
};
_Static_assert(LINE_SUMS_MAX / 64 <= 1 << 15, "4 * 255 * 64 of a block");

DIFFERING_WIDE static inline struct wide_sums wide_sums_begin(void)
{
	const __m512i zero = _mm512_setzero_si512();

	return (struct wide_sums){ zero, zero, zero };
}

/* Returns what pairs of bytes weigh within a block: at most 255 * (64 + 63) < 2^15. */
DIFFERING_WIDE static inline __m512i wide_pairs(__m512i bytes)
{
	static const int8_t left[64] = { 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49,
					 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33,
					 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
					 16, 15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1 };

	return _mm512_maddubs_epi16(bytes, _mm512_loadu_si512(left));
}

DIFFERING_WIDE static inline void wide_sums_add_lanes(struct wide_sums *s, __m512i sums, __m512i pairs, int64_t after)
{
	s->bytes = _mm512_add_epi64(s->bytes, sums);
	s->weighted = _mm512_add_epi64(s->weighted, _mm512_mul_epi32(sums, _mm512_set1_epi64(after)));
	s->in_blocks = _mm512_add_epi32(s->in_blocks, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}

/* Adds a block. after: the bytes of the line after it; negative if the line ends in it, followed by zeros. */
DIFFERING_WIDE static inline void wide_sums_add(struct wide_sums *s, __m512i bytes, int64_t after)
{
	wide_sums_add_lanes(s, _mm512_sad_epu8(bytes, _mm512_setzero_si512()), wide_pairs(bytes), after);
}

/* Replaces a block. */
DIFFERING_WIDE static inline void wide_sums_replace(struct wide_sums *s, __m512i before, __m512i bytes, int64_t after)
{
	const __m512i zero = _mm512_setzero_si512();

	wide_sums_add_lanes(s, _mm512_sub_epi64(_mm512_sad_epu8(bytes, zero), _mm512_sad_epu8(before, zero)),
			    _mm512_sub_epi16(wide_pairs(bytes), wide_pairs(before)), after);
}

/* Adds all of it to the sums of a line. */
DIFFERING_WIDE static inline void wide_sums_end(const struct wide_sums *s, struct line_sums *out)
{
	__m512i low = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(s->in_blocks));
	__m512i high = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(s->in_blocks, 1));
	__m512i weighted = _mm512_add_epi64(s->weighted, _mm512_add_epi64(low, high));

	out->bytes += (uint64_t)_mm512_reduce_add_epi64(s->bytes);
	out->weighted += (uint64_t)_mm512_reduce_add_epi64(weighted);
}

#endif
