/* The strip for AVX2 with BMI2. See fast_strip_template.inc. */
#include "measure/fast_strip.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

#define TARGET "avx2,bmi,bmi2,lzcnt,popcnt"
#define ENTRY  __attribute__((target(TARGET))) static
#define CODE   ENTRY inline
#define APART  ENTRY __attribute__((noinline))
#define HAVE_PEXT

struct vec_8 {
	__m256i v[2];
};

CODE __m256i load_256(const void *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

CODE void store_256(void *p, __m256i a)
{
	_mm256_storeu_si256((__m256i *)p, a);
}

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

CODE void store_some_8(uint8_t *p, uint64_t mask, struct vec_8 a)
{
	store_8(p, blend_8(mask, a, load_8(p)));
}

CODE struct vec_8 and_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ { _mm256_and_si256(a.v[0], b.v[0]), _mm256_and_si256(a.v[1], b.v[1]) } };
}

CODE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ { _mm256_add_epi8(a.v[0], b.v[0]), _mm256_add_epi8(a.v[1], b.v[1]) } };
}

/* The 16 bytes before p, and the lower half of a. */
CODE __m256i lanes_before(__m256i a, const void *p)
{
	__m128i before = _mm_loadu_si128((const __m128i *)((const char *)p - 16));

	return _mm256_inserti128_si256(_mm256_castsi128_si256(before), _mm256_castsi256_si128(a), 1);
}

CODE struct vec_8 shifted_8(struct vec_8 a, const uint8_t *p)
{
	__m256i middle = _mm256_permute2x128_si256(a.v[0], a.v[1], 0x21);

	return (struct vec_8){ { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], p), 15),
				 _mm256_alignr_epi8(a.v[1], middle, 15) } };
}

CODE struct vec_8 shifted_twice_8(struct vec_8 a, const uint8_t *p)
{
	__m256i middle = _mm256_permute2x128_si256(a.v[0], a.v[1], 0x21);

	return (struct vec_8){ { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], p), 14),
				 _mm256_alignr_epi8(a.v[1], middle, 14) } };
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

struct sums {
	__m256i sum, weighted;
};

CODE struct sums no_sums(void)
{
	return (struct sums){ _mm256_setzero_si256(), _mm256_setzero_si256() };
}

CODE struct sums sums_of(struct vec_8 a, size_t b)
{
	const __m256i weights = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
						 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
	__m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi16(1);
	__m256i low = _mm256_sad_epu8(a.v[0], zero), high = _mm256_sad_epu8(a.v[1], zero);
	/* Pairs stay below 2^15: 2 * 255 * 31. */
	__m256i fours = _mm256_add_epi32(_mm256_madd_epi16(_mm256_maddubs_epi16(a.v[0], weights), one),
					 _mm256_madd_epi16(_mm256_maddubs_epi16(a.v[1], weights), one));
	__m256i sum = _mm256_add_epi64(low, high);
	__m256i block = _mm256_mul_epu32(sum, _mm256_set1_epi64x((int64_t)(b * STRIP_BLOCK)));

	fours = _mm256_add_epi64(_mm256_and_si256(fours, _mm256_set1_epi64x(UINT32_MAX)), _mm256_srli_epi64(fours, 32));
	block = _mm256_add_epi64(block, _mm256_slli_epi64(high, 5));
	return (struct sums){ sum, _mm256_add_epi64(fours, block) };
}

CODE struct sums load_sums(const uint64_t *sum, const uint64_t *weighted)
{
	return (struct sums){ load_256(sum), load_256(weighted) };
}

CODE void store_sums(uint64_t *sum, uint64_t *weighted, struct sums a)
{
	store_256(sum, a.sum);
	store_256(weighted, a.weighted);
}

CODE struct sums plus_sums(struct sums a, struct sums b)
{
	return (struct sums){ _mm256_add_epi64(a.sum, b.sum), _mm256_add_epi64(a.weighted, b.weighted) };
}

CODE struct sums minus_sums(struct sums a, struct sums b)
{
	return (struct sums){ _mm256_sub_epi64(a.sum, b.sum), _mm256_sub_epi64(a.weighted, b.weighted) };
}

CODE struct sums times_sums(struct sums a, uint32_t weight)
{
	__m256i all = _mm256_mul_epu32(a.sum, _mm256_set1_epi64x(weight));

	return (struct sums){ a.sum, _mm256_sub_epi64(all, a.weighted) };
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

CODE struct vec_16 blend_16(uint64_t mask, struct vec_16 on, struct vec_16 off)
{
	const __m256i bit =
		_mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, (short)0x8000);
	struct vec_16 out;

	for (unsigned i = 0; i < 4; i++) {
		__m256i spread = _mm256_set1_epi16((short)(mask >> 16 * i));

		out.v[i] =
			_mm256_blendv_epi8(off.v[i], on.v[i], _mm256_cmpeq_epi16(_mm256_and_si256(spread, bit), bit));
	}
	return out;
}

CODE void store_some_16(uint16_t *p, uint64_t mask, struct vec_16 a)
{
	store_16(p, blend_16(mask, a, load_16(p)));
}

CODE struct vec_16 and_16(struct vec_16 a, struct vec_16 b)
{
	for (unsigned i = 0; i < 4; i++)
		a.v[i] = _mm256_and_si256(a.v[i], b.v[i]);
	return a;
}

CODE struct vec_16 shifted_16(struct vec_16 a, const uint16_t *p)
{
	struct vec_16 out = { { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], p), 14) } };

	for (unsigned i = 1; i < 4; i++)
		out.v[i] = _mm256_alignr_epi8(a.v[i], _mm256_permute2x128_si256(a.v[i - 1], a.v[i], 0x21), 14);
	return out;
}

CODE struct vec_16 shifted_twice_16(struct vec_16 a, const uint16_t *p)
{
	struct vec_16 out = { { _mm256_alignr_epi8(a.v[0], lanes_before(a.v[0], p), 12) } };

	for (unsigned i = 1; i < 4; i++)
		out.v[i] = _mm256_alignr_epi8(a.v[i], _mm256_permute2x128_si256(a.v[i - 1], a.v[i], 0x21), 12);
	return out;
}

#define PIXEL   uint8_t
#define NAME(x) x##_8
#include "measure/fast_strip_template.inc"
/* needs the above */
#include "measure/fast_strip_filters.inc"
#undef VEC
#undef PIXEL
#undef NAME

#define PIXEL   uint16_t
#define NAME(x) x##_16
#include "measure/fast_strip_template.inc"

#include "measure/fast_strip_entry.inc"

static bool usable(void)
{
	const unsigned need = CPU_AVX2 | CPU_BMI2;

	return (cpu_features() & need) == need;
}

const struct strip_code strip_avx2 = {
	.name = "avx2",
	.usable = usable,
	.add_filtered = strip_add_filtered,
	.add_ids = strip_add_ids,
	.end = strip_end,
};
#endif
