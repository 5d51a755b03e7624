/* Primitives for AVX2 with BMI2. delta_template.h and full_template.h say what each does. */
#pragma once

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/engine/delta.h"
#include "measure/engine/full.h"

#define TARGET          "avx2,bmi,bmi2,lzcnt,popcnt"
#define TARGET_STATIC   __attribute__((target(TARGET))) static
#define TARGET_INLINE   TARGET_STATIC inline
#define TARGET_NOINLINE TARGET_STATIC __attribute__((noinline, unused))

/* lddqu, since gcc repeats other loads rather than keep in a register what is used twice, as mark_rows does. */
TARGET_INLINE __m256i load_256(const void *p)
{
	return _mm256_lddqu_si256((const __m256i *)p);
}

TARGET_INLINE void store_256(void *p, __m256i a)
{
	_mm256_storeu_si256((__m256i *)p, a);
}

/* ---- words: four events -------------------------------------------------------------------------------------- */

typedef uint64_t word_vec __attribute__((vector_size(32)));
enum { WORD_LANES = 4 };

TARGET_INLINE word_vec words_set1(uint64_t x)
{
	return (word_vec)_mm256_set1_epi64x((int64_t)x);
}

TARGET_INLINE word_vec words_load(const uint64_t *p)
{
	return (word_vec)load_256(p);
}

TARGET_INLINE void words_store(uint64_t *p, word_vec a)
{
	store_256(p, (__m256i)a);
}

TARGET_INLINE word_vec words_previous(word_vec now, word_vec before)
{
	/* lanes 0 1 2 of now and 3 of before, rotated */
	return (word_vec)_mm256_permute4x64_epi64(_mm256_blend_epi32((__m256i)now, (__m256i)before, 0xc0), 0x93);
}

TARGET_INLINE word_vec words_eq(word_vec a, word_vec b)
{
	return (word_vec)_mm256_cmpeq_epi64((__m256i)a, (__m256i)b);
}

TARGET_INLINE word_vec words_popcount(word_vec a)
{
	const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1,
					      2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);
	__m256i v = (__m256i)a;
	__m256i n = _mm256_add_epi8(_mm256_shuffle_epi8(bits, _mm256_and_si256(v, low)),
				    _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));

	return (word_vec)_mm256_sad_epu8(n, _mm256_setzero_si256());
}

TARGET_INLINE word_vec words_top_bit(word_vec a)
{
	for (unsigned n = 1; n < 64; n *= 2)
		a |= a >> n;
	return a ^ a >> 1;
}

TARGET_INLINE word_vec words_mul32(word_vec a, word_vec b)
{
	return (word_vec)_mm256_mul_epi32((__m256i)a, (__m256i)b);
}

TARGET_INLINE uint64_t words_nonzero(word_vec a)
{
	return (uint64_t)_mm256_movemask_pd((__m256d)~words_eq(a, words_set1(0)));
}

struct weighted_sums {
	word_vec sum, weighted;
};

/* ---- blocks of 64 pixels of 8 bits --------------------------------------------------------------------------- */

struct vec_8 {
	__m256i v[2];
};

TARGET_INLINE struct vec_8 load_8(const uint8_t *p)
{
	return (struct vec_8){ { load_256(p), load_256(p + 32) } };
}

TARGET_INLINE void store_8(uint8_t *p, struct vec_8 a)
{
	store_256(p, a.v[0]);
	store_256(p + 32, a.v[1]);
}

TARGET_INLINE struct vec_8 zero_8(void)
{
	return (struct vec_8){ { _mm256_setzero_si256(), _mm256_setzero_si256() } };
}

TARGET_INLINE struct vec_8 ones_8(void)
{
	return (struct vec_8){ { _mm256_set1_epi8(-1), _mm256_set1_epi8(-1) } };
}

TARGET_INLINE struct vec_8 set1_8(uint8_t x)
{
	return (struct vec_8){ { _mm256_set1_epi8((char)x), _mm256_set1_epi8((char)x) } };
}

/* Returns one bit a byte, of bytes that are 0 or 0xff. */
TARGET_INLINE uint64_t bits_8(__m256i low, __m256i high)
{
	return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 | (uint32_t)_mm256_movemask_epi8(low);
}

TARGET_INLINE uint64_t ne_8(struct vec_8 a, struct vec_8 b)
{
	return ~bits_8(_mm256_cmpeq_epi8(a.v[0], b.v[0]), _mm256_cmpeq_epi8(a.v[1], b.v[1]));
}

TARGET_INLINE uint64_t lt_8(struct vec_8 a, struct vec_8 b)
{
	/* a >= b if and only if max(a, b) is a */
	return ~bits_8(_mm256_cmpeq_epi8(_mm256_max_epu8(a.v[0], b.v[0]), a.v[0]),
		       _mm256_cmpeq_epi8(_mm256_max_epu8(a.v[1], b.v[1]), a.v[1]));
}

/* Returns 0xff where the difference is 0 or 1. */
TARGET_INLINE __m256i near_8(__m256i a, __m256i b)
{
	__m256i gap = _mm256_sub_epi8(_mm256_max_epu8(a, b), _mm256_min_epu8(a, b));
	__m256i one = _mm256_set1_epi8(1);

	return _mm256_cmpeq_epi8(_mm256_max_epu8(gap, one), one);
}

TARGET_INLINE uint64_t wide_8(struct vec_8 a, struct vec_8 b)
{
	return ~bits_8(near_8(a.v[0], b.v[0]), near_8(a.v[1], b.v[1]));
}

TARGET_INLINE bool any_8(struct vec_8 a)
{
	__m256i all = _mm256_or_si256(a.v[0], a.v[1]);

	return !_mm256_testz_si256(all, all);
}

TARGET_INLINE bool differ_8(struct vec_8 a, struct vec_8 b)
{
	__m256i all = _mm256_or_si256(_mm256_xor_si256(a.v[0], b.v[0]), _mm256_xor_si256(a.v[1], b.v[1]));

	return !_mm256_testz_si256(all, all);
}

TARGET_INLINE bool differ_masked_8(struct vec_8 a, struct vec_8 b, uint64_t word, struct vec_8 valid)
{
	__m256i mask = _mm256_set1_epi64x((int64_t)word), all[2];

	for (unsigned i = 0; i < 2; i++)
		all[i] = _mm256_and_si256(_mm256_xor_si256(a.v[i], _mm256_and_si256(b.v[i], mask)), valid.v[i]);
	all[0] = _mm256_or_si256(all[0], all[1]);
	return !_mm256_testz_si256(all[0], all[0]);
}

/* Expands 32 bits to 32 bytes of 0 or 0xff. */
TARGET_INLINE __m256i bytes_of_bits(uint32_t mask)
{
	const __m256i which = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
					       3, 3, 3, 3, 3, 3, 3, 3);
	const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201u);
	__m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int)mask), which);

	return _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
}

TARGET_INLINE struct vec_8 blend_8(uint64_t mask, struct vec_8 on, struct vec_8 off)
{
	return (struct vec_8){ { _mm256_blendv_epi8(off.v[0], on.v[0], bytes_of_bits((uint32_t)mask)),
				 _mm256_blendv_epi8(off.v[1], on.v[1], bytes_of_bits((uint32_t)(mask >> 32))) } };
}

TARGET_INLINE struct vec_8 and_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ { _mm256_and_si256(a.v[0], b.v[0]), _mm256_and_si256(a.v[1], b.v[1]) } };
}

TARGET_INLINE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ { _mm256_add_epi8(a.v[0], b.v[0]), _mm256_add_epi8(a.v[1], b.v[1]) } };
}

/* Returns the 16 bytes before a, then the lower half of a. */
TARGET_INLINE __m256i lanes_before(__m256i a, __m128i before)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(before), _mm256_castsi256_si128(a), 1);
}

TARGET_INLINE struct vec_8 shift1_8(struct vec_8 a, uint32_t two)
{
	__m256i middle = _mm256_permute2x128_si256(a.v[0], a.v[1], 0x21);
	__m256i before = lanes_before(a.v[0], _mm_set1_epi16((short)two));

	return (struct vec_8){ { _mm256_alignr_epi8(a.v[0], before, 15), _mm256_alignr_epi8(a.v[1], middle, 15) } };
}

TARGET_INLINE struct vec_8 shift2_8(struct vec_8 a, uint32_t two)
{
	__m256i middle = _mm256_permute2x128_si256(a.v[0], a.v[1], 0x21);
	__m256i before = lanes_before(a.v[0], _mm_set1_epi16((short)two));

	return (struct vec_8){ { _mm256_alignr_epi8(a.v[0], before, 14), _mm256_alignr_epi8(a.v[1], middle, 14) } };
}

TARGET_INLINE uint32_t last_two_8(struct vec_8 a)
{
	return (uint32_t)_mm_extract_epi16(_mm256_extracti128_si256(a.v[1], 1), 7);
}

TARGET_INLINE __m256i prefix_sum_half(__m256i v)
{
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 1));
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 2));
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 4));
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 8));
	/* add the lower lane's total to the upper lane */
	__m256i total = _mm256_shuffle_epi8(v, _mm256_set1_epi8(15));

	return _mm256_add_epi8(v, _mm256_permute2x128_si256(total, total, 0x08));
}

TARGET_INLINE struct vec_8 prefix_sum_8(struct vec_8 a)
{
	__m256i low = prefix_sum_half(a.v[0]), high = prefix_sum_half(a.v[1]);
	__m256i total = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(low, _mm256_set1_epi8(15)), 0xff);

	return (struct vec_8){ { low, _mm256_add_epi8(high, total) } };
}

TARGET_INLINE uint32_t sum_8(struct vec_8 a)
{
	__m256i zero = _mm256_setzero_si256();
	__m256i all = _mm256_add_epi64(_mm256_sad_epu8(a.v[0], zero), _mm256_sad_epu8(a.v[1], zero));
	__m128i half = _mm_add_epi64(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));

	return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)));
}

TARGET_INLINE struct weighted_sums weighted_sums_8(struct vec_8 a)
{
	const __m256i weights = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
						 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
	__m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(1);
	__m256i low = _mm256_sad_epu8(a.v[0], zero), high = _mm256_sad_epu8(a.v[1], zero);
	/* sums of pairs stay below 2^15: 2 * 255 * 31 */
	__m256i fours = _mm256_add_epi32(_mm256_madd_epi16(_mm256_maddubs_epi16(a.v[0], weights), one),
					 _mm256_madd_epi16(_mm256_maddubs_epi16(a.v[1], weights), one));

	/* only the low half of each 64 bits is used */
	fours = _mm256_add_epi32(fours, _mm256_srli_epi64(fours, 32));
	return (struct weighted_sums){ (word_vec)_mm256_add_epi32(low, high),
				       (word_vec)_mm256_add_epi32(fours, _mm256_slli_epi64(high, 5)) };
}

/* ---- blocks of 64 pixels of 16 bits -------------------------------------------------------------------------- */

struct vec_16 {
	__m256i v[4];
};

TARGET_INLINE struct vec_16 load_16(const uint16_t *p)
{
	return (struct vec_16){ { load_256(p), load_256(p + 16), load_256(p + 32), load_256(p + 48) } };
}

TARGET_INLINE void store_16(uint16_t *p, struct vec_16 a)
{
	store_256(p, a.v[0]);
	store_256(p + 16, a.v[1]);
	store_256(p + 32, a.v[2]);
	store_256(p + 48, a.v[3]);
}

TARGET_INLINE struct vec_16 ones_16(void)
{
	__m256i ones = _mm256_set1_epi8(-1);

	return (struct vec_16){ { ones, ones, ones, ones } };
}

/* Returns one bit a lane of 16 bits, which is 0 or 0xffff. */
TARGET_INLINE uint64_t bits_16(const __m256i m[4])
{
	/* pack works within lanes; the permutation restores the order of the quarters */
	__m256i low = _mm256_permute4x64_epi64(_mm256_packs_epi16(m[0], m[1]), 0xd8);
	__m256i high = _mm256_permute4x64_epi64(_mm256_packs_epi16(m[2], m[3]), 0xd8);

	return bits_8(low, high);
}

TARGET_INLINE uint64_t ne_16(struct vec_16 a, struct vec_16 b)
{
	__m256i m[4];

	for (unsigned i = 0; i < 4; i++)
		m[i] = _mm256_cmpeq_epi16(a.v[i], b.v[i]);
	return ~bits_16(m);
}

TARGET_INLINE uint64_t lt_16(struct vec_16 a, struct vec_16 b)
{
	__m256i m[4];

	for (unsigned i = 0; i < 4; i++)
		m[i] = _mm256_cmpeq_epi16(_mm256_max_epu16(a.v[i], b.v[i]), a.v[i]);
	return ~bits_16(m);
}

TARGET_INLINE uint64_t wide_16(struct vec_16 a, struct vec_16 b)
{
	const __m256i one = _mm256_set1_epi16(1);
	__m256i m[4];

	for (unsigned i = 0; i < 4; i++) {
		__m256i gap = _mm256_sub_epi16(_mm256_max_epu16(a.v[i], b.v[i]), _mm256_min_epu16(a.v[i], b.v[i]));

		m[i] = _mm256_cmpeq_epi16(_mm256_max_epu16(gap, one), one);
	}
	return ~bits_16(m);
}

TARGET_INLINE bool differ_16(struct vec_16 a, struct vec_16 b)
{
	__m256i all = _mm256_setzero_si256();

	for (unsigned i = 0; i < 4; i++)
		all = _mm256_or_si256(all, _mm256_xor_si256(a.v[i], b.v[i]));
	return !_mm256_testz_si256(all, all);
}

TARGET_INLINE struct vec_16 and_16(struct vec_16 a, struct vec_16 b)
{
	for (unsigned i = 0; i < 4; i++)
		a.v[i] = _mm256_and_si256(a.v[i], b.v[i]);
	return a;
}

TARGET_INLINE struct vec_16 shift1_16(struct vec_16 a, uint32_t two)
{
	struct vec_16 out = { { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], _mm_set1_epi32((int)two)), 14) } };

	for (unsigned i = 1; i < 4; i++)
		out.v[i] = _mm256_alignr_epi8(a.v[i], _mm256_permute2x128_si256(a.v[i - 1], a.v[i], 0x21), 14);
	return out;
}

TARGET_INLINE struct vec_16 shift2_16(struct vec_16 a, uint32_t two)
{
	struct vec_16 out = { { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], _mm_set1_epi32((int)two)), 12) } };

	for (unsigned i = 1; i < 4; i++)
		out.v[i] = _mm256_alignr_epi8(a.v[i], _mm256_permute2x128_si256(a.v[i - 1], a.v[i], 0x21), 12);
	return out;
}

TARGET_INLINE uint32_t last_two_16(struct vec_16 a)
{
	return (uint32_t)_mm_extract_epi32(_mm256_extracti128_si256(a.v[3], 1), 3);
}

/* ---- registers of the full engine ---------------------------------------------------------------------------- */

typedef uint8_t reg_8 __attribute__((vector_size(32)));
typedef uint16_t reg_16 __attribute__((vector_size(32)));

TARGET_INLINE reg_8 subs_8(reg_8 a, reg_8 b)
{
	return (reg_8)_mm256_subs_epu8((__m256i)a, (__m256i)b);
}

TARGET_INLINE reg_16 subs_16(reg_16 a, reg_16 b)
{
	return (reg_16)_mm256_subs_epu16((__m256i)a, (__m256i)b);
}

TARGET_INLINE uint64_t lane_bits_8(reg_8 mask)
{
	return (uint32_t)_mm256_movemask_epi8((__m256i)mask);
}

TARGET_INLINE uint64_t lane_bits_16(reg_16 mask)
{
	return _pext_u32((uint32_t)_mm256_movemask_epi8((__m256i)mask), 0x55555555);
}

/* Permutes quarters so that unpack, which works within lanes, leaves them in order. */
TARGET_INLINE __m256i quarters(__m256i v)
{
	return _mm256_permute4x64_epi64(v, 0xd8);
}

TARGET_INLINE void store_keys_8(uint16_t *keys, reg_8 ids, reg_8 classes)
{
	__m256i a = quarters((__m256i)ids), b = quarters((__m256i)classes);

	_mm256_storeu_si256((__m256i *)(void *)keys, _mm256_unpacklo_epi8(a, b));
	_mm256_storeu_si256((__m256i *)(void *)(keys + 16), _mm256_unpackhi_epi8(a, b));
}

TARGET_INLINE void store_keys_16(uint32_t *keys, reg_16 ids, reg_16 classes)
{
	__m256i a = quarters((__m256i)ids), b = quarters((__m256i)classes);

	_mm256_storeu_si256((__m256i *)(void *)keys, _mm256_unpacklo_epi16(a, b));
	_mm256_storeu_si256((__m256i *)(void *)(keys + 8), _mm256_unpackhi_epi16(a, b));
}

struct key_sums {
	__m256i part[8];
};

TARGET_INLINE void add_products(struct key_sums *sums, __m256i ids, const struct column_weights *parts)
{
#pragma GCC unroll 8
	for (unsigned k = 0; k < 8; k++) {
		__m256i part = _mm256_loadu_si256((const __m256i *)(const void *)parts->part[k]);

		sums->part[k] = _mm256_add_epi32(sums->part[k], _mm256_madd_epi16(ids, part));
	}
}

TARGET_INLINE void add_group_8(struct key_sums *sums, const uint8_t *p, const struct column_weights *parts)
{
	add_products(sums, _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p)), parts);
}

TARGET_INLINE void add_group_16(struct key_sums *sums, const uint16_t *p, const struct column_weights *parts)
{
	__m256i ids = _mm256_loadu_si256((const __m256i *)(const void *)p);

	add_products(&sums[0], _mm256_and_si256(ids, _mm256_set1_epi16(0xff)), parts);
	add_products(&sums[1], _mm256_srli_epi16(ids, 8), parts);
}

TARGET_INLINE int64_t key_total(const struct key_sums *sums, unsigned k)
{
	__m256i v = sums->part[k];
	__m256i four = _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)),
					_mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
	__m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));

	return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}
