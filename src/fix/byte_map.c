#include "fix/byte_map.h"

#include "base/adler_wide.h"
#include "base/cpu.h"
#include "base/guard.h"

static bool map_plain(const struct byte_map *map, const struct changed_rows *rows, struct mapped_row *out)
{
	struct mapped_row row = *out;
	unsigned flags = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct changed_block *block = &rows->blocks[i];

		for (uint64_t differs = block->differs; differs; differs &= differs - 1) {
			uint32_t at = (uint32_t)__builtin_ctzll(differs), x = block->x + at;
			uint8_t byte = rows->row[x], id = map->to[byte];

			line_sums_replace(&row.sums, row.ids[x], id, rows->width - x);
			row.ids[x] = id;
			row.changes += (uint64_t)(map->flags[byte] & BYTE_CHANGES) -
				       (map->flags[block->before[at]] & BYTE_CHANGES);
			flags |= map->flags[byte];
		}
	}
	*out = row;
	return !GUARD(unknown_byte, flags & BYTE_UNKNOWN);
}

#if defined(__x86_64__)

#define VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,popcnt")))

/* A table of 256 bytes. */
struct table {
	__m512i v[4];
};

VBMI static inline struct table load_table(const uint8_t bytes[256])
{
	return (struct table){ { _mm512_loadu_si512(bytes), _mm512_loadu_si512(bytes + 64),
				 _mm512_loadu_si512(bytes + 128), _mm512_loadu_si512(bytes + 192) } };
}

VBMI static inline __m512i look_up(const struct table *t, __m512i bytes)
{
	__m512i low = _mm512_permutex2var_epi8(t->v[0], bytes, t->v[1]);
	__m512i high = _mm512_permutex2var_epi8(t->v[2], bytes, t->v[3]);

	return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), low, high);
}

VBMI static bool map_vbmi(const struct byte_map *map, const struct changed_rows *rows, struct mapped_row *out)
{
	const struct table to = load_table(map->to), flags = load_table(map->flags);
	const __m512i changes = _mm512_set1_epi8(BYTE_CHANGES), unknown = _mm512_set1_epi8(BYTE_UNKNOWN);
	struct wide_sums sums = wide_sums_begin();
	struct mapped_row row = *out;
	uint64_t any_unknown = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct changed_block *block = &rows->blocks[i];
		const __mmask64 differs = block->differs;
		__m512i pixels = _mm512_maskz_loadu_epi8(differs, rows->row + block->x);
		__m512i above = _mm512_maskz_loadu_epi8(differs, block->before);
		__m512i before = _mm512_maskz_loadu_epi8(differs, row.ids + block->x);
		__m512i ids = _mm512_maskz_mov_epi8(differs, look_up(&to, pixels));
		__m512i fresh = look_up(&flags, pixels);

		_mm512_mask_storeu_epi8(row.ids + block->x, differs, ids);
		any_unknown |= _mm512_mask_test_epi8_mask(differs, fresh, unknown);
		row.changes += (uint64_t)__builtin_popcountll(_mm512_mask_test_epi8_mask(differs, fresh, changes)) -
			       (uint64_t)__builtin_popcountll(
				       _mm512_mask_test_epi8_mask(differs, look_up(&flags, above), changes));
		wide_sums_replace(&sums, before, ids, (int64_t)rows->width - (int64_t)block->x - CHANGED_BLOCK);
	}
	wide_sums_end(&sums, &row.sums);
	*out = row;
	return !GUARD(unknown_byte, any_unknown);
}

#endif

bool byte_map_changes(const struct byte_map *map, const struct changed_rows *rows, struct mapped_row *row)
{
#if defined(__x86_64__)
	const unsigned need = CPU_AVX512 | CPU_AVX512VBMI2;

	if ((cpu_features() & need) == need)
		return map_vbmi(map, rows, row);
#endif
	return map_plain(map, rows, row);
}
