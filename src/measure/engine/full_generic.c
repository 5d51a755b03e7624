/* The inner loops of full.c for any processor; with vectors of 16 bytes, whatever there is for them. */
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/mem.h"
#include "measure/engine/full_parts.h"

#define CODE static

typedef uint8_t vec_8 __attribute__((vector_size(16)));
typedef uint16_t vec_16 __attribute__((vector_size(16)));
typedef int16_t ids8 __attribute__((vector_size(16)));
typedef int32_t sums4 __attribute__((vector_size(16)));

CODE inline vec_8 over_8(vec_8 a, vec_8 b)
{
#if defined(__SSE2__)
	return (vec_8)_mm_subs_epu8((__m128i)a, (__m128i)b);
#else
	return (a - b) & (vec_8)(a > b);
#endif
}

CODE inline vec_16 over_16(vec_16 a, vec_16 b)
{
#if defined(__SSE2__)
	return (vec_16)_mm_subs_epu16((__m128i)a, (__m128i)b);
#else
	return (a - b) & (vec_16)(a > b);
#endif
}

CODE inline uint64_t bits_8(vec_8 mask)
{
#if defined(__SSE2__)
	return (unsigned)_mm_movemask_epi8((__m128i)mask);
#else
	uint64_t bits = 0;

	for (unsigned i = 0; i < 16; i++)
		bits |= (uint64_t)(mask[i] & 1) << i;
	return bits;
#endif
}

CODE inline uint64_t bits_16(vec_16 mask)
{
#if defined(__SSE2__)
	return (unsigned)_mm_movemask_epi8(_mm_packs_epi16((__m128i)mask, _mm_setzero_si128()));
#else
	uint64_t bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (uint64_t)(mask[i] & 1) << i;
	return bits;
#endif
}

CODE inline void store_keys_8(uint16_t *keys, vec_8 ids, vec_8 classes)
{
#if defined(__SSE2__)
	_mm_storeu_si128((__m128i *)(void *)keys, _mm_unpacklo_epi8((__m128i)ids, (__m128i)classes));
	_mm_storeu_si128((__m128i *)(void *)(keys + 8), _mm_unpackhi_epi8((__m128i)ids, (__m128i)classes));
#else
	for (unsigned i = 0; i < 16; i++)
		keys[i] = (uint16_t)(classes[i] << 8 | ids[i]);
#endif
}

CODE inline void store_keys_16(uint32_t *keys, vec_16 ids, vec_16 classes)
{
#if defined(__SSE2__)
	_mm_storeu_si128((__m128i *)(void *)keys, _mm_unpacklo_epi16((__m128i)ids, (__m128i)classes));
	_mm_storeu_si128((__m128i *)(void *)(keys + 4), _mm_unpackhi_epi16((__m128i)ids, (__m128i)classes));
#else
	for (unsigned i = 0; i < 8; i++)
		keys[i] = (uint32_t)classes[i] << 16 | ids[i];
#endif
}

struct sums {
	sums4 part[8];
};

/* Half a group: column 0 or 8 of it on. */
CODE inline void add_half(struct sums *sums, ids8 ids, const struct column_parts *parts, unsigned column)
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

CODE inline void add_group_8(struct sums *sums, const uint8_t *p, const struct column_parts *parts)
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
		add_half(sums, ids, parts, column);
	}
}

CODE inline void add_group_16(struct sums *sums, const uint16_t *p, const struct column_parts *parts)
{
	for (unsigned column = 0; column < GROUP_COLUMNS; column += 8) {
		vec_16 ids;

		memcpy(&ids, p + column, sizeof(ids));
		add_half(&sums[0], (ids8)(ids & 0xff), parts, column);
		add_half(&sums[1], (ids8)(ids / 256), parts, column);
	}
}

CODE inline int64_t total(const struct sums *sums, unsigned k)
{
	sums4 v = sums->part[k];

	return (int64_t)v[0] + v[1] + v[2] + v[3];
}

#include "measure/engine/full_weights.inc"
#include "measure/engine/full_widths.inc"

static bool usable(void)
{
	return true;
}

const struct full_code full_generic = {
	"plain", usable, make_parts, { add_span_8, add_span_16 }, { sum_columns_8, sum_columns_16 }
};
