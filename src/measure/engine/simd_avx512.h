/* Primitives for AVX-512 with VBMI2: Ice Lake, Zen 4 and later. delta_template.h says what each does. */
#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/engine/delta.h"

#define TARGET                                                                                                      \
	"avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx512cd,avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt," \
	"tune=icelake-server"
#define TARGET_STATIC   __attribute__((target(TARGET))) static
#define TARGET_INLINE   TARGET_STATIC inline
#define TARGET_NOINLINE TARGET_STATIC __attribute__((noinline, unused))

/* ---- words: eight events ------------------------------------------------------------------------------------- */

typedef uint64_t word_vec __attribute__((vector_size(64)));
enum { WORD_LANES = 8 };

TARGET_INLINE word_vec words_set1(uint64_t x)
{
	return (word_vec)_mm512_set1_epi64((int64_t)x);
}

TARGET_INLINE word_vec words_load(const uint64_t *p)
{
	return (word_vec)_mm512_loadu_si512(p);
}

TARGET_INLINE void words_store(uint64_t *p, word_vec a)
{
	_mm512_storeu_si512(p, (__m512i)a);
}

TARGET_INLINE word_vec words_previous(word_vec now, word_vec before)
{
	return (word_vec)_mm512_alignr_epi64((__m512i)now, (__m512i)before, 7);
}

TARGET_INLINE word_vec words_eq(word_vec a, word_vec b)
{
	return (word_vec)_mm512_movm_epi64(_mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b));
}

TARGET_INLINE word_vec words_popcount(word_vec a)
{
	return (word_vec)_mm512_popcnt_epi64((__m512i)a);
}

TARGET_INLINE word_vec words_top_bit(word_vec a)
{
	return (word_vec)_mm512_srlv_epi64(_mm512_set1_epi64(INT64_MIN), _mm512_lzcnt_epi64((__m512i)a));
}

TARGET_INLINE word_vec words_mul32(word_vec a, word_vec b)
{
	return (word_vec)_mm512_mul_epi32((__m512i)a, (__m512i)b);
}

TARGET_INLINE uint64_t words_nonzero(word_vec a)
{
	return _mm512_test_epi64_mask((__m512i)a, (__m512i)a);
}

struct weighted_sums {
	word_vec sum, weighted;
};

/* ---- blocks of 64 pixels of 8 bits --------------------------------------------------------------------------- */

struct vec_8 {
	__m512i v;
};

TARGET_INLINE struct vec_8 load_8(const uint8_t *p)
{
	return (struct vec_8){ _mm512_loadu_si512(p) };
}

TARGET_INLINE void store_8(uint8_t *p, struct vec_8 a)
{
	_mm512_storeu_si512(p, a.v);
}

TARGET_INLINE struct vec_8 zero_8(void)
{
	return (struct vec_8){ _mm512_setzero_si512() };
}

TARGET_INLINE struct vec_8 ones_8(void)
{
	return (struct vec_8){ _mm512_set1_epi32(-1) };
}

TARGET_INLINE struct vec_8 set1_8(uint8_t x)
{
	return (struct vec_8){ _mm512_set1_epi8((char)x) };
}

TARGET_INLINE uint64_t ne_8(struct vec_8 a, struct vec_8 b)
{
	return _mm512_cmpneq_epi8_mask(a.v, b.v);
}

TARGET_INLINE uint64_t lt_8(struct vec_8 a, struct vec_8 b)
{
	return _mm512_cmplt_epu8_mask(a.v, b.v);
}

TARGET_INLINE uint64_t wide_8(struct vec_8 a, struct vec_8 b)
{
	__m512i gap = _mm512_sub_epi8(_mm512_max_epu8(a.v, b.v), _mm512_min_epu8(a.v, b.v));

	return _mm512_cmpge_epu8_mask(gap, _mm512_set1_epi8(2));
}

TARGET_INLINE bool any_8(struct vec_8 a)
{
	return _mm512_test_epi32_mask(a.v, a.v) != 0;
}

TARGET_INLINE bool differ_8(struct vec_8 a, struct vec_8 b)
{
	return _mm512_cmpneq_epi32_mask(a.v, b.v) != 0;
}

TARGET_INLINE struct vec_8 blend_8(uint64_t mask, struct vec_8 on, struct vec_8 off)
{
	return (struct vec_8){ _mm512_mask_blend_epi8(mask, off.v, on.v) };
}

TARGET_INLINE struct vec_8 and_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ _mm512_and_si512(a.v, b.v) };
}

TARGET_INLINE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ _mm512_add_epi8(a.v, b.v) };
}

/* Returns the last 16 bytes of `before`, then the first three quarters of a. */
TARGET_INLINE __m512i lanes_before(__m512i a, __m512i before)
{
	return _mm512_alignr_epi64(a, before, 6);
}

TARGET_INLINE struct vec_8 shift1_8(struct vec_8 a, uint32_t two)
{
	return (struct vec_8){ _mm512_alignr_epi8(a.v, lanes_before(a.v, _mm512_set1_epi16((short)two)), 15) };
}

TARGET_INLINE struct vec_8 shift2_8(struct vec_8 a, uint32_t two)
{
	return (struct vec_8){ _mm512_alignr_epi8(a.v, lanes_before(a.v, _mm512_set1_epi16((short)two)), 14) };
}

TARGET_INLINE uint32_t last_two_8(struct vec_8 a)
{
	return (uint32_t)_mm_extract_epi16(_mm512_extracti32x4_epi32(a.v, 3), 7);
}

TARGET_INLINE struct vec_8 prefix_sum_8(struct vec_8 a)
{
	const __m512i last_of_lane = _mm512_set1_epi8(15);
	__m512i v = a.v;

	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 1));
	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 2));
	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 4));
	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 8));
	/* add each lane's total to the lanes one, two and three above it */
	__m512i total = _mm512_shuffle_epi8(v, last_of_lane), zero = _mm512_setzero_si512();
	__m512i one = _mm512_alignr_epi64(total, zero, 6);
	__m512i two = _mm512_alignr_epi64(total, zero, 4), three = _mm512_alignr_epi64(total, zero, 2);

	v = _mm512_add_epi8(v, one);
	return (struct vec_8){ _mm512_add_epi8(v, _mm512_add_epi8(two, three)) };
}

TARGET_INLINE uint32_t sum_8(struct vec_8 a)
{
	return (uint32_t)_mm512_reduce_add_epi64(_mm512_sad_epu8(a.v, _mm512_setzero_si512()));
}

TARGET_INLINE struct weighted_sums weighted_sums_8(struct vec_8 a)
{
	/* sums of pairs stay below 2^15: 2 * 255 * 63 */
	const __m512i weights =
		_mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
				41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
				19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	__m512i fours = _mm512_madd_epi16(_mm512_maddubs_epi16(a.v, weights), _mm512_set1_epi16(1));

	/* only the low half of each 64 bits is used */
	return (struct weighted_sums){ (word_vec)_mm512_sad_epu8(a.v, _mm512_setzero_si512()),
				       (word_vec)_mm512_add_epi32(fours, _mm512_srli_epi64(fours, 32)) };
}

/* ---- blocks of 64 pixels of 16 bits -------------------------------------------------------------------------- */

struct vec_16 {
	__m512i v[2];
};

TARGET_INLINE struct vec_16 load_16(const uint16_t *p)
{
	return (struct vec_16){ { _mm512_loadu_si512(p), _mm512_loadu_si512(p + 32) } };
}

TARGET_INLINE void store_16(uint16_t *p, struct vec_16 a)
{
	_mm512_storeu_si512(p, a.v[0]);
	_mm512_storeu_si512(p + 32, a.v[1]);
}

TARGET_INLINE struct vec_16 ones_16(void)
{
	return (struct vec_16){ { _mm512_set1_epi32(-1), _mm512_set1_epi32(-1) } };
}

TARGET_INLINE uint64_t join(__mmask32 low, __mmask32 high)
{
	return (uint64_t)high << 32 | low;
}

TARGET_INLINE uint64_t ne_16(struct vec_16 a, struct vec_16 b)
{
	return join(_mm512_cmpneq_epi16_mask(a.v[0], b.v[0]), _mm512_cmpneq_epi16_mask(a.v[1], b.v[1]));
}

TARGET_INLINE uint64_t lt_16(struct vec_16 a, struct vec_16 b)
{
	return join(_mm512_cmplt_epu16_mask(a.v[0], b.v[0]), _mm512_cmplt_epu16_mask(a.v[1], b.v[1]));
}

TARGET_INLINE __mmask32 wide_half(__m512i a, __m512i b)
{
	__m512i gap = _mm512_sub_epi16(_mm512_max_epu16(a, b), _mm512_min_epu16(a, b));

	return _mm512_cmpge_epu16_mask(gap, _mm512_set1_epi16(2));
}

TARGET_INLINE uint64_t wide_16(struct vec_16 a, struct vec_16 b)
{
	return join(wide_half(a.v[0], b.v[0]), wide_half(a.v[1], b.v[1]));
}

TARGET_INLINE bool differ_16(struct vec_16 a, struct vec_16 b)
{
	__m512i all = _mm512_or_si512(_mm512_xor_si512(a.v[0], b.v[0]), _mm512_xor_si512(a.v[1], b.v[1]));

	return _mm512_test_epi32_mask(all, all) != 0;
}

TARGET_INLINE struct vec_16 and_16(struct vec_16 a, struct vec_16 b)
{
	return (struct vec_16){ { _mm512_and_si512(a.v[0], b.v[0]), _mm512_and_si512(a.v[1], b.v[1]) } };
}

TARGET_INLINE struct vec_16 shift1_16(struct vec_16 a, uint32_t two)
{
	__m512i before = lanes_before(a.v[0], _mm512_set1_epi32((int)two)), middle = lanes_before(a.v[1], a.v[0]);

	return (struct vec_16){ { _mm512_alignr_epi8(a.v[0], before, 14), _mm512_alignr_epi8(a.v[1], middle, 14) } };
}

TARGET_INLINE struct vec_16 shift2_16(struct vec_16 a, uint32_t two)
{
	__m512i before = lanes_before(a.v[0], _mm512_set1_epi32((int)two)), middle = lanes_before(a.v[1], a.v[0]);

	return (struct vec_16){ { _mm512_alignr_epi8(a.v[0], before, 12), _mm512_alignr_epi8(a.v[1], middle, 12) } };
}

TARGET_INLINE uint32_t last_two_16(struct vec_16 a)
{
	return (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(a.v[1], 3), 3);
}

/* ---- dirty bits (HAVE_MARK_ROWS) ----------------------------------------------------------------------------- */

enum {
	MARKED_ROWS = 32,  /* rows that are marked together; a bit each in a lane of 32 */
	MARKED_BLOCKS = 8, /* blocks side by side, whose rows above and bits stay in registers */
};

/* Marks blocks b to b + blocks - 1 in rows r to r + rows - 1. valid: the pixels of the last block that exist. */
TARGET_INLINE __attribute__((always_inline)) void mark_blocks(struct delta *s, uint32_t r, uint32_t rows, size_t b,
							      size_t blocks, __m512i valid)
{
	const size_t line = (size_t)s->width + 1, x0 = b * DELTA_BLOCK;
	const uint8_t *at = s->group.bytes + r * line + x0, *above = r ? at - line : s->last.above + x0;
	__m512i last[MARKED_BLOCKS], unlike[MARKED_BLOCKS], bit = _mm512_set1_epi32(1);
	uint64_t *dirty = s->group.dirty + b * (DELTA_GROUP / 64) + r / 64;

#pragma GCC unroll 8
	for (size_t i = 0; i < blocks; i++) {
		last[i] = _mm512_loadu_si512(above + i * DELTA_BLOCK);
		unlike[i] = _mm512_setzero_si512();
	}
	for (uint32_t i = 0; i < rows; i++, at += line) {
		__m512i repeats = _mm512_set1_epi64((int64_t)s->group.rows[r + i].same_filter_as_above);

#pragma GCC unroll 8
		for (size_t j = 0; j < blocks; j++) {
			__m512i bytes = _mm512_loadu_si512(at + j * DELTA_BLOCK);
			__m512i other = _mm512_xor_si512(bytes, _mm512_and_si512(last[j], repeats));
			__mmask16 lanes = _mm512_test_epi32_mask(other, j + 1 < blocks ? other : valid);

			unlike[j] = _mm512_mask_or_epi32(unlike[j], lanes, unlike[j], bit);
			last[j] = bytes;
		}
		bit = _mm512_slli_epi32(bit, 1);
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < blocks; i++) {
		uint64_t bits = (uint32_t)_mm512_reduce_or_epi32(unlike[i]);

		dirty[i * (DELTA_GROUP / 64)] |= bits << r % 64;
	}
}

/* Marks groups of `blocks` blocks from block b on. Returns the first block that is left. */
TARGET_INLINE __attribute__((always_inline)) size_t mark_block_groups(struct delta *s, uint32_t r, uint32_t rows,
								      size_t b, size_t blocks)
{
	const size_t end = s->blocks_count - (s->width % DELTA_BLOCK == 0); /* the last block may have no pixels */

	for (; b + blocks <= end; b += blocks) {
		bool whole = b + blocks < s->blocks_count;

		mark_blocks(s, r, rows, b, blocks, whole ? _mm512_set1_epi32(-1) : _mm512_loadu_si512(s->last.tail));
	}
	return b;
}

/* Marks `rows` rows from row r on, as mark_rows of delta_template.h does. */
TARGET_NOINLINE void mark_rows(struct delta *s, uint32_t r, uint32_t rows)
{
	size_t b = mark_block_groups(s, r, rows, 0, MARKED_BLOCKS);

	b = mark_block_groups(s, r, rows, b, MARKED_BLOCKS / 2);
	mark_block_groups(s, r, rows, b, 1);
}
