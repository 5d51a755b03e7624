/* Primitives without intrinsics, for every processor, in vectors of 16 bytes. delta_template.h and full_template.h say
 * what each does. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "measure/engine/delta.h"
#include "measure/engine/full.h"

#define TARGET_STATIC   static
#define TARGET_INLINE   static inline
#define TARGET_NOINLINE static __attribute__((noinline, unused))

/* ---- words: one event a lane --------------------------------------------------------------------------------- */

typedef uint64_t word_vec;
enum { WORD_LANES = 1 };

TARGET_INLINE word_vec words_set1(uint64_t x)
{
	return x;
}

TARGET_INLINE word_vec words_load(const uint64_t *p)
{
	return *p;
}

TARGET_INLINE void words_store(uint64_t *p, word_vec a)
{
	*p = a;
}

TARGET_INLINE word_vec words_previous(word_vec now, word_vec before)
{
	(void)now;
	return before;
}

TARGET_INLINE word_vec words_eq(word_vec a, word_vec b)
{
	return 0 - (uint64_t)(a == b);
}

TARGET_INLINE word_vec words_popcount(word_vec a)
{
	return (uint64_t)__builtin_popcountll(a);
}

TARGET_INLINE word_vec words_top_bit(word_vec a)
{
	return a ? UINT64_C(1) << (63 - __builtin_clzll(a)) : 0;
}

TARGET_INLINE word_vec words_mul32(word_vec a, word_vec b)
{
	return (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

TARGET_INLINE uint64_t words_nonzero(word_vec a)
{
	return a != 0;
}

struct weighted_sums {
	word_vec sum, weighted;
};

/* ---- blocks of 64 pixels ------------------------------------------------------------------------------------- */

/* 16 bytes: gcc and clang compile them for SSE2, NEON or plain words. Comparisons give the signed types. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef int8_t byte_tests __attribute__((vector_size(16)));
typedef uint16_t words16 __attribute__((vector_size(16)));
typedef int16_t word_tests __attribute__((vector_size(16)));

enum { PARTS_8 = 4, PARTS_16 = 8 };

struct vec_8 {
	bytes16 v[PARTS_8];
};

struct vec_16 {
	words16 v[PARTS_16];
};

TARGET_INLINE bool is_set(bytes16 v)
{
	uint64_t w[2];

	memcpy(w, &v, sizeof(w));
	return (w[0] | w[1]) != 0;
}

/* Returns one bit an element, lowest first: each element keeps its own bit, and a multiplication gathers them. */
TARGET_INLINE uint64_t bits_of_bytes(byte_tests t)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t w[2];

	memcpy(w, &t, sizeof(w));
	for (unsigned i = 0; i < 2; i++)
		w[i] = (w[i] & UINT64_C(0x8040201008040201)) * UINT64_C(0x0101010101010101) >> 56;
	return w[1] << 8 | w[0];
#else
	uint64_t m = 0;

	for (unsigned i = 0; i < 16; i++)
		m |= (uint64_t)(t[i] != 0) << i;
	return m;
#endif
}

TARGET_INLINE uint64_t bits_of_words(word_tests t)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t w[2];

	memcpy(w, &t, sizeof(w));
	for (unsigned i = 0; i < 2; i++)
		w[i] = (w[i] & UINT64_C(0x0008000400020001)) * UINT64_C(0x0001000100010001) >> 48;
	return w[1] << 4 | w[0];
#else
	uint64_t m = 0;

	for (unsigned i = 0; i < 8; i++)
		m |= (uint64_t)(t[i] != 0) << i;
	return m;
#endif
}

/* Primitives for both widths. T: a pixel; N: pixels in 16 bytes; PART, TESTS: these bytes; BITS: gathers them. */
#define OPERATIONS(T, NAME, PART, TESTS, BITS, N)                                                            \
	TARGET_INLINE struct NAME(vec) NAME(load)(const T *p)                                                \
	{                                                                                                    \
		struct NAME(vec) a;                                                                          \
                                                                                                             \
		memcpy(&a, p, sizeof(a));                                                                    \
		return a;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE void NAME(store)(T * p, struct NAME(vec) a)                                            \
	{                                                                                                    \
		memcpy(p, &a, sizeof(a));                                                                    \
	}                                                                                                    \
	TARGET_INLINE uint64_t NAME(ne)(struct NAME(vec) a, struct NAME(vec) b)                              \
	{                                                                                                    \
		uint64_t m = 0;                                                                              \
                                                                                                             \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                             \
			m |= BITS((TESTS)(a.v[i] != b.v[i])) << (N)*i;                                       \
		return m;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE uint64_t NAME(lt)(struct NAME(vec) a, struct NAME(vec) b)                              \
	{                                                                                                    \
		uint64_t m = 0;                                                                              \
                                                                                                             \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                             \
			m |= BITS((TESTS)(a.v[i] < b.v[i])) << (N)*i;                                        \
		return m;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE uint64_t NAME(wide)(struct NAME(vec) a, struct NAME(vec) b)                            \
	{                                                                                                    \
		uint64_t m = 0;                                                                              \
                                                                                                             \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++) {                                           \
			PART larger = (PART)(a.v[i] > b.v[i]);                                               \
			PART gap = ((a.v[i] - b.v[i]) & larger) | ((b.v[i] - a.v[i]) & ~larger);             \
                                                                                                             \
			m |= BITS((TESTS)(gap > 1)) << (N)*i;                                                \
		}                                                                                            \
		return m;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE struct NAME(vec) NAME(blend)(uint64_t mask, struct NAME(vec) on, struct NAME(vec) off) \
	{                                                                                                    \
		T v[DELTA_BLOCK];                                                                            \
		struct NAME(vec) m;                                                                          \
                                                                                                             \
		for (unsigned i = 0; i < DELTA_BLOCK; i++)                                                   \
			v[i] = (T)(0 - (mask >> i & 1));                                                     \
		memcpy(&m, v, sizeof(m));                                                                    \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                             \
			off.v[i] = (on.v[i] & m.v[i]) | (off.v[i] & ~m.v[i]);                                \
		return off;                                                                                  \
	}                                                                                                    \
	TARGET_INLINE bool NAME(differ)(struct NAME(vec) a, struct NAME(vec) b)                              \
	{                                                                                                    \
		PART other = a.v[0] ^ b.v[0];                                                                \
                                                                                                             \
		for (unsigned i = 1; i < DELTA_BLOCK / (N); i++)                                             \
			other |= a.v[i] ^ b.v[i];                                                            \
		return is_set((bytes16)other);                                                               \
	}                                                                                                    \
	TARGET_INLINE struct NAME(vec) NAME(ones)(void)                                                      \
	{                                                                                                    \
		struct NAME(vec) a;                                                                          \
                                                                                                             \
		memset(&a, 0xff, sizeof(a));                                                                 \
		return a;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE struct NAME(vec) NAME (and)(struct NAME(vec) a, struct NAME(vec) b)                    \
	{                                                                                                    \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                             \
			a.v[i] &= b.v[i];                                                                    \
		return a;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE struct NAME(vec) NAME(shift1)(struct NAME(vec) a, uint32_t two)                        \
	{                                                                                                    \
		T v[DELTA_BLOCK + 1] = { (T)(two >> 8 * sizeof(T)) };                                        \
                                                                                                             \
		memcpy(v + 1, &a, sizeof(a));                                                                \
		memcpy(&a, v, sizeof(a));                                                                    \
		return a;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE struct NAME(vec) NAME(shift2)(struct NAME(vec) a, uint32_t two)                        \
	{                                                                                                    \
		T v[DELTA_BLOCK + 2] = { (T)two, (T)(two >> 8 * sizeof(T)) };                                \
                                                                                                             \
		memcpy(v + 2, &a, sizeof(a));                                                                \
		memcpy(&a, v, sizeof(a));                                                                    \
		return a;                                                                                    \
	}                                                                                                    \
	TARGET_INLINE uint32_t NAME(last_two)(struct NAME(vec) a)                                            \
	{                                                                                                    \
		T v[DELTA_BLOCK];                                                                            \
                                                                                                             \
		memcpy(v, &a, sizeof(v));                                                                    \
		return v[DELTA_BLOCK - 2] | (uint32_t)v[DELTA_BLOCK - 1] << 8 * sizeof(T);                   \
	}

#define NAME_8(x)  x##_8
#define NAME_16(x) x##_16
OPERATIONS(uint8_t, NAME_8, bytes16, byte_tests, bits_of_bytes, 16)
OPERATIONS(uint16_t, NAME_16, words16, word_tests, bits_of_words, 8)

TARGET_INLINE struct vec_8 zero_8(void)
{
	return (struct vec_8){ { { 0 } } };
}

TARGET_INLINE struct vec_8 set1_8(uint8_t x)
{
	struct vec_8 a = zero_8();

	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] += x;
	return a;
}

TARGET_INLINE bool any_8(struct vec_8 a)
{
	return is_set(a.v[0] | a.v[1] | a.v[2] | a.v[3]);
}

TARGET_INLINE bool differ_masked_8(struct vec_8 a, struct vec_8 b, uint64_t word, struct vec_8 valid)
{
	bytes16 other = { 0 };
	typedef uint64_t pair __attribute__((vector_size(16)));
	const pair mask = { word, word };

	for (unsigned i = 0; i < PARTS_8; i++)
		other |= (a.v[i] ^ (b.v[i] & (bytes16)mask)) & valid.v[i];
	return is_set(other);
}

TARGET_INLINE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] += b.v[i];
	return a;
}

TARGET_INLINE struct vec_8 prefix_sum_8(struct vec_8 a)
{
	uint8_t v[DELTA_BLOCK];

	memcpy(v, &a, sizeof(v));
	for (unsigned i = 1; i < DELTA_BLOCK; i++)
		v[i] = (uint8_t)(v[i] + v[i - 1]);
	memcpy(&a, v, sizeof(v));
	return a;
}

TARGET_INLINE struct weighted_sums weighted_sums_8(struct vec_8 a)
{
	uint8_t v[DELTA_BLOCK];
	struct weighted_sums sums = { 0, 0 };

	memcpy(v, &a, sizeof(v));
	for (unsigned i = 0; i < DELTA_BLOCK; i++) {
		sums.sum += v[i];
		sums.weighted += v[i] * i;
	}
	return sums;
}

TARGET_INLINE uint32_t sum_8(struct vec_8 a)
{
	return (uint32_t)weighted_sums_8(a).sum;
}

/* ---- registers of the full engine ---------------------------------------------------------------------------- */

typedef uint8_t reg_8 __attribute__((vector_size(16)));
typedef uint16_t reg_16 __attribute__((vector_size(16)));
typedef int16_t ids8 __attribute__((vector_size(16)));
typedef int32_t sums4 __attribute__((vector_size(16)));

TARGET_INLINE reg_8 subs_8(reg_8 a, reg_8 b)
{
#if defined(__SSE2__)
	return (reg_8)_mm_subs_epu8((__m128i)a, (__m128i)b);
#else
	return (a - b) & (reg_8)(a > b);
#endif
}

TARGET_INLINE reg_16 subs_16(reg_16 a, reg_16 b)
{
#if defined(__SSE2__)
	return (reg_16)_mm_subs_epu16((__m128i)a, (__m128i)b);
#else
	return (a - b) & (reg_16)(a > b);
#endif
}

TARGET_INLINE uint64_t lane_bits_8(reg_8 mask)
{
#if defined(__SSE2__)
	return (unsigned)_mm_movemask_epi8((__m128i)mask);
#else
	return bits_of_bytes((byte_tests)mask);
#endif
}

TARGET_INLINE uint64_t lane_bits_16(reg_16 mask)
{
#if defined(__SSE2__)
	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16((__m128i)mask, _mm_setzero_si128()));
#else
	return bits_of_words((word_tests)mask);
#endif
}

TARGET_INLINE void store_keys_8(uint16_t *keys, reg_8 ids, reg_8 classes)
{
#if defined(__SSE2__)
	_mm_storeu_si128((__m128i *)(void *)keys, _mm_unpacklo_epi8((__m128i)ids, (__m128i)classes));
	_mm_storeu_si128((__m128i *)(void *)(keys + 8), _mm_unpackhi_epi8((__m128i)ids, (__m128i)classes));
#else
	for (unsigned i = 0; i < 16; i++)
		keys[i] = (uint16_t)(classes[i] << 8 | ids[i]);
#endif
}

TARGET_INLINE void store_keys_16(uint32_t *keys, reg_16 ids, reg_16 classes)
{
#if defined(__SSE2__)
	_mm_storeu_si128((__m128i *)(void *)keys, _mm_unpacklo_epi16((__m128i)ids, (__m128i)classes));
	_mm_storeu_si128((__m128i *)(void *)(keys + 4), _mm_unpackhi_epi16((__m128i)ids, (__m128i)classes));
#else
	for (unsigned i = 0; i < 8; i++)
		keys[i] = (uint32_t)classes[i] << 16 | ids[i];
#endif
}

struct key_sums {
	sums4 part[8];
};

/* Adds half a group, from its column 0 or 8 on. */
TARGET_INLINE void add_products(struct key_sums *sums, ids8 ids, const struct column_weights *parts, unsigned column)
{
	for (unsigned k = 0; k < 8; k++) {
#if defined(__SSE2__)
		const __m128i *part = (const __m128i *)(const void *)(parts->part[k] + column);

		sums->part[k] += (sums4)_mm_madd_epi16((__m128i)ids, _mm_loadu_si128(part));
#else
		for (unsigned i = 0; i < 8; i++)
			sums->part[k][i / 2] += ids[i] * parts->part[k][column + i];
#endif
	}
}

TARGET_INLINE void add_group_8(struct key_sums *sums, const uint8_t *p, const struct column_weights *parts)
{
	for (unsigned column = 0; column < GROUP_COLUMNS; column += 8) {
		ids8 ids = { 0 };

#if defined(__SSE2__)
		ids = (ids8)_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)(p + column)),
					      _mm_setzero_si128());
#else
		for (unsigned i = 0; i < 8; i++)
			ids[i] = p[column + i];
#endif
		add_products(sums, ids, parts, column);
	}
}

TARGET_INLINE void add_group_16(struct key_sums *sums, const uint16_t *p, const struct column_weights *parts)
{
	for (unsigned column = 0; column < GROUP_COLUMNS; column += 8) {
		reg_16 ids;

		memcpy(&ids, p + column, sizeof(ids));
		add_products(&sums[0], (ids8)(ids & 0xff), parts, column);
		add_products(&sums[1], (ids8)(ids / 256), parts, column);
	}
}

TARGET_INLINE int64_t key_total(const struct key_sums *sums, unsigned k)
{
	sums4 v = sums->part[k];

	return (int64_t)v[0] + v[1] + v[2] + v[3];
}
