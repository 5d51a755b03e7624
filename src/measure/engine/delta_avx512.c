/* The strip for AVX-512 with VBMI2: Ice Lake, Zen 4 and later. See delta_columns.inc. */
#include "measure/engine/delta.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"

#define TARGET                                                                                                      \
	"avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx512cd,avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt," \
	"tune=icelake-server"
#define ENTRY __attribute__((target(TARGET))) static
#define CODE  ENTRY inline
#define APART ENTRY __attribute__((noinline))

typedef uint64_t words8 __attribute__((vector_size(64)));

#define WORDS       words8
#define WORDS_LANES 8

CODE words8 all_words(uint64_t x)
{
	return (words8)_mm512_set1_epi64((int64_t)x);
}

CODE words8 load_words(const uint64_t *p)
{
	return (words8)_mm512_loadu_si512(p);
}

CODE void store_words(uint64_t *p, words8 a)
{
	_mm512_storeu_si512(p, (__m512i)a);
}

CODE words8 earlier(words8 now, words8 before)
{
	return (words8)_mm512_alignr_epi64((__m512i)now, (__m512i)before, 7);
}

CODE words8 equal(words8 a, words8 b)
{
	return (words8)_mm512_movm_epi64(_mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b));
}

CODE words8 popcounts(words8 a)
{
	return (words8)_mm512_popcnt_epi64((__m512i)a);
}

CODE words8 top_bits(words8 a)
{
	return (words8)_mm512_srlv_epi64(_mm512_set1_epi64(INT64_MIN), _mm512_lzcnt_epi64((__m512i)a));
}

CODE words8 products(words8 a, words8 b)
{
	return (words8)_mm512_mul_epi32((__m512i)a, (__m512i)b);
}

CODE uint64_t words_set(words8 a)
{
	return _mm512_test_epi64_mask((__m512i)a, (__m512i)a);
}

#include "measure/engine/delta_words.inc"

struct vec_8 {
	__m512i v;
};

CODE struct vec_8 load_8(const uint8_t *p)
{
	return (struct vec_8){ _mm512_loadu_si512(p) };
}

CODE void store_8(uint8_t *p, struct vec_8 a)
{
	_mm512_storeu_si512(p, a.v);
}

CODE struct vec_8 zero_8(void)
{
	return (struct vec_8){ _mm512_setzero_si512() };
}

CODE struct vec_8 ones_8(void)
{
	return (struct vec_8){ _mm512_set1_epi32(-1) };
}

CODE struct vec_8 set_all_8(uint8_t x)
{
	return (struct vec_8){ _mm512_set1_epi8((char)x) };
}

CODE uint64_t ne_8(struct vec_8 a, struct vec_8 b)
{
	return _mm512_cmpneq_epi8_mask(a.v, b.v);
}

CODE bool any_8(struct vec_8 a)
{
	return _mm512_test_epi32_mask(a.v, a.v) != 0;
}

CODE bool differ_8(struct vec_8 a, struct vec_8 b)
{
	return _mm512_cmpneq_epi32_mask(a.v, b.v) != 0;
}

CODE uint64_t lt_8(struct vec_8 a, struct vec_8 b)
{
	return _mm512_cmplt_epu8_mask(a.v, b.v);
}

CODE uint64_t wide_8(struct vec_8 a, struct vec_8 b)
{
	__m512i gap = _mm512_sub_epi8(_mm512_max_epu8(a.v, b.v), _mm512_min_epu8(a.v, b.v));

	return _mm512_cmpge_epu8_mask(gap, _mm512_set1_epi8(2));
}

CODE struct vec_8 blend_8(uint64_t mask, struct vec_8 on, struct vec_8 off)
{
	return (struct vec_8){ _mm512_mask_blend_epi8(mask, off.v, on.v) };
}

CODE struct vec_8 and_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ _mm512_and_si512(a.v, b.v) };
}

CODE struct vec_8 add_8(struct vec_8 a, struct vec_8 b)
{
	return (struct vec_8){ _mm512_add_epi8(a.v, b.v) };
}

/* 16 bytes that end with `before`, then the first three quarters of a. */
CODE __m512i lanes_before(__m512i a, __m512i before)
{
	return _mm512_alignr_epi64(a, before, 6);
}

CODE struct vec_8 shifted_8(struct vec_8 a, uint32_t two)
{
	return (struct vec_8){ _mm512_alignr_epi8(a.v, lanes_before(a.v, _mm512_set1_epi16((short)two)), 15) };
}

CODE struct vec_8 shifted_twice_8(struct vec_8 a, uint32_t two)
{
	return (struct vec_8){ _mm512_alignr_epi8(a.v, lanes_before(a.v, _mm512_set1_epi16((short)two)), 14) };
}

CODE uint32_t last_two_8(struct vec_8 a)
{
	return (uint32_t)_mm_extract_epi16(_mm512_extracti32x4_epi32(a.v, 3), 7);
}

CODE struct vec_8 prefix_8(struct vec_8 a)
{
	const __m512i last_of_lane = _mm512_set1_epi8(15);
	__m512i v = a.v;

	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 1));
	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 2));
	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 4));
	v = _mm512_add_epi8(v, _mm512_bslli_epi128(v, 8));
	/* Each lane's total, moved up by one, two and three lanes. */
	__m512i total = _mm512_shuffle_epi8(v, last_of_lane), zero = _mm512_setzero_si512();
	__m512i one = _mm512_alignr_epi64(total, zero, 6);
	__m512i two = _mm512_alignr_epi64(total, zero, 4), three = _mm512_alignr_epi64(total, zero, 2);

	v = _mm512_add_epi8(v, one);
	return (struct vec_8){ _mm512_add_epi8(v, _mm512_add_epi8(two, three)) };
}

CODE uint32_t total_8(struct vec_8 a)
{
	return (uint32_t)_mm512_reduce_add_epi64(_mm512_sad_epu8(a.v, _mm512_setzero_si512()));
}

CODE struct sums sums_of(struct vec_8 a)
{
	/* Pairs stay below 2^15: 2 * 255 * 63 = 32130. */
	const __m512i weights =
		_mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
				41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
				19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	__m512i fours = _mm512_madd_epi16(_mm512_maddubs_epi16(a.v, weights), _mm512_set1_epi16(1));

	/* of each two sums of four the low half is used */
	return (struct sums){ (words8)_mm512_sad_epu8(a.v, _mm512_setzero_si512()),
			      (words8)_mm512_add_epi32(fours, _mm512_srli_epi64(fours, 32)) };
}

#define HAVE_QUEUES
#include "measure/engine/delta_queues.inc"

struct vec_16 {
	__m512i v[2];
};

CODE struct vec_16 load_16(const uint16_t *p)
{
	return (struct vec_16){ { _mm512_loadu_si512(p), _mm512_loadu_si512(p + 32) } };
}

CODE void store_16(uint16_t *p, struct vec_16 a)
{
	_mm512_storeu_si512(p, a.v[0]);
	_mm512_storeu_si512(p + 32, a.v[1]);
}

CODE uint64_t join(__mmask32 low, __mmask32 high)
{
	return (uint64_t)high << 32 | low;
}

CODE uint64_t ne_16(struct vec_16 a, struct vec_16 b)
{
	return join(_mm512_cmpneq_epi16_mask(a.v[0], b.v[0]), _mm512_cmpneq_epi16_mask(a.v[1], b.v[1]));
}

CODE uint64_t lt_16(struct vec_16 a, struct vec_16 b)
{
	return join(_mm512_cmplt_epu16_mask(a.v[0], b.v[0]), _mm512_cmplt_epu16_mask(a.v[1], b.v[1]));
}

CODE __mmask32 wide_half(__m512i a, __m512i b)
{
	__m512i gap = _mm512_sub_epi16(_mm512_max_epu16(a, b), _mm512_min_epu16(a, b));

	return _mm512_cmpge_epu16_mask(gap, _mm512_set1_epi16(2));
}

CODE uint64_t wide_16(struct vec_16 a, struct vec_16 b)
{
	return join(wide_half(a.v[0], b.v[0]), wide_half(a.v[1], b.v[1]));
}

CODE struct vec_16 blend_16(uint64_t mask, struct vec_16 on, struct vec_16 off)
{
	return (struct vec_16){ { _mm512_mask_blend_epi16((__mmask32)mask, off.v[0], on.v[0]),
				  _mm512_mask_blend_epi16((__mmask32)(mask >> 32), off.v[1], on.v[1]) } };
}

CODE bool differ_16(struct vec_16 a, struct vec_16 b)
{
	__m512i all = _mm512_or_si512(_mm512_xor_si512(a.v[0], b.v[0]), _mm512_xor_si512(a.v[1], b.v[1]));

	return _mm512_test_epi32_mask(all, all) != 0;
}

CODE struct vec_16 ones_16(void)
{
	return (struct vec_16){ { _mm512_set1_epi32(-1), _mm512_set1_epi32(-1) } };
}

CODE struct vec_16 and_16(struct vec_16 a, struct vec_16 b)
{
	return (struct vec_16){ { _mm512_and_si512(a.v[0], b.v[0]), _mm512_and_si512(a.v[1], b.v[1]) } };
}

CODE struct vec_16 shifted_16(struct vec_16 a, uint32_t two)
{
	__m512i before = lanes_before(a.v[0], _mm512_set1_epi32((int)two)), middle = lanes_before(a.v[1], a.v[0]);

	return (struct vec_16){ { _mm512_alignr_epi8(a.v[0], before, 14), _mm512_alignr_epi8(a.v[1], middle, 14) } };
}

CODE struct vec_16 shifted_twice_16(struct vec_16 a, uint32_t two)
{
	__m512i before = lanes_before(a.v[0], _mm512_set1_epi32((int)two)), middle = lanes_before(a.v[1], a.v[0]);

	return (struct vec_16){ { _mm512_alignr_epi8(a.v[0], before, 12), _mm512_alignr_epi8(a.v[1], middle, 12) } };
}

CODE uint32_t last_two_16(struct vec_16 a)
{
	return (uint32_t)_mm_extract_epi32(_mm512_extracti32x4_epi32(a.v[1], 3), 3);
}

#define PIXEL   uint8_t
#define NAME(x) x##_8
#include "measure/engine/delta_columns.inc"
#define HAVE_MARKS
#include "measure/engine/delta_marks.inc"
/* needs the above */
#include "measure/engine/delta_filters.inc"
#undef HAVE_QUEUES
#undef HAVE_MARKS
#undef VEC
#undef PIXEL
#undef NAME

#define PIXEL   uint16_t
#define NAME(x) x##_16
#include "measure/engine/delta_columns.inc"

#include "measure/engine/delta_entry.inc"

static bool usable(void)
{
	const unsigned need = CPU_AVX512 | CPU_AVX512VBMI2 | CPU_BMI2;

	return (cpu_features() & need) == need;
}

const struct delta_code delta_avx512 = {
	.name = "avx512",
	.usable = usable,
	.go_filtered = delta_go_filtered,
	.go_ids = delta_go_ids,
	.end = delta_end_columns,
};
#endif
