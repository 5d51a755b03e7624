#include "base/json_block.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/cpu.h"

#if defined(__SSE2__)

/* Bit i of each is set if byte i is of that class. */
struct block {
	uint64_t digit, zero, point, minus, comma, space;
};

static uint64_t bits_of(__m128i v, unsigned i)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(v) << 16 * i;
}

static struct block classify(const uint8_t *s)
{
	struct block b = { 0 };

	for (unsigned i = 0; i < JSON_BLOCK / 16; i++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s + 16 * (size_t)i));

		b.digit |= bits_of(_mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('0' - 1)),
						 _mm_cmplt_epi8(v, _mm_set1_epi8('9' + 1))),
				   i);
		b.zero |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('0')), i);
		b.point |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('.')), i);
		b.minus |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('-')), i);
		b.comma |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), i);
		b.space |= bits_of(
			_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))), i);
	}
	return b;
}

static inline __attribute__((always_inline)) bool find(const uint8_t *s, struct block b, struct json_numbers *out)
{
	const uint64_t other = ~(b.digit | b.point | b.minus | b.comma | b.space), stop = other & -other;
	uint64_t ends = b.comma & (stop - 1), within; /* before the first other byte; stop is 0 without one */

	out->closed = stop && s[__builtin_ctzll(stop)] == ']' && stop & b.digit << 1;
	ends |= out->closed ? stop : 0;
	if (!ends)
		return false;
	within = UINT64_MAX >> __builtin_clzll(ends);

	const uint64_t number = b.digit | b.minus | b.point;
	const uint64_t first = number & ~(number << 1);                      /* bytes of numbers */
	const uint64_t starts = (first & ~b.minus) | (first & b.minus) << 1; /* where their first digits must be */
	/* The sums carry from the first digit, and from the byte after each point, to the byte after the digits. */
	const uint64_t wholes = (starts + b.digit) & ~b.digit, after_fraction = ((b.point << 1) + b.digit) & ~b.digit;
	const uint64_t wrong = (b.minus & ~first) | (starts & ~b.digit) | (b.point & ~(b.digit << 1)) |
			       (b.point << 1 & ~b.digit) | (b.point & after_fraction) |
			       ((starts & b.zero) << 1 & b.digit) | (b.comma & ~(b.digit << 1)) |
			       (b.space & b.digit << 1);

	out->starts = starts & within;
	out->wholes = wholes & within;
	out->ends = ends;
	out->negative = b.minus << 1 & within;
	return !(wrong & within);
}

#endif

/* ---- AVX2 -------------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

AVX2 static inline uint64_t wide_bits(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

AVX2 static inline uint64_t equal_bits(__m256i low, __m256i high, char c)
{
	return wide_bits(_mm256_cmpeq_epi8(low, _mm256_set1_epi8(c)), _mm256_cmpeq_epi8(high, _mm256_set1_epi8(c)));
}

AVX2 static inline __m256i are_digits(__m256i v)
{
	const __m256i digits = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));

	return _mm256_cmpeq_epi8(_mm256_min_epu8(digits, _mm256_set1_epi8(9)), digits);
}

AVX2 static inline struct block classify_avx2(const uint8_t *s)
{
	const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)s);
	const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(s + 32));

	return (struct block){
		.digit = wide_bits(are_digits(low), are_digits(high)),
		.zero = equal_bits(low, high, '0'),
		.point = equal_bits(low, high, '.'),
		.minus = equal_bits(low, high, '-'),
		.comma = equal_bits(low, high, ','),
		.space = equal_bits(low, high, ' ') | equal_bits(low, high, '\n'),
	};
}

enum { SHORT_BYTES = 8 };

/*
 * For a number of `bytes` with `part` bytes from its point on (0: it has none): for each of eight places where its
 * digits belong, the last one to the right, which byte that is; 0x80: a zero before it.
 */
#define DIGITS(bytes, part)     ((bytes) - ((part) > 0))
#define PLACE(bytes, part, n)   ((n) < 0 ? 0x80 : (n) + ((part) > 0 && (n) >= (bytes) - (part)))
#define BYTE_OF(bytes, part, i) (uint8_t)(PLACE(bytes, part, (i)-8 + DIGITS(bytes, part)))
#define ROW(bytes, part)                                                                                            \
	{                                                                                                           \
		BYTE_OF(bytes, part, 0), BYTE_OF(bytes, part, 1), BYTE_OF(bytes, part, 2), BYTE_OF(bytes, part, 3), \
			BYTE_OF(bytes, part, 4), BYTE_OF(bytes, part, 5), BYTE_OF(bytes, part, 6),                  \
			BYTE_OF(bytes, part, 7)                                                                     \
	}
#define ROWS(bytes)                                                                                       \
	{                                                                                                 \
		ROW(bytes, 0), ROW(bytes, 1), ROW(bytes, 2), ROW(bytes, 3), ROW(bytes, 4), ROW(bytes, 5), \
			ROW(bytes, 6), ROW(bytes, 7)                                                      \
	}

static const uint8_t digit_bytes[SHORT_BYTES + 1][SHORT_BYTES][8] = { ROWS(0), ROWS(1), ROWS(2), ROWS(3), ROWS(4),
								      ROWS(5), ROWS(6), ROWS(7), ROWS(8) };
/* The divisor of a number, by its bytes from the point on. */
static const double part_tens[SHORT_BYTES] = { 1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6 };

AVX2 static inline __m128i two_words(const void *low, const void *high)
{
	return _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(_mm_loadl_epi64(low)), high));
}

/* Where a number is read, and how. */
struct number_place {
	const uint8_t *bytes, *order;
	const double *ten;
};

/* Takes the next number; if there is none, one of no digits. */
AVX2 static inline struct number_place next_number(const uint8_t *s, struct json_numbers *n)
{
	const uint64_t start = _tzcnt_u64(n->starts), end = _tzcnt_u64(n->ends), part = end - _tzcnt_u64(n->wholes);

	n->starts = _blsr_u64(n->starts);
	n->wholes = _blsr_u64(n->wholes);
	n->ends = _blsr_u64(n->ends);
	return (struct number_place){ s + start, digit_bytes[end - start][part], &part_tens[part] };
}

/* Returns the digits of the next four numbers, each as an integer. */
AVX2 static inline __m256i read_digits(const struct number_place at[4])
{
	const __m256i text = _mm256_set_m128i(two_words(at[2].bytes, at[3].bytes), two_words(at[0].bytes, at[1].bytes));
	const __m256i order =
		_mm256_set_m128i(two_words(at[2].order, at[3].order), two_words(at[0].order, at[1].order));
	const __m256i second = _mm256_set_epi64x(0x0808080808080808, 0, 0x0808080808080808, 0);
	const __m256i digits =
		_mm256_shuffle_epi8(_mm256_sub_epi8(text, _mm256_set1_epi8('0')), _mm256_add_epi8(order, second));
	const __m256i fours = _mm256_madd_epi16(_mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10)),
						_mm256_set1_epi32(1 << 16 | 100));

	return _mm256_add_epi64(_mm256_mul_epu32(fours, _mm256_set1_epi64x(10000)), _mm256_srli_epi64(fours, 32));
}

AVX2 static inline __m256d divide(__m256i digits, const struct number_place at[4])
{
	const __m256i tens = _mm256_set_m128i(two_words(at[2].ten, at[3].ten), two_words(at[0].ten, at[1].ten));
	/* below 2^52, an integer is the fraction of a double of that exponent */
	const __m256d base = _mm256_set1_pd(0x1p52);
	const __m256d value =
		_mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(digits, _mm256_castpd_si256(base))), base);

	return _mm256_div_pd(value, _mm256_castsi256_pd(tens));
}

/* Returns whether each number ends within SHORT_BYTES after its first digit. */
AVX2 static inline bool are_short(const struct json_numbers *n)
{
	uint64_t near =
		n->ends | n->ends >> 1; /* bit i: a number ends at byte i or one of the 7 after it, in the end */

	near |= near >> 2;
	near |= near >> 4;
	return !(n->starts & ~(near >> 1));
}

/* Reads short numbers as `values` or, if they have no points, as `ids`; the other is NULL. Returns how many. */
AVX2 static inline __attribute__((always_inline)) size_t read_numbers(const uint8_t *s, struct json_numbers n,
								      double *values, int64_t *ids)
{
	const uint64_t starts = n.starts;

	for (size_t i = 0; n.starts; i += 4) {
		const struct number_place at[4] = { next_number(s, &n), next_number(s, &n), next_number(s, &n),
						    next_number(s, &n) };
		const __m256i digits = read_digits(at);

		if (ids)
			_mm256_storeu_si256((__m256i *)(void *)(ids + i), digits);
		else
			_mm256_storeu_pd(values + i, divide(digits, at));
	}
	for (uint64_t left = n.negative; left; left = _blsr_u64(left)) {
		const size_t i = (size_t)_mm_popcnt_u64(starts & (_blsi_u64(left) - 1));

		if (ids)
			ids[i] = -ids[i];
		else
			values[i] = -values[i];
	}
	return (size_t)_mm_popcnt_u64(starts);
}

AVX2 static size_t read_block_avx2(const uint8_t *s, struct json_numbers *out, double values[JSON_BLOCK_NUMBERS])
{
	struct json_numbers n;

	out->ends = 0;
	if (!find(s, classify_avx2(s), &n))
		return 0;
	out->ends = n.ends;
	if (are_short(&n))
		return read_numbers(s, n, values, NULL);
	*out = n;
	return 0;
}

AVX2 static size_t read_ids_avx2(const uint8_t *s, struct json_numbers *out, int64_t ids[JSON_BLOCK_NUMBERS])
{
	const bool found = find(s, classify_avx2(s), out);

	return found && out->ends == out->wholes && are_short(out) ? read_numbers(s, *out, NULL, ids) : 0;
}

AVX2 static bool find_avx2(const uint8_t *s, struct json_numbers *out)
{
	return find(s, classify_avx2(s), out);
}

static bool has_avx2(void)
{
	const unsigned need = CPU_AVX2 | CPU_BMI2;

	return (cpu_features() & need) == need;
}

bool json_find_numbers(const uint8_t *s, struct json_numbers *out)
{
	return has_avx2() ? find_avx2(s, out) : find(s, classify(s), out);
}

size_t json_read_block(const uint8_t *s, struct json_numbers *out, double values[JSON_BLOCK_NUMBERS])
{
	if (has_avx2())
		return read_block_avx2(s, out, values);
	out->ends = find(s, classify(s), out) ? out->ends : 0;
	return 0;
}

size_t json_read_ids(const uint8_t *s, struct json_numbers *out, int64_t ids[JSON_BLOCK_NUMBERS])
{
	return has_avx2() ? read_ids_avx2(s, out, ids) : 0;
}

#else

bool json_find_numbers(const uint8_t *s, struct json_numbers *out)
{
#if defined(__SSE2__)
	return find(s, classify(s), out);
#else
	return (void)s, (void)out, false;
#endif
}

size_t json_read_block(const uint8_t *s, struct json_numbers *out, double values[JSON_BLOCK_NUMBERS])
{
	(void)values;
	out->ends = json_find_numbers(s, out) ? out->ends : 0;
	return 0;
}

size_t json_read_ids(const uint8_t *s, struct json_numbers *out, int64_t ids[JSON_BLOCK_NUMBERS])
{
	return (void)s, (void)out, (void)ids, 0;
}

#endif
