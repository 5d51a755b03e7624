/* The strip without intrinsics, for every processor. See delta_columns.inc. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/engine/delta.h"

#define ENTRY static
#define CODE  static inline
#define APART static __attribute__((noinline))

#define WORDS       uint64_t
#define WORDS_LANES 1

CODE uint64_t all_words(uint64_t x)
{
	return x;
}

CODE uint64_t load_words(const uint64_t *p)
{
	return *p;
}

CODE void store_words(uint64_t *p, uint64_t a)
{
	*p = a;
}

CODE uint64_t earlier(uint64_t now, uint64_t before)
{
	(void)now;
	return before;
}

CODE uint64_t equal(uint64_t a, uint64_t b)
{
	return 0 - (uint64_t)(a == b);
}

CODE uint64_t popcounts(uint64_t a)
{
	return (uint64_t)__builtin_popcountll(a);
}

CODE uint64_t top_bits(uint64_t a)
{
	return a ? UINT64_C(1) << (63 - __builtin_clzll(a)) : 0;
}

CODE uint64_t products(uint64_t a, uint64_t b)
{
	return (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
}

CODE uint64_t words_set(uint64_t a)
{
	return a != 0;
}

#include "measure/engine/delta_words.inc"

/*
 * 16 bytes in whatever registers there are: gcc and clang compile these for SSE2, NEON or plain words. Comparisons give
 * 0 or all ones in each element, of the signed type.
 */
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

/* One bit an element, lowest first: each element keeps its own bit, and the multiplication brings them together. */
CODE uint64_t bits_of_bytes(byte_tests t)
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

CODE uint64_t bits_of_words(word_tests t)
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

CODE struct vec_8 zero_8(void)
{
	return (struct vec_8){ { { 0 } } };
}

CODE struct vec_8 set_all_8(uint8_t x)
{
	struct vec_8 a = zero_8();

	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] += x;
	return a;
}

CODE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	for (unsigned i = 0; i < PARTS_8; i++)
		a.v[i] += b.v[i];
	return a;
}

CODE bool any_8(struct vec_8 a)
{
	uint64_t w[2];
	bytes16 all = a.v[0] | a.v[1] | a.v[2] | a.v[3];

	memcpy(w, &all, sizeof(w));
	return (w[0] | w[1]) != 0;
}

/* Whether a differs from b & word where valid is 0xff. */
CODE bool unlike_8(struct vec_8 a, struct vec_8 b, uint64_t word, struct vec_8 valid)
{
	bytes16 other = { 0 };
	typedef uint64_t pair __attribute__((vector_size(16)));
	const pair mask = { word, word };
	uint64_t w[2];

	for (unsigned i = 0; i < PARTS_8; i++)
		other |= (a.v[i] ^ (b.v[i] & (bytes16)mask)) & valid.v[i];
	memcpy(w, &other, sizeof(w));
	return (w[0] | w[1]) != 0;
}

CODE struct vec_8 prefix_8(struct vec_8 a)
{
	uint8_t v[DELTA_BLOCK];

	memcpy(v, &a, sizeof(v));
	for (unsigned i = 1; i < DELTA_BLOCK; i++)
		v[i] = (uint8_t)(v[i] + v[i - 1]);
	memcpy(&a, v, sizeof(v));
	return a;
}

CODE struct sums sums_of(struct vec_8 a)
{
	uint8_t v[DELTA_BLOCK];
	struct sums sums = { 0, 0 };

	memcpy(v, &a, sizeof(v));
	for (unsigned i = 0; i < DELTA_BLOCK; i++) {
		sums.sum += v[i];
		sums.weighted += v[i] * i;
	}
	return sums;
}

CODE uint32_t total_8(struct vec_8 a)
{
	return (uint32_t)sums_of(a).sum;
}

/* What both pixel types share. N: pixels in 16 bytes; PART, TESTS: those 16 bytes. */
#define OPERATIONS(T, NAME, PART, TESTS, BITS, N)                                                   \
	CODE struct NAME(vec) NAME(load)(const T *p)                                                \
	{                                                                                           \
		struct NAME(vec) a;                                                                 \
                                                                                                    \
		memcpy(&a, p, sizeof(a));                                                           \
		return a;                                                                           \
	}                                                                                           \
	CODE void NAME(store)(T * p, struct NAME(vec) a)                                            \
	{                                                                                           \
		memcpy(p, &a, sizeof(a));                                                           \
	}                                                                                           \
	CODE uint64_t NAME(ne)(struct NAME(vec) a, struct NAME(vec) b)                              \
	{                                                                                           \
		uint64_t m = 0;                                                                     \
                                                                                                    \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                    \
			m |= BITS((TESTS)(a.v[i] != b.v[i])) << (N)*i;                              \
		return m;                                                                           \
	}                                                                                           \
	CODE uint64_t NAME(lt)(struct NAME(vec) a, struct NAME(vec) b)                              \
	{                                                                                           \
		uint64_t m = 0;                                                                     \
                                                                                                    \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                    \
			m |= BITS((TESTS)(a.v[i] < b.v[i])) << (N)*i;                               \
		return m;                                                                           \
	}                                                                                           \
	CODE uint64_t NAME(wide)(struct NAME(vec) a, struct NAME(vec) b)                            \
	{                                                                                           \
		uint64_t m = 0;                                                                     \
                                                                                                    \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++) {                                  \
			PART larger = (PART)(a.v[i] > b.v[i]);                                      \
			PART gap = ((a.v[i] - b.v[i]) & larger) | ((b.v[i] - a.v[i]) & ~larger);    \
                                                                                                    \
			m |= BITS((TESTS)(gap > 1)) << (N)*i;                                       \
		}                                                                                   \
		return m;                                                                           \
	}                                                                                           \
	CODE struct NAME(vec) NAME(blend)(uint64_t mask, struct NAME(vec) on, struct NAME(vec) off) \
	{                                                                                           \
		T v[DELTA_BLOCK];                                                                   \
		struct NAME(vec) m;                                                                 \
                                                                                                    \
		for (unsigned i = 0; i < DELTA_BLOCK; i++)                                          \
			v[i] = (T)(0 - (mask >> i & 1));                                            \
		memcpy(&m, v, sizeof(m));                                                           \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                    \
			off.v[i] = (on.v[i] & m.v[i]) | (off.v[i] & ~m.v[i]);                       \
		return off;                                                                         \
	}                                                                                           \
	CODE bool NAME(differ)(struct NAME(vec) a, struct NAME(vec) b)                              \
	{                                                                                           \
		PART other = a.v[0] ^ b.v[0];                                                       \
		uint64_t w[2];                                                                      \
                                                                                                    \
		for (unsigned i = 1; i < DELTA_BLOCK / (N); i++)                                    \
			other |= a.v[i] ^ b.v[i];                                                   \
		memcpy(w, &other, sizeof(w));                                                       \
		return (w[0] | w[1]) != 0;                                                          \
	}                                                                                           \
	CODE struct NAME(vec) NAME(ones)(void)                                                      \
	{                                                                                           \
		struct NAME(vec) a;                                                                 \
                                                                                                    \
		memset(&a, 0xff, sizeof(a));                                                        \
		return a;                                                                           \
	}                                                                                           \
	CODE struct NAME(vec) NAME (and)(struct NAME(vec) a, struct NAME(vec) b)                    \
	{                                                                                           \
		for (unsigned i = 0; i < DELTA_BLOCK / (N); i++)                                    \
			a.v[i] &= b.v[i];                                                           \
		return a;                                                                           \
	}                                                                                           \
	CODE struct NAME(vec) NAME(shifted)(struct NAME(vec) a, uint32_t two)                       \
	{                                                                                           \
		T v[DELTA_BLOCK + 1] = { (T)(two >> 8 * sizeof(T)) };                               \
                                                                                                    \
		memcpy(v + 1, &a, sizeof(a));                                                       \
		memcpy(&a, v, sizeof(a));                                                           \
		return a;                                                                           \
	}                                                                                           \
	CODE struct NAME(vec) NAME(shifted_twice)(struct NAME(vec) a, uint32_t two)                 \
	{                                                                                           \
		T v[DELTA_BLOCK + 2] = { (T)two, (T)(two >> 8 * sizeof(T)) };                       \
                                                                                                    \
		memcpy(v + 2, &a, sizeof(a));                                                       \
		memcpy(&a, v, sizeof(a));                                                           \
		return a;                                                                           \
	}                                                                                           \
	CODE uint32_t NAME(last_two)(struct NAME(vec) a)                                            \
	{                                                                                           \
		T v[DELTA_BLOCK];                                                                   \
                                                                                                    \
		memcpy(v, &a, sizeof(v));                                                           \
		return v[DELTA_BLOCK - 2] | (uint32_t)v[DELTA_BLOCK - 1] << 8 * sizeof(T);          \
	}

#define NAME_8(x)  x##_8
#define NAME_16(x) x##_16
OPERATIONS(uint8_t, NAME_8, bytes16, byte_tests, bits_of_bytes, 16)
OPERATIONS(uint16_t, NAME_16, words16, word_tests, bits_of_words, 8)

#define PIXEL   uint8_t
#define NAME(x) x##_8
#include "measure/engine/delta_columns.inc"
/* needs the above */
#include "measure/engine/delta_filters.inc"
#undef VEC
#undef PIXEL
#undef NAME

#define PIXEL   uint16_t
#define NAME(x) x##_16
#include "measure/engine/delta_columns.inc"

#include "measure/engine/delta_entry.inc"

static bool usable(void)
{
	return true;
}

const struct delta_code delta_generic = {
	.name = "plain",
	.usable = usable,
	.go_filtered = delta_go_filtered,
	.go_ids = delta_go_ids,
	.end = delta_end_columns,
};
