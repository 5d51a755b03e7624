/* The strip for AVX-512 with VBMI2: Ice Lake, Zen 4 and later. See fast_strip_columns.inc. */
#include "measure/fast_strip.h"

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

#include "measure/fast_strip_words.inc"

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

/* Whether a differs from b & word where valid is 0xff. */
CODE bool unlike_8(struct vec_8 a, struct vec_8 b, uint64_t word, struct vec_8 valid)
{
	__m512i other = _mm512_and_si512(b.v, _mm512_set1_epi64((int64_t)word));

	return _mm512_test_epi32_mask(_mm512_xor_si512(a.v, other), valid.v) != 0;
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
/* content_mix of 8 numbers. */
CODE void mix_8(__m512i n, __m512i mixed[2])
{
	n = _mm512_mullo_epi64(n, _mm512_set1_epi64((int64_t)CONTENT_MULTIPLY_1));
	n = _mm512_xor_si512(n, _mm512_srli_epi64(n, CONTENT_FOLD_1));
	n = _mm512_mullo_epi64(n, _mm512_set1_epi64((int64_t)CONTENT_MULTIPLY_2));
	n = _mm512_xor_si512(n, _mm512_srli_epi64(n, CONTENT_FOLD_2));
	mixed[0] = n;
	n = _mm512_mullo_epi64(n, _mm512_set1_epi64((int64_t)CONTENT_MULTIPLY_3));
	mixed[1] = _mm512_xor_si512(n, _mm512_srli_epi64(n, CONTENT_FOLD_3));
}

CODE __m512i widen_bytes(const uint8_t *p)
{
	return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)p));
}

CODE __m512i widen_words(const uint16_t *p)
{
	return _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)p));
}

/* What the changes add to the content key. */
CODE void drain_content(struct strip *s, const struct strip_queues *q)
{
	const __m512i columns = _mm512_set1_epi64((int64_t)CONTENT_COLUMNS),
		      all_rows = _mm512_set1_epi64((int64_t)(s->height - q->first_row + CONTENT_ROWS));
	struct content_pair no_rows = content_mix(CONTENT_ROWS);
	__m512i sum[2] = { _mm512_setzero_si512(), _mm512_setzero_si512() };

	for (size_t i = 0; i < q->changes; i += 8) {
		size_t rest = q->changes - i;
		__mmask8 here = (__mmask8)_bzhi_u32(0xff, rest < 8 ? (unsigned)rest : 8);
		__m512i ids = _mm512_maskz_sub_epi64(here, widen_bytes(q->to + i), widen_bytes(q->from + i));
		__m512i x = _mm512_slli_epi64(widen_words(q->block + i), 6);
		__m512i start[2], end[2], row[2];

		x = _mm512_add_epi64(_mm512_add_epi64(x, columns), widen_bytes(q->place + i));
		mix_8(x, start);
		mix_8(_mm512_add_epi64(x, widen_bytes(q->pixels + i)), end);
		mix_8(_mm512_sub_epi64(all_rows, widen_words(q->row + i)), row);
		for (unsigned j = 0; j < 2; j++) {
			__m512i rows = _mm512_sub_epi64(row[j], _mm512_set1_epi64((int64_t)no_rows.v[j]));
			__m512i place = _mm512_mullo_epi64(_mm512_sub_epi64(start[j], end[j]), rows);

			sum[j] = _mm512_add_epi64(sum[j], _mm512_mullo_epi64(ids, place));
		}
	}
	for (unsigned j = 0; j < 2; j++) {
		uint64_t lanes[8];

		_mm512_storeu_si512(lanes, sum[j]);
		for (unsigned i = 0; i < 8; i++)
			s->content[j] += lanes[i];
	}
}

/* Bytes of a table of 256. */
CODE __m512i look_up(const uint8_t *table, __m512i ids)
{
	__m512i low = _mm512_permutex2var_epi8(_mm512_load_si512(table), ids, _mm512_load_si512(table + 64));
	__m512i high = _mm512_permutex2var_epi8(_mm512_load_si512(table + 128), ids, _mm512_load_si512(table + 192));

	return _mm512_mask_blend_epi8(_mm512_movepi8_mask(ids), low, high);
}

CODE void place_8(struct strip *s, uint32_t old, uint32_t fresh, size_t x, unsigned n, uint32_t y);

/* Where ids are that are no classes, if any: rarely. */
CODE void drain_places(struct strip *s, const struct strip_queues *q)
{
	for (size_t i = 0; i < q->changes; i += 64) {
		__m512i from = look_up(s->invalid, _mm512_loadu_si512(q->from + i));
		__m512i to = look_up(s->invalid, _mm512_loadu_si512(q->to + i));
		uint64_t here = q->changes - i < 64 ? (UINT64_C(1) << (q->changes - i)) - 1 : UINT64_MAX;

		for (uint64_t bad = _mm512_movepi8_mask(_mm512_or_si512(from, to)) & here; bad; bad &= bad - 1) {
			size_t at = i + (unsigned)__builtin_ctzll(bad);

			place_8(s, q->from[at], q->to[at], (size_t)q->block[at] * STRIP_BLOCK + q->place[at],
				q->pixels[at], q->first_row + q->row[at]);
		}
	}
}

/* The rows that are to come, of those that the queues count from. */
CODE void drain_rows(struct strip *s, struct strip_run_queue *q, int64_t rows, int64_t sign)
{
	for (size_t i = 0; i < q->count; i++)
		s->ids[q->id[i]].runs[q->kind[i]] += (rows - q->row[i]) * sign;
	q->count = 0;
}

CODE void drain_queues_8(struct strip *s)
{
	struct strip_queues *q = &s->queues;
	int64_t rows = (int64_t)(s->height - q->first_row);

	drain_places(s, q);
	drain_content(s, q);
	for (size_t i = 0; i < q->changes; i++) {
		int64_t labels = (rows - q->row[i]) * q->pixels[i];

		s->labels[q->from[i]] -= labels;
		s->labels[q->to[i]] += labels;
	}
	q->changes = 0;
	drain_rows(s, &q->come, rows, 1);
	drain_rows(s, &q->gone, rows, -1);
	for (size_t i = 0; i < q->columns.count; i++)
		s->ids[q->columns.id[i]].runs[SHORT_COLUMN + q->columns.kind[i]] += q->columns.pixels[i];
	q->columns.count = 0;
	q->first_row = s->y;
}

/* Before changes are appended, or runs to one of the queues. */
CODE void make_room(struct strip *s, size_t count)
{
	if (__builtin_expect(count > STRIP_QUEUE, 0))
		drain_queues_8(s);
}

/* Before events of a group of rows are gone through: so many rows must be told apart. */
CODE void begin_events_8(struct strip *s)
{
	if (__builtin_expect(s->y + STRIP_GROUP - s->queues.first_row >= STRIP_QUEUE_ROWS, 0))
		drain_queues_8(s);
}

/* The first n of these bytes; there are rarely more than 8. */
CODE void append_bytes(uint8_t *at, __m512i bytes, unsigned n)
{
	_mm_storeu_si128((__m128i *)at, _mm512_castsi512_si128(bytes));
	if (__builtin_expect(n > 8, 0))
		_mm512_storeu_si512(at, bytes);
}

/* The same number n times. */
CODE void append_same(uint16_t *at, uint32_t v, unsigned n)
{
	_mm_storeu_si128((__m128i *)at, _mm_set1_epi16((short)v));
	if (__builtin_expect(n > 8, 0)) {
		_mm512_storeu_si512(at, _mm512_set1_epi16((short)v));
		_mm512_storeu_si512(at + 32, _mm512_set1_epi16((short)v));
	}
}

/* Pieces of bits side by side: where each begins, and how many these are. */
struct pieces {
	__m512i first, bits;
	unsigned count;
};

/* Of the bits in `all` those between `starts`, which are some of them. */
CODE struct pieces pieces_of(uint64_t all, uint64_t starts)
{
	const __m512i places =
		_mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
				41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
				19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	/* the last of a piece is one behind which no other of it comes */
	uint64_t ends = all & ~((all & ~starts) >> 1);
	__m512i first = _mm512_maskz_compress_epi8(starts, places), last = _mm512_maskz_compress_epi8(ends, places);

	return (struct pieces){ first, _mm512_sub_epi8(_mm512_add_epi8(last, _mm512_set1_epi8(1)), first),
				(unsigned)__builtin_popcountll(starts) };
}

CODE void queue_labels_8(struct strip *s, const uint8_t *old, const uint8_t *fresh, uint64_t changed, uint64_t starts,
			 size_t x0, uint32_t y)
{
	struct strip_queues *q = &s->queues;
	struct pieces p = pieces_of(changed, starts);
	unsigned n = p.count;

	make_room(s, q->changes);
	size_t at = q->changes;

	append_bytes(q->from + at, _mm512_maskz_compress_epi8(starts, _mm512_load_si512(old)), n);
	append_bytes(q->to + at, _mm512_maskz_compress_epi8(starts, _mm512_load_si512(fresh)), n);
	append_bytes(q->pixels + at, p.bits, n);
	append_bytes(q->place + at, p.first, n);
	append_same(q->block + at, (uint32_t)(x0 / STRIP_BLOCK), n);
	append_same(q->row + at, y - q->first_row, n);
	q->changes = at + n;
}

CODE __m512i kinds_of(const struct strip_runs *r)
{
	return _mm512_or_si512(_mm512_maskz_set1_epi8(r->single, SHORT_SINGLE),
			       _mm512_or_si512(_mm512_maskz_set1_epi8(r->lone, SHORT_LONE),
					       _mm512_maskz_set1_epi8(r->between, SHORT_BETWEEN)));
}

CODE void queue_runs(struct strip_run_queue *q, const struct strip_runs *r, struct vec_8 ids)
{
	unsigned n = (unsigned)__builtin_popcountll(r->all);

	append_bytes(q->id + q->count, _mm512_maskz_compress_epi8(r->all, ids.v), n);
	append_bytes(q->kind + q->count, _mm512_maskz_compress_epi8(r->all, kinds_of(r)), n);
	q->count += n;
}

CODE void runs_come_8(struct strip *s, const struct strip_runs *r, struct vec_8 ids, uint32_t y)
{
	struct strip_run_queue *q = &s->queues.come;

	make_room(s, q->count);
	append_same(q->row + q->count, y - s->queues.first_row, (unsigned)__builtin_popcountll(r->all));
	queue_runs(q, r, ids);
}

CODE void runs_go_8(struct strip *s, const struct strip_runs *r, struct vec_8 ids, uint32_t y)
{
	struct strip_run_queue *q = &s->queues.gone;

	make_room(s, q->count);
	append_same(q->row + q->count, y - s->queues.first_row, (unsigned)__builtin_popcountll(r->all));
	queue_runs(q, r, ids);
}

CODE void columns_end_8(struct strip *s, const struct strip_runs *r, uint64_t transitions, struct vec_8 ids)
{
	struct strip_run_queue *q = &s->queues.columns;
	uint64_t kinds = (r->single ^ r->single << 1) | (r->lone ^ r->lone << 1) | (r->between ^ r->between << 1);
	uint64_t starts = r->all & (~(r->all << 1) | transitions | kinds);
	struct pieces p = pieces_of(r->all, starts);

	make_room(s, q->count);
	append_bytes(q->id + q->count, _mm512_maskz_compress_epi8(starts, ids.v), p.count);
	append_bytes(q->kind + q->count, _mm512_maskz_compress_epi8(starts, kinds_of(r)), p.count);
	append_bytes(q->pixels + q->count, p.bits, p.count);
	q->count += p.count;
}

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
#include "measure/fast_strip_columns.inc"
/* needs the above */
#include "measure/fast_strip_filters.inc"
#undef HAVE_QUEUES
#undef VEC
#undef PIXEL
#undef NAME

#define PIXEL   uint16_t
#define NAME(x) x##_16
#include "measure/fast_strip_columns.inc"

#include "measure/fast_strip_entry.inc"

static bool usable(void)
{
	const unsigned need = CPU_AVX512 | CPU_AVX512VBMI2 | CPU_BMI2;

	/* every processor with VBMI2 has VBMI, but nothing promises it */
	return (cpu_features() & need) == need && __builtin_cpu_supports("avx512vbmi");
}

const struct strip_code strip_avx512 = {
	.name = "avx512",
	.usable = usable,
	.go_filtered = strip_go_filtered,
	.go_ids = strip_go_ids,
	.end = strip_end_columns,
};
#endif
