#include "library/in_ranges.h"

#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"

/* Elements tested before the answer is looked at. */
enum { BLOCK = 4096, PREFETCH = 2048 };

/* ---- the loops -------------------------------------------------------------------------------------------------- */
/* Functions of always_inline, so that each caller compiles them for its instruction set and number of ranges. */

#define INLINED static inline __attribute__((always_inline)) bool

/* x is in a range if x - low, which wraps around, is at most its length. */
#define DEFINE_INTS(name, type)                                                                        \
	INLINED name(const struct typed_ranges *ranges, const type *v, size_t n, const unsigned count) \
	{                                                                                              \
		type low[RANGES_MAX], length[RANGES_MAX];                                              \
                                                                                                       \
		for (unsigned r = 0; r < count; r++) {                                                 \
			low[r] = (type)ranges->low[r];                                                 \
			length[r] = (type)ranges->length[r];                                           \
		}                                                                                      \
		for (size_t at = 0, end; at < n; at = end) {                                           \
			type outside = 0;                                                              \
                                                                                                       \
			end = MIN(n, at + BLOCK);                                                      \
			for (size_t i = at, step; i < end; i += step) {                                \
				step = MIN(end - i, 256 / sizeof(type));                               \
				for (unsigned p = 0; p < 256; p += 64)                                 \
					__builtin_prefetch((const uint8_t *)(v + i) + PREFETCH + p);   \
				for (size_t k = i; k < i + step; k++) {                                \
					type missed = 1;                                               \
                                                                                                       \
					for (unsigned r = 0; r < count; r++)                           \
						missed &= (type)((type)(v[k] - low[r]) > length[r]);   \
					outside |= missed;                                             \
				}                                                                      \
			}                                                                              \
			if (outside)                                                                   \
				return false;                                                          \
		}                                                                                      \
		return true;                                                                           \
	}

DEFINE_INTS(ints_8, uint8_t)
DEFINE_INTS(ints_16, uint16_t)
DEFINE_INTS(ints_32, uint32_t)
DEFINE_INTS(ints_64, uint64_t)

INLINED test(const struct typed_ranges *ranges, enum element_kind kind, const void *v, size_t n, const unsigned count)
{
	switch (kind % ELEMENT_SIGNED) {
	case 0:
		return ints_8(ranges, v, n, count);
	case 1:
		return ints_16(ranges, v, n, count);
	case 2:
		return ints_32(ranges, v, n, count);
	default:
		return ints_64(ranges, v, n, count);
	}
}

INLINED test_counted(const struct typed_ranges *ranges, enum element_kind kind, const void *v, size_t n)
{
	if (ranges->count == 1)
		return test(ranges, kind, v, n, 1);
	return ranges->count == 2 ? test(ranges, kind, v, n, 2) : test(ranges, kind, v, n, RANGES_MAX);
}

/* ---- instruction sets ------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#ifdef __clang__ /* it has no such name for the width, and chooses by itself */
#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl"
#else
#define AVX512 "avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"
#endif

__attribute__((target(AVX512))) static bool test_avx512(const struct typed_ranges *ranges, enum element_kind kind,
							const void *v, size_t n)
{
	return test_counted(ranges, kind, v, n);
}

__attribute__((target("avx2"))) static bool test_avx2(const struct typed_ranges *ranges, enum element_kind kind,
						      const void *v, size_t n)
{
	return test_counted(ranges, kind, v, n);
}
#endif

bool all_in_ranges(const struct typed_ranges *ranges, enum element_kind kind, const void *v, size_t n)
{
	if (!ranges->count)
		return !n;
#if defined(__x86_64__)
	if (cpu_features() & CPU_AVX512)
		return test_avx512(ranges, kind, v, n);
	if (cpu_features() & CPU_AVX2)
		return test_avx2(ranges, kind, v, n);
#endif
	return test_counted(ranges, kind, v, n);
}

/* ---- ranges of a type ------------------------------------------------------------------------------------------- */

/* Clips the ranges to lowest..highest. */
static void clip(struct typed_ranges *out, const struct id_ranges *ids, int64_t lowest, int64_t highest)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < ids->count; i++) {
		int64_t first = MAX(ids->v[i].first, lowest), last = MIN(ids->v[i].last, highest);
		unsigned r = out->count;

		if (first > last)
			continue;
		if (r == RANGES_MAX) {
			out->count++;
			return;
		}
		out->low[r] = (uint64_t)first;
		out->length[r] = (uint64_t)last - (uint64_t)first;
		out->count++;
	}
	for (unsigned r = out->count; out->count && r < RANGES_MAX; r++) {
		out->low[r] = out->low[0];
		out->length[r] = out->length[0];
	}
}

void typed_ranges_make(struct typed_ranges all[ELEMENT_KINDS], const struct id_ranges *ids)
{
	for (unsigned n = 0; n < 4; n++) {
		unsigned bits = 8u << n;
		int64_t most = bits == 64 ? INT64_MAX : ((int64_t)1 << bits) - 1;

		clip(&all[ELEMENT_UNSIGNED + n], ids, 0, most);
		most = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
		clip(&all[ELEMENT_SIGNED + n], ids, -most - 1, most);
	}
	/* floats are looked up one by one */
	all[ELEMENT_FLOAT].count = all[ELEMENT_DOUBLE].count = RANGES_MAX + 1;
}
