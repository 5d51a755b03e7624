/* The strip for AVX2 with BMI2. See delta_columns.inc. */
#include "measure/engine/delta.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"

#define TARGET "avx2,bmi,bmi2,lzcnt,popcnt"
#define ENTRY  __attribute__((target(TARGET))) static
#define CODE   ENTRY inline
#define APART  ENTRY __attribute__((noinline))

/* gcc repeats other loads rather than keep in a register what is used twice, as rows that are marked are. */
CODE __m256i load_256(const void *p)
{
	return _mm256_lddqu_si256((const __m256i *)p);
}

CODE void store_256(void *p, __m256i a)
{
	_mm256_storeu_si256((__m256i *)p, a);
}

typedef uint64_t words4 __attribute__((vector_size(32)));

#define WORDS       words4
#define WORDS_LANES 4

CODE words4 all_words(uint64_t x)
{
	return (words4)_mm256_set1_epi64x((int64_t)x);
}

CODE words4 load_words(const uint64_t *p)
{
	return (words4)load_256(p);
}

CODE void store_words(uint64_t *p, words4 a)
{
	store_256(p, (__m256i)a);
}

CODE words4 earlier(words4 now, words4 before)
{
	/* 0 1 2 of now and 3 of before, turned */
	return (words4)_mm256_permute4x64_epi64(_mm256_blend_epi32((__m256i)now, (__m256i)before, 0xc0), 0x93);
}

CODE words4 equal(words4 a, words4 b)
{
	return (words4)_mm256_cmpeq_epi64((__m256i)a, (__m256i)b);
}

CODE words4 popcounts(words4 a)
{
	const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1,
					      2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);
	__m256i v = (__m256i)a;
	__m256i n = _mm256_add_epi8(_mm256_shuffle_epi8(bits, _mm256_and_si256(v, low)),
				    _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));

	return (words4)_mm256_sad_epu8(n, _mm256_setzero_si256());
}

CODE words4 top_bits(words4 a)
{
	for (unsigned n = 1; n < 64; n *= 2)
		a |= a >> n;
	return a ^ a >> 1;
}

CODE words4 products(words4 a, words4 b)
{
	return (words4)_mm256_mul_epi32((__m256i)a, (__m256i)b);
}

CODE uint64_t words_set(words4 a)
{
	return (uint64_t)_mm256_movemask_pd((__m256d)~equal(a, all_words(0)));
}

#include "measure/engine/delta_words.inc"

struct vec_8 {
	__m256i v[2];
};

CODE struct vec_8 load_8(const uint8_t *p)
{
	return (struct vec_8){ { load_256(p), load_256(p + 32) } };
}

CODE void store_8(uint8_t *p, struct vec_8 a)
{
	store_256(p, a.v[0]);
	store_256(p + 32, a.v[1]);
}

CODE struct vec_8 zero_8(void)
{
	return (struct vec_8){ { _mm256_setzero_si256(), _mm256_setzero_si256() } };
}

CODE struct vec_8 ones_8(void)
{
	return (struct vec_8){ { _mm256_set1_epi8(-1), _mm256_set1_epi8(-1) } };
}

CODE struct vec_8 set_all_8(uint8_t x)
{
	return (struct vec_8){ { _mm256_set1_epi8((char)x), _mm256_set1_epi8((char)x) } };
}

/* One bit a byte, of bytes that are 0 or 0xff. */
CODE uint64_t bits_8(__m256i low, __m256i high)
{
	return (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32 | (uint32_t)_mm256_movemask_epi8(low);
}

CODE uint64_t ne_8(struct vec_8 a, struct vec_8 b)
{
	return ~bits_8(_mm256_cmpeq_epi8(a.v[0], b.v[0]), _mm256_cmpeq_epi8(a.v[1], b.v[1]));
}

CODE bool any_8(struct vec_8 a)
{
	__m256i all = _mm256_or_si256(a.v[0], a.v[1]);

	return !_mm256_testz_si256(all, all);
}

/* Whether a differs from b & word where valid is 0xff. */
CODE bool unlike_8(struct vec_8 a, struct vec_8 b, uint64_t word, struct vec_8 valid)
{
	__m256i mask = _mm256_set1_epi64x((int64_t)word), all[2];

	for (unsigned i = 0; i < 2; i++)
		all[i] = _mm256_and_si256(_mm256_xor_si256(a.v[i], _mm256_and_si256(b.v[i], mask)), valid.v[i]);
	all[0] = _mm256_or_si256(all[0], all[1]);
	return !_mm256_testz_si256(all[0], all[0]);
}

CODE bool differ_8(struct vec_8 a, struct vec_8 b)
{
	__m256i all = _mm256_or_si256(_mm256_xor_si256(a.v[0], b.v[0]), _mm256_xor_si256(a.v[1], b.v[1]));

	return !_mm256_testz_si256(all, all);
}

CODE uint64_t lt_8(struct vec_8 a, struct vec_8 b)
{
	/* a >= b exactly if the larger one is a */
	return ~bits_8(_mm256_cmpeq_epi8(_mm256_max_epu8(a.v[0], b.v[0]), a.v[0]),
		       _mm256_cmpeq_epi8(_mm256_max_epu8(a.v[1], b.v[1]), a.v[1]));
}

/* 0xff where the difference is 0 or 1. */
CODE __m256i near_8(__m256i a, __m256i b)
{
	__m256i gap = _mm256_sub_epi8(_mm256_max_epu8(a, b), _mm256_min_epu8(a, b));
	__m256i one = _mm256_set1_epi8(1);

	return _mm256_cmpeq_epi8(_mm256_max_epu8(gap, one), one);
}

CODE uint64_t wide_8(struct vec_8 a, struct vec_8 b)
{
	return ~bits_8(near_8(a.v[0], b.v[0]), near_8(a.v[1], b.v[1]));
}

/* 32 bits to 32 bytes of 0 or 0xff. */
CODE __m256i bytes_of_bits(uint32_t mask)
{
	const __m256i which = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2,
					       3, 3, 3, 3, 3, 3, 3, 3);
	const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201u);
	__m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int)mask), which);

	return _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
}

CODE struct vec_8 blend_8(uint64_t mask, struct vec_8 on, struct vec_8 off)
{
	return (struct vec_8){ { _mm256_blendv_epi8(off.v[0], on.v[0], bytes_of_bits((uint32_t)mask)),
				 _mm256_blendv_epi8(off.v[1], on.v[1], bytes_of_bits((uint32_t)(mask >> 32))) } };
}

CODE struct vec_8 and_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ { _mm256_and_si256(a.v[0], b.v[0]), _mm256_and_si256(a.v[1], b.v[1]) } };
}

CODE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ { _mm256_add_epi8(a.v[0], b.v[0]), _mm256_add_epi8(a.v[1], b.v[1]) } };
}

/* 16 bytes that lie before, and the lower half of a. */
CODE __m256i lanes_before(__m256i a, __m128i before)
{
	return _mm256_inserti128_si256(_mm256_castsi128_si256(before), _mm256_castsi256_si128(a), 1);
}

CODE struct vec_8 shifted_8(struct vec_8 a, uint32_t two)
{
	__m256i middle = _mm256_permute2x128_si256(a.v[0], a.v[1], 0x21);
	__m256i before = lanes_before(a.v[0], _mm_set1_epi16((short)two));

	return (struct vec_8){ { _mm256_alignr_epi8(a.v[0], before, 15), _mm256_alignr_epi8(a.v[1], middle, 15) } };
}

CODE struct vec_8 shifted_twice_8(struct vec_8 a, uint32_t two)
{
	__m256i middle = _mm256_permute2x128_si256(a.v[0], a.v[1], 0x21);
	__m256i before = lanes_before(a.v[0], _mm_set1_epi16((short)two));

	return (struct vec_8){ { _mm256_alignr_epi8(a.v[0], before, 14), _mm256_alignr_epi8(a.v[1], middle, 14) } };
}

CODE uint32_t last_two_8(struct vec_8 a)
{
	return (uint32_t)_mm_extract_epi16(_mm256_extracti128_si256(a.v[1], 1), 7);
}

CODE __m256i prefix_half(__m256i v)
{
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 1));
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 2));
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 4));
	v = _mm256_add_epi8(v, _mm256_slli_si256(v, 8));
	/* The lower lane's total goes to the upper lane. */
	__m256i total = _mm256_shuffle_epi8(v, _mm256_set1_epi8(15));

	return _mm256_add_epi8(v, _mm256_permute2x128_si256(total, total, 0x08));
}

CODE struct vec_8 prefix_8(struct vec_8 a)
{
	__m256i low = prefix_half(a.v[0]), high = prefix_half(a.v[1]);
	__m256i total = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(low, _mm256_set1_epi8(15)), 0xff);

	return (struct vec_8){ { low, _mm256_add_epi8(high, total) } };
}

CODE uint32_t total_8(struct vec_8 a)
{
	__m256i zero = _mm256_setzero_si256();
	__m256i all = _mm256_add_epi64(_mm256_sad_epu8(a.v[0], zero), _mm256_sad_epu8(a.v[1], zero));
	__m128i half = _mm_add_epi64(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));

	return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi64(half, _mm_unpackhi_epi64(half, half)));
}

CODE struct sums sums_of(struct vec_8 a)
{
	const __m256i weights = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
						 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
	__m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(1);
	__m256i low = _mm256_sad_epu8(a.v[0], zero), high = _mm256_sad_epu8(a.v[1], zero);
	/* Pairs stay below 2^15: 2 * 255 * 31. */
	__m256i fours = _mm256_add_epi32(_mm256_madd_epi16(_mm256_maddubs_epi16(a.v[0], weights), one),
					 _mm256_madd_epi16(_mm256_maddubs_epi16(a.v[1], weights), one));

	/* of each two sums the low half is used */
	fours = _mm256_add_epi32(fours, _mm256_srli_epi64(fours, 32));
	return (struct sums){ (words4)_mm256_add_epi32(low, high),
			      (words4)_mm256_add_epi32(fours, _mm256_slli_epi64(high, 5)) };
}

struct vec_16 {
	__m256i v[4];
};

CODE struct vec_16 load_16(const uint16_t *p)
{
	return (struct vec_16){ { load_256(p), load_256(p + 16), load_256(p + 32), load_256(p + 48) } };
}

CODE void store_16(uint16_t *p, struct vec_16 a)
{
	store_256(p, a.v[0]);
	store_256(p + 16, a.v[1]);
	store_256(p + 32, a.v[2]);
	store_256(p + 48, a.v[3]);
}

/* One bit a 16-bit lane of 0 or 0xffff. */
CODE uint64_t bits_16(const __m256i m[4])
{
	/* pack works within lanes; the permutation puts the quarters in order again */
	__m256i low = _mm256_permute4x64_epi64(_mm256_packs_epi16(m[0], m[1]), 0xd8);
	__m256i high = _mm256_permute4x64_epi64(_mm256_packs_epi16(m[2], m[3]), 0xd8);

	return bits_8(low, high);
}

CODE uint64_t ne_16(struct vec_16 a, struct vec_16 b)
{
	__m256i m[4];

	for (unsigned i = 0; i < 4; i++)
		m[i] = _mm256_cmpeq_epi16(a.v[i], b.v[i]);
	return ~bits_16(m);
}

CODE uint64_t lt_16(struct vec_16 a, struct vec_16 b)
{
	__m256i m[4];

	for (unsigned i = 0; i < 4; i++)
		m[i] = _mm256_cmpeq_epi16(_mm256_max_epu16(a.v[i], b.v[i]), a.v[i]);
	return ~bits_16(m);
}

CODE uint64_t wide_16(struct vec_16 a, struct vec_16 b)
{
	const __m256i one = _mm256_set1_epi16(1);
	__m256i m[4];

	for (unsigned i = 0; i < 4; i++) {
		__m256i gap = _mm256_sub_epi16(_mm256_max_epu16(a.v[i], b.v[i]), _mm256_min_epu16(a.v[i], b.v[i]));

		m[i] = _mm256_cmpeq_epi16(_mm256_max_epu16(gap, one), one);
	}
	return ~bits_16(m);
}

CODE bool differ_16(struct vec_16 a, struct vec_16 b)
{
	__m256i all = _mm256_setzero_si256();

	for (unsigned i = 0; i < 4; i++)
		all = _mm256_or_si256(all, _mm256_xor_si256(a.v[i], b.v[i]));
	return !_mm256_testz_si256(all, all);
}

CODE struct vec_16 ones_16(void)
{
	__m256i ones = _mm256_set1_epi8(-1);

	return (struct vec_16){ { ones, ones, ones, ones } };
}

CODE struct vec_16 and_16(struct vec_16 a, struct vec_16 b)
{
	for (unsigned i = 0; i < 4; i++)
		a.v[i] = _mm256_and_si256(a.v[i], b.v[i]);
	return a;
}

CODE struct vec_16 shifted_16(struct vec_16 a, uint32_t two)
{
	struct vec_16 out = { { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], _mm_set1_epi32((int)two)), 14) } };

	for (unsigned i = 1; i < 4; i++)
		out.v[i] = _mm256_alignr_epi8(a.v[i], _mm256_permute2x128_si256(a.v[i - 1], a.v[i], 0x21), 14);
	return out;
}

CODE struct vec_16 shifted_twice_16(struct vec_16 a, uint32_t two)
{
	struct vec_16 out = { { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], _mm_set1_epi32((int)two)), 12) } };

	for (unsigned i = 1; i < 4; i++)
		out.v[i] = _mm256_alignr_epi8(a.v[i], _mm256_permute2x128_si256(a.v[i - 1], a.v[i], 0x21), 12);
	return out;
}

CODE uint32_t last_two_16(struct vec_16 a)
{
	return (uint32_t)_mm_extract_epi32(_mm256_extracti128_si256(a.v[3], 1), 3);
}

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
	const unsigned need = CPU_AVX2 | CPU_BMI2;

	return (cpu_features() & need) == need;
}

const struct delta_code delta_avx2 = {
	.name = "avx2",
	.usable = usable,
	.go_filtered = delta_go_filtered,
	.go_ids = delta_go_ids,
	.end = delta_end_columns,
};
#endif
