/* The inner loops of full.c for AVX2. */
#include "measure/engine/full_parts.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"

#define CODE __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))) static

typedef uint8_t vec_8 __attribute__((vector_size(32)));
typedef uint16_t vec_16 __attribute__((vector_size(32)));

CODE inline vec_8 over_8(vec_8 a, vec_8 b)
{
	return (vec_8)_mm256_subs_epu8((__m256i)a, (__m256i)b);
}

CODE inline vec_16 over_16(vec_16 a, vec_16 b)
{
	return (vec_16)_mm256_subs_epu16((__m256i)a, (__m256i)b);
}

CODE inline uint64_t bits_8(vec_8 mask)
{
	return (uint32_t)_mm256_movemask_epi8((__m256i)mask);
}

CODE inline uint64_t bits_16(vec_16 mask)
{
	return _pext_u32((uint32_t)_mm256_movemask_epi8((__m256i)mask), 0x55555555);
}

/* unpack works within lanes; the permutation puts the quarters so that they come out in order */
CODE inline __m256i quarters(__m256i v)
{
	return _mm256_permute4x64_epi64(v, 0xd8);
}

CODE inline void store_keys_8(uint16_t *keys, vec_8 ids, vec_8 classes)
{
	__m256i a = quarters((__m256i)ids), b = quarters((__m256i)classes);

	_mm256_storeu_si256((__m256i *)(void *)keys, _mm256_unpacklo_epi8(a, b));
	_mm256_storeu_si256((__m256i *)(void *)(keys + 16), _mm256_unpackhi_epi8(a, b));
}

CODE inline void store_keys_16(uint32_t *keys, vec_16 ids, vec_16 classes)
{
	__m256i a = quarters((__m256i)ids), b = quarters((__m256i)classes);

	_mm256_storeu_si256((__m256i *)(void *)keys, _mm256_unpacklo_epi16(a, b));
	_mm256_storeu_si256((__m256i *)(void *)(keys + 8), _mm256_unpackhi_epi16(a, b));
}

struct sums {
	__m256i part[8];
};

CODE inline void add_ids(struct sums *sums, __m256i ids, const struct column_parts *parts)
{
#pragma GCC unroll 8
	for (unsigned k = 0; k < 8; k++) {
		__m256i part = _mm256_loadu_si256((const __m256i *)(const void *)parts->part[k]);

		sums->part[k] = _mm256_add_epi32(sums->part[k], _mm256_madd_epi16(ids, part));
	}
}

CODE inline void add_group_8(struct sums *sums, const uint8_t *p, const struct column_parts *parts)
{
	add_ids(sums, _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p)), parts);
}

CODE inline void add_group_16(struct sums *sums, const uint16_t *p, const struct column_parts *parts)
{
	__m256i ids = _mm256_loadu_si256((const __m256i *)(const void *)p);

	add_ids(&sums[0], _mm256_and_si256(ids, _mm256_set1_epi16(0xff)), parts);
	add_ids(&sums[1], _mm256_srli_epi16(ids, 8), parts);
}

CODE inline int64_t total(const struct sums *sums, unsigned k)
{
	__m256i v = sums->part[k];
	__m256i four = _mm256_add_epi64(_mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)),
					_mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
	__m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));

	return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

#include "measure/engine/full_weights.inc"
#include "measure/engine/full_widths.inc"

static bool usable(void)
{
	return cpu_features() & CPU_AVX2 && cpu_features() & CPU_BMI2;
}

const struct full_code full_avx2 = {
	"avx2", usable, make_parts, { add_span_8, add_span_16 }, { sum_columns_8, sum_columns_16 }
};
#endif
