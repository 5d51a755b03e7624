#include "measure/array/array_elements.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/label_id.h"
#include "base/mem.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- blocks of bytes -------------------------------------------------------------------------------------------- */
/* Functions of always_inline, so that each caller compiles them for its instruction set. */

#define INLINED static inline __attribute__((always_inline))

typedef uint32_t tables[ELEMENTS_TABLES][256];

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

/* Where a block has an id: a bit of each element. */
AVX2 static inline uint64_t places_of(uint8_t id, __m256i low, __m256i high)
{
	const __m256i all = _mm256_set1_epi8((char)id);

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)) << 32;
}

/*
 * Blocks of a mask have few ids, most often those of their ends alone. Each is looked for in the whole block at once.
 * Returns false, with nothing counted, if there seem to be many.
 */
AVX2 static inline bool count_few(uint32_t (*two)[256], const uint8_t *v)
{
	const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)v);
	const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(v + 32));
	uint64_t first = places_of(v[0], low, high);
	uint64_t last = places_of(v[ELEMENTS_BLOCK - 1], low, high) & ~first;
	uint64_t left = ~(first | last);

	if (__builtin_popcountll(left) > 48)
		return false;
	two[0][v[0]] += (unsigned)__builtin_popcountll(first);
	two[1][v[ELEMENTS_BLOCK - 1]] += (unsigned)__builtin_popcountll(last);
	while (left) {
		uint8_t id = v[__builtin_ctzll(left)];
		uint64_t same = places_of(id, low, high) & left;

		two[0][id] += (unsigned)__builtin_popcountll(same);
		left &= ~same;
	}
	return true;
}
#else
#define AVX2
#define count_few(two, v) false
#endif

/* Blocks of one id, and of 0 and 1 alone, are counted at once. Otherwise neighbours go to different tables. */
INLINED void count_bytes(tables t, const uint8_t *v, size_t b, const bool avx2)
{
	uint8_t differ = 0, bits = 0, sum = 0;

	if (avx2 && count_few(&t[2 * b % ELEMENTS_TABLES], v))
		return;
	for (unsigned i = 0; !avx2 && i < ELEMENTS_BLOCK; i++) {
		differ |= (uint8_t)(v[i] ^ v[0]);
		bits |= v[i];
		sum = (uint8_t)(sum + v[i]);
	}
	if (!avx2 && !differ) {
		t[0][v[0]] += ELEMENTS_BLOCK;
	} else if (bits == 1) {
		t[0][0] += ELEMENTS_BLOCK - (uint32_t)sum;
		t[0][1] += (uint32_t)sum;
	} else {
		for (unsigned i = 0; i < ELEMENTS_BLOCK; i++)
			t[i % ELEMENTS_TABLES][v[i]]++;
	}
}

/* ---- integers --------------------------------------------------------------------------------------------------- */

/* A processor's own prefetching ends with a page. An address beyond the elements does no harm. */
enum { PREFETCH_BYTES = 2048 };

static inline uint64_t word_at(const uint8_t *v, size_t i)
{
	uint64_t word;

	memcpy(&word, v + i * sizeof(word), sizeof(word));
	return word;
}

/*
 * Elements are taken by words of eight bytes. The order within a block does not matter, but for the first and the last
 * element; so the low bytes of each word go between those of the words 64 bytes away.
 */
INLINED size_t count_ints_of(struct byte_counts *c, const uint8_t *v, const unsigned bytes, bool is_signed,
			     size_t blocks, const bool avx2)
{
	enum { WORDS = ELEMENTS_BLOCK / sizeof(uint64_t) };
	const uint64_t low = bytes == 8 ? 255 : bytes == 4 ? UINT64_C(0xff000000ff) : UINT64_C(0xff00ff00ff00ff);

	for (size_t b = 0; b < blocks; b++, v += bytes * ELEMENTS_BLOCK) {
		uint64_t bits = 0, beyond = 0, packed[WORDS];

		for (unsigned line = 0; line < bytes; line++)
			__builtin_prefetch(v + line * ELEMENTS_BLOCK + PREFETCH_BYTES);
		if (bytes == 1) {
			count_bytes(is_signed ? c->negative : c->small, v, b, avx2);
			continue;
		}
		for (unsigned i = 0; i < WORDS; i++) {
			packed[i] = 0;
			for (unsigned part = 0; part < bytes; part++) {
				const uint64_t word = word_at(v, part * WORDS + i);

				bits |= word;
				packed[i] |= (word & low) << 8 * part;
			}
		}
		const bool small = !(bits & ~low);

		if (!small && !is_signed)
			return b;
		/* in -128..127 each bit above the byte is that of the byte's sign */
		for (unsigned i = 0; !small && i < WORDS * bytes; i++)
			beyond |= word_at(v, i) ^ word_at(v, i) << 1;
		if (beyond & ~low)
			return b;
		count_bytes(small ? c->small : c->negative, (const uint8_t *)packed, b, avx2);
	}
	return blocks;
}

INLINED size_t count_ints(struct byte_counts *c, const void *v, unsigned bytes, bool is_signed, size_t blocks,
			  const bool avx2)
{
	switch (bytes) {
	case 1:
		return count_ints_of(c, v, 1, is_signed, blocks, avx2);
	case 2:
		return count_ints_of(c, v, 2, is_signed, blocks, avx2);
	case 4:
		return count_ints_of(c, v, 4, is_signed, blocks, avx2);
	default:
		return count_ints_of(c, v, 8, is_signed, blocks, avx2);
	}
}

AVX2 static size_t count_ints_avx2(struct byte_counts *c, const void *v, unsigned bytes, bool is_signed, size_t blocks)
{
	return count_ints(c, v, bytes, is_signed, blocks, true);
}

static bool has_avx2(void)
{
	return (cpu_features() & (CPU_AVX2 | CPU_BMI2)) == (CPU_AVX2 | CPU_BMI2);
}

size_t elements_count_ints(struct byte_counts *c, const void *v, unsigned bytes, bool is_signed, size_t blocks)
{
	if (has_avx2())
		return count_ints_avx2(c, v, bytes, is_signed, blocks);
	return count_ints(c, v, bytes, is_signed, blocks, false);
}

/* ---- floats ----------------------------------------------------------------------------------------------------- */

/*
 * The vectoriser may not touch comparisons of floats, because of NaN. So these loops use vectors of LANES bytes by hand
 * (16, which every x86-64 has; longer ones would be spilled), with integers of the same width for masks (all bits or
 * none) and counts.
 */
enum { LANES = 16 };
typedef float float_lanes __attribute__((vector_size(LANES)));
typedef double double_lanes __attribute__((vector_size(LANES)));
typedef int32_t float_masks __attribute__((vector_size(LANES)));
typedef int64_t double_masks __attribute__((vector_size(LANES)));

#define ALL(type, value) ((type){ 0 } + (value))
/* a where the mask is set, else b. */
#define SELECT(type, masks, mask, a, b) ((type)(((masks)(a) & (mask)) | ((masks)(b) & ~(mask))))

/*
 * WHOLE is the value from which on every value of the type is an integer. Adding it to a smaller value rounds that one
 * to the nearest integer (IEEE 754), which is then in the lowest bits; subtracting it again gives that integer. So a
 * value in 0..255 is an integer if it comes back unchanged, and its byte is the lowest of the sum. NaN fails all
 * comparisons.
 */
#define FLOAT_WHOLE  8388608.0f         /* 2^23 */
#define DOUBLE_WHOLE 4503599627370496.0 /* 2^52 */
_Static_assert(FLT_EVAL_METHOD == 0, "rounding by addition");

#define DEFINE_COUNT_FLOATS(name, type, types, integer, masks, WHOLE)                             \
	INLINED size_t name(struct byte_counts *c, const type *v, size_t blocks, const bool avx2) \
	{                                                                                         \
		enum { EACH = LANES / sizeof(type) };                                             \
		const types whole = ALL(types, WHOLE);                                            \
                                                                                                  \
		for (size_t b = 0; b < blocks; b++, v += ELEMENTS_BLOCK) {                        \
			integer sums[ELEMENTS_BLOCK];                                             \
			uint8_t low[ELEMENTS_BLOCK];                                              \
			masks right = ~(masks){ 0 };                                              \
                                                                                                  \
			for (unsigned i = 0; i < ELEMENTS_BLOCK; i += EACH) {                     \
				types x;                                                          \
                                                                                                  \
				memcpy(&x, v + i, LANES);                                         \
				types sum = x + whole;                                            \
                                                                                                  \
				right &= (x >= 0) & (x <= 255) & (sum - whole == x);              \
				memcpy(sums + i, &sum, LANES);                                    \
			}                                                                         \
			for (unsigned i = 0; i < EACH; i++)                                       \
				if (!right[i])                                                    \
					return b;                                                 \
			for (unsigned i = 0; i < ELEMENTS_BLOCK; i++)                             \
				low[i] = (uint8_t)sums[i];                                        \
			count_bytes(c->small, low, b, avx2);                                      \
		}                                                                                 \
		return blocks;                                                                    \
	}

DEFINE_COUNT_FLOATS(count_float, float, float_lanes, uint32_t, float_masks, FLOAT_WHOLE)
DEFINE_COUNT_FLOATS(count_double, double, double_lanes, uint64_t, double_masks, DOUBLE_WHOLE)

AVX2 static size_t count_floats_avx2(struct byte_counts *c, const void *v, unsigned bytes, size_t blocks)
{
	return bytes == 4 ? count_float(c, v, blocks, true) : count_double(c, v, blocks, true);
}

size_t elements_count_floats(struct byte_counts *c, const void *v, unsigned bytes, size_t blocks)
{
	if (has_avx2())
		return count_floats_avx2(c, v, bytes, blocks);
	return bytes == 4 ? count_float(c, v, blocks, false) : count_double(c, v, blocks, false);
}

/*
 * k / 255 times 255 differs from k by rounding only: 255 times half an ulp at 1 (2^-25 of float, 2^-12 of float16). The
 * tolerances of the callers leave a factor for earlier computations.
 */
#define DEFINE_FACTS(name, type, types, integer, masks, MAGNITUDE, WHOLE, MAXIMUM)                         \
	static void name(struct float_facts *f, const type *v, type tolerance, size_t n)                   \
	{                                                                                                  \
		enum { EACH = LANES / sizeof(type) };                                                      \
		const types whole = ALL(types, WHOLE), largest = ALL(types, MAXIMUM);                      \
		const masks magnitude = ALL(masks, MAGNITUDE);                                             \
		types min = ALL(types, (type)INFINITY), max = ALL(types, -(type)INFINITY),                 \
		      least = ALL(types, (type)INFINITY);                                                  \
		masks odd = { 0 }, infinite = { 0 }, fractions = { 0 }, of_255 = { 0 };                    \
                                                                                                           \
		for (size_t i = 0; i < n; i += EACH) {                                                     \
			types x = ALL(types, (type)INFINITY);                                              \
                                                                                                           \
			if (n - i >= EACH)                                                                 \
				memcpy(&x, v + i, LANES);                                                  \
			else                                                                               \
				memcpy(&x, v + i, (n - i) * sizeof(type));                                 \
			types a = (types)((masks)x & magnitude), scaled = a * 255;                         \
			types off = scaled - ((scaled + whole) - whole);                                   \
			masks finite = a <= largest;                                                       \
			masks fraction = (a < whole) & (((a + whole) - whole) != a);                       \
			masks close = ((types)((masks)off & magnitude) < tolerance) & (x > 0) & (x <= 1) & \
				      (scaled > (type)0.5);                                                \
			types low = SELECT(types, masks, finite, x, min);                                  \
			types high = SELECT(types, masks, finite, x, max);                                 \
			types lone = SELECT(types, masks, fraction, a, least);                             \
                                                                                                           \
			/* a set mask is -1 */                                                             \
			odd -= ~finite;                                                                    \
			infinite -= a > largest;                                                           \
			fractions -= fraction;                                                             \
			of_255 -= fraction & close;                                                        \
			min = SELECT(types, masks, low < min, low, min);                                   \
			max = SELECT(types, masks, high > max, high, max);                                 \
			least = SELECT(types, masks, lone < least, lone, least);                           \
		}                                                                                          \
		for (unsigned i = 0; i < EACH; i++) {                                                      \
			f->nan += (uint64_t)(odd[i] - infinite[i]);                                        \
			f->infinite += (uint64_t)infinite[i];                                              \
			f->fractions += (uint64_t)fractions[i];                                            \
			f->of_255 += (uint64_t)of_255[i];                                                  \
			f->min = min[i] < f->min ? min[i] : f->min;                                        \
			f->max = max[i] > f->max ? max[i] : f->max;                                        \
			f->least = least[i] < f->least ? least[i] : f->least;                              \
		}                                                                                          \
		/* the padding of the last vector */                                                       \
		f->infinite -= (EACH - n % EACH) % EACH;                                                   \
	}

DEFINE_FACTS(facts_float, float, float_lanes, int32_t, float_masks, INT32_MAX, FLOAT_WHOLE, FLT_MAX)
DEFINE_FACTS(facts_double, double, double_lanes, int64_t, double_masks, INT64_MAX, DOUBLE_WHOLE, DBL_MAX)

void elements_float_facts(struct float_facts *f, const void *v, unsigned bytes, bool half, size_t n)
{
	const float *singles = v;

	if (bytes == 8) {
		facts_double(f, v, 1e-4, n);
		return;
	}
	/* in pieces that cannot overflow the 32-bit counts */
	for (size_t piece; n; n -= piece, singles += piece) {
		piece = n < (size_t)1 << 30 ? n : (size_t)1 << 30;
		facts_float(f, singles, half ? 0.13f : 1e-3f, piece);
	}
}

/*
 * IEEE 754 binary16 has 1 sign bit, 5 exponent bits and 10 fraction bits. Shifted to the place of float's, the exponent
 * is too small by the difference of the biases, 127 - 15; a multiplication corrects that, for subnormals, too. Infinity
 * and NaN get float's largest exponent.
 */
void elements_widen_halves(float *out, const uint16_t *halves, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t magnitude = (uint32_t)(halves[i] & 0x7fff) << 13, sign = (uint32_t)(halves[i] & 0x8000) << 16;
		float v;

		memcpy(&v, &magnitude, sizeof(v));
		v *= 0x1p112f;
		memcpy(&magnitude, &v, sizeof(v));
		magnitude |= sign | ((halves[i] & 0x7c00) == 0x7c00 ? UINT32_C(0x7f800000) : 0);
		memcpy(&out[i], &magnitude, sizeof(v));
	}
}

/* ---- conversions ------------------------------------------------------------------------------------------------ */

void elements_swap(void *v, unsigned bytes, size_t n)
{
	uint16_t *v16 = v;
	uint32_t *v32 = v;
	uint64_t *v64 = v;

	for (size_t i = 0; bytes == 2 && i < n; i++)
		v16[i] = __builtin_bswap16(v16[i]);
	for (size_t i = 0; bytes == 4 && i < n; i++)
		v32[i] = __builtin_bswap32(v32[i]);
	for (size_t i = 0; bytes == 8 && i < n; i++)
		v64[i] = __builtin_bswap64(v64[i]);
}

/* Floats are converted through int32_t, which vector instructions can do. */
#define DEFINE_NARROW(name, type, through)                              \
	static void name(void *out, bool wide, const type *v, size_t n) \
	{                                                               \
		uint8_t *bytes = out;                                   \
		uint16_t *words = out;                                  \
                                                                        \
		for (size_t i = 0; wide && i < n; i++)                  \
			words[i] = (uint16_t)(through)v[i];             \
		for (size_t i = 0; !wide && i < n; i++)                 \
			bytes[i] = (uint8_t)(through)v[i];              \
	}

DEFINE_NARROW(narrow_8, uint8_t, uint8_t)
DEFINE_NARROW(narrow_16, uint16_t, uint16_t)
DEFINE_NARROW(narrow_32, uint32_t, uint32_t)
DEFINE_NARROW(narrow_64, uint64_t, uint64_t)
DEFINE_NARROW(narrow_float, float, int32_t)
DEFINE_NARROW(narrow_double, double, int32_t)

static void narrow_bool(uint8_t *out, const uint8_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = v[i] != 0;
}

void elements_narrow(void *out, bool wide, struct array_elements *from, size_t n)
{
	const void *v = from->v;

	from->v = (const uint8_t *)v + n * from->bytes;
	from->n -= n;
	if (from->is_bool)
		narrow_bool(out, v, n);
	else if (from->bytes == 1)
		narrow_8(out, wide, v, n);
	else if (from->bytes == 2)
		narrow_16(out, wide, v, n);
	else if (from->bytes == 4 && from->is_float)
		narrow_float(out, wide, v, n);
	else if (from->bytes == 4)
		narrow_32(out, wide, v, n);
	else if (from->is_float)
		narrow_double(out, wide, v, n);
	else
		narrow_64(out, wide, v, n);
}

#define DEFINE_NONZERO(name, type)                                                          \
	static void name(uint8_t *restrict on, const type *restrict v, type mask, size_t n) \
	{                                                                                   \
		for (size_t i = 0; i < n; i++)                                              \
			on[i] = (uint8_t)(on[i] + ((v[i] & mask) != 0));                    \
	}

DEFINE_NONZERO(nonzero_8, uint8_t)
DEFINE_NONZERO(nonzero_16, uint16_t)
DEFINE_NONZERO(nonzero_32, uint32_t)
DEFINE_NONZERO(nonzero_64, uint64_t)

void elements_add_nonzero(uint8_t *on, const void *v, unsigned bytes, bool is_float, size_t n)
{
	/* the sign of a float is masked out: -0.0 is zero */
	uint64_t mask = UINT64_MAX >> (64 - 8 * bytes + is_float);

	if (bytes == 1)
		nonzero_8(on, v, (uint8_t)mask, n);
	else if (bytes == 2)
		nonzero_16(on, v, (uint16_t)mask, n);
	else if (bytes == 4)
		nonzero_32(on, v, (uint32_t)mask, n);
	else
		nonzero_64(on, v, mask, n);
}

void elements_add_floats(float *sum, const void *v, unsigned bytes, size_t n)
{
	const float *floats = v;
	const double *doubles = v;

	for (size_t i = 0; bytes == 4 && i < n; i++)
		sum[i] += floats[i];
	for (size_t i = 0; bytes == 8 && i < n; i++)
		sum[i] += (float)doubles[i];
}

/* Exact in a double; INT64_MAX is not. */
#define TWO_TO_63 9223372036854775808.0

enum element_value element_value(const void *v, unsigned bytes, bool is_signed, bool is_float, size_t i, int64_t *id)
{
	if (is_float) {
		const double x = element_double(v, bytes, i);

		if (!(x == trunc(x)) || isinf(x)) /* NaN equals nothing */
			return VALUE_OTHER;
		if (x < -TWO_TO_63 || x >= TWO_TO_63)
			return VALUE_BEYOND;
		*id = (int64_t)x;
		return id_is_label(*id) ? VALUE_ID : VALUE_BEYOND;
	}
	*id = is_signed ? element_signed(v, bytes, i) : (int64_t)element_bits(v, bytes, i);
	return (is_signed || *id >= 0) && id_is_label(*id) ? VALUE_ID : VALUE_BEYOND;
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

#define FOR_EACH_WIDTH(DO) DO(8) DO(16) DO(32) DO(64)

/* Four at a time: that two neighbours are equal makes the second wait for the first, but not those after it. */
#define DEFINE_TOKENS(bits)                                                                                   \
	static void count_all_##bits(uint64_t *labels, const uint##bits##_t *v, size_t n)                     \
	{                                                                                                     \
		size_t i = 0;                                                                                 \
                                                                                                              \
		for (; i + 4 <= n; i += 4) {                                                                  \
			labels[v[i]]++;                                                                       \
			labels[v[i + 1]]++;                                                                   \
			labels[v[i + 2]]++;                                                                   \
			labels[v[i + 3]]++;                                                                   \
		}                                                                                             \
		for (; i < n; i++)                                                                            \
			labels[v[i]]++;                                                                       \
	}                                                                                                     \
	static size_t count_known_##bits(uint64_t *labels, uint64_t below, const uint##bits##_t *v, size_t n) \
	{                                                                                                     \
		size_t i = 0;                                                                                 \
                                                                                                              \
		for (size_t end; i < n && v[i] < below && labels[v[i]]; i = end) {                            \
			for (end = i + 1; end < n && v[end] == v[i];)                                         \
				end++;                                                                        \
			labels[v[i]] += end - i;                                                              \
		}                                                                                             \
		return i;                                                                                     \
	}                                                                                                     \
	static inline __attribute__((always_inline)) uint64_t max_##bits(const uint##bits##_t *v, size_t n)   \
	{                                                                                                     \
		uint##bits##_t most = 0;                                                                      \
                                                                                                              \
		for (size_t i = 0; i < n; i++)                                                                \
			most = v[i] > most ? v[i] : most;                                                     \
		return most;                                                                                  \
	}                                                                                                     \
	static void add_small_##bits(uint64_t small[2], const uint##bits##_t *v, size_t n)                    \
	{                                                                                                     \
		for (size_t i = 0; i < n; i++)                                                                \
			small[i % 2] += v[i] < ELEMENT_SMALL;                                                 \
	}
FOR_EACH_WIDTH(DEFINE_TOKENS)

void elements_count_all(uint64_t *labels, const void *v, unsigned bytes, size_t n)
{
	switch (bytes) {
	case 1:
		count_all_8(labels, v, n);
		break;
	case 2:
		count_all_16(labels, v, n);
		break;
	case 4:
		count_all_32(labels, v, n);
		break;
	default:
		count_all_64(labels, v, n);
	}
}

size_t elements_count_known(uint64_t *labels, uint64_t below, const void *v, unsigned bytes, size_t n)
{
	switch (bytes) {
	case 1:
		return count_known_8(labels, below, v, n);
	case 2:
		return count_known_16(labels, below, v, n);
	case 4:
		return count_known_32(labels, below, v, n);
	default:
		return count_known_64(labels, below, v, n);
	}
}

static inline __attribute__((always_inline)) uint64_t max_of(const void *v, unsigned bytes, size_t n)
{
	return bytes == 1 ? max_8(v, n) : bytes == 2 ? max_16(v, n) : bytes == 4 ? max_32(v, n) : max_64(v, n);
}

AVX2 static uint64_t max_avx2(const void *v, unsigned bytes, size_t n)
{
	return max_of(v, bytes, n);
}

uint64_t elements_max(const void *v, unsigned bytes, size_t n)
{
	return has_avx2() ? max_avx2(v, bytes, n) : max_of(v, bytes, n);
}

void elements_add_small(uint64_t small[2], const void *v, unsigned bytes, size_t n)
{
	switch (bytes) {
	case 1:
		add_small_8(small, v, n);
		break;
	case 2:
		add_small_16(small, v, n);
		break;
	case 4:
		add_small_32(small, v, n);
		break;
	default:
		add_small_64(small, v, n);
	}
}
