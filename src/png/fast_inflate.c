#include "png/fast_inflate.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"
#include "base/guard.h"
#include "base/mem.h"

enum {
	/* Bytes that a symbol may load: 8 at `in`, move it by up to 7, and load 8 again. */
	SYMBOL_LEFT = 7 + sizeof(uint64_t),
};

/*
 * Loads bits, the first one lowest, until there are at least 56. *in is then up to 8 bytes past the last consumed one.
 *
 * used: 63 minus the number of bits, in the low 6 bits. The others are ignored: they hold carries and the other fields
 * of cells, which are added whole.
 */
static inline void refill(const uint8_t **in, uint64_t *bits, uint64_t *used)
{
	uint64_t word;

	memcpy(&word, *in, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	*bits |= word << (~*used & 63);
	*in += *used >> 3 & 7;
	*used &= 7;
}

/* Refills for block headers; false after the end of the input. */
static bool load(struct inflate *z)
{
	if (z->in > z->in_end + sizeof(uint64_t))
		return false;
	refill(&z->in, &z->bits, &z->bits_used);
	return true;
}

static unsigned take(struct inflate *z, unsigned n)
{
	unsigned v = (unsigned)(z->bits & ((UINT64_C(1) << n) - 1));

	z->bits >>= n;
	z->bits_used += n;
	return v;
}

/* RFC 1951, section 3.2.6. */
static bool build_fixed(struct inflate *z)
{
	struct huffman_code litlens, distances;

	if (z->fixed) /* building them would take half the time of a small file */
		return true;
	litlens.count = distances.count = 0;
	for (unsigned i = 0; i < LITLEN_SYMBOLS; i++)
		huffman_add(&litlens, i, i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
	for (unsigned i = 0; i < DISTANCE_SYMBOLS; i++)
		huffman_add(&distances, i, 5);
	z->fixed = huffman_litlen_table(z->litlen, &litlens) && huffman_distance_table(z->distance, &distances);
	return z->fixed;
}

/* Reads the code of the codeword lengths. */
static bool read_precode(struct inflate *z, unsigned count, uint64_t table[PRECODE_TABLE_SIZE])
{
	static const uint8_t order[PRECODE_SYMBOLS] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
	};
	uint8_t bits[PRECODE_SYMBOLS] = { 0 };
	struct huffman_code code;

	for (unsigned i = 0; i < count; i++) {
		if (i % 8 == 0 && !load(z))
			return false;
		bits[order[i]] = (uint8_t)take(z, 3);
	}
	code.count = 0;
	for (unsigned i = 0; i < PRECODE_SYMBOLS; i++)
		huffman_add(&code, i, bits[i]);
	return huffman_precode_table(table, &code);
}

/* Both codes of a block, whose codeword lengths follow each other in the header. */
struct both_codes {
	unsigned litlens; /* number of symbols of the first one */
	struct huffman_code litlen, distance;
};

static void add_bits(struct both_codes *codes, unsigned i, unsigned bits)
{
	if (i < codes->litlens)
		huffman_add(&codes->litlen, i, bits);
	else
		huffman_add(&codes->distance, i - codes->litlens, bits);
}

static bool read_lengths(struct inflate *z, const uint64_t *precode, struct both_codes *codes, unsigned symbols)
{
	unsigned last = 0; /* the previous length */

	for (unsigned i = 0; i < symbols;) {
		if (!load(z))
			return false;
		uint64_t cell = precode[z->bits & (PRECODE_TABLE_SIZE - 1)];
		unsigned symbol = cell_base(cell), repeat;

		take(z, cell_bits(cell));
		if (symbol < 16) {
			last = symbol;
			add_bits(codes, i++, last);
			continue;
		}
		if (symbol == 16) {
			if (!i)
				return false;
			repeat = 3 + take(z, 2);
		} else {
			repeat = symbol == 17 ? 3 + take(z, 3) : 11 + take(z, 7);
			last = 0;
		}
		if (repeat > symbols - i)
			return false;
		for (unsigned end = i + repeat; last && i < end; i++)
			add_bits(codes, i, last);
		i += last ? 0 : repeat;
	}
	return true;
}

static bool has_end_of_block(const struct huffman_code *litlen)
{
	unsigned i = litlen->count;

	while (i && litlen->symbols[i - 1] > END_OF_BLOCK)
		i--;
	return i && litlen->symbols[i - 1] == END_OF_BLOCK;
}

static bool read_codes(struct inflate *z)
{
	uint64_t precode[PRECODE_TABLE_SIZE];
	struct both_codes codes;

	if (!load(z))
		return false;
	codes.litlens = take(z, 5) + 257;
	unsigned distances = take(z, 5) + 1, pres = take(z, 4) + 4;

	if (codes.litlens > 286 || distances > 30 || !read_precode(z, pres, precode))
		return false;
	codes.litlen.count = codes.distance.count = 0;
	z->fixed = false;
	if (!read_lengths(z, precode, &codes, codes.litlens + distances) || !has_end_of_block(&codes.litlen))
		return false;
	return huffman_litlen_table(z->litlen, &codes.litlen) && huffman_distance_table(z->distance, &codes.distance);
}

/* Returns the first byte of which no bit is consumed. */
static const uint8_t *whole_bytes(const struct inflate *z)
{
	return z->in - (63 - (z->bits_used & 63)) / 8;
}

static bool read_stored(struct inflate *z)
{
	const uint8_t *p = whole_bytes(z);

	if (p > z->in_end || z->in_end - p < 4)
		return false;
	z->stored = le16(p);
	if ((z->stored ^ 0xffff) != le16(p + 2))
		return false;
	z->in = p + 4;
	z->bits = 0;
	z->bits_used = 63;
	return true;
}

static bool read_header(struct inflate *z)
{
	if (!load(z))
		return false;
	z->last_block = take(z, 1);
	switch (take(z, 2)) {
	case 0:
		z->state = INFLATE_STORED;
		return read_stored(z);
	case 1:
		z->state = INFLATE_CODES;
		return build_fixed(z);
	case 2:
		z->state = INFLATE_CODES;
		return read_codes(z);
	default:
		return false;
	}
}

static enum inflate_result copy_stored(struct inflate *z, uint8_t **out, const uint8_t *limit)
{
	size_t want = MIN((size_t)z->stored, (size_t)(limit - *out)), n;

	if (z->in > z->in_end)
		return INFLATE_BAD;
	n = MIN(want, (size_t)(z->in_end - z->in));
	if (n < want && z->last_piece)
		return INFLATE_BAD;
	memcpy(*out, z->in, n);
	*out += n;
	z->in += n;
	z->stored -= (uint32_t)n;
	if (n < want)
		return INFLATE_WAITS;
	if (z->stored)
		return INFLATE_MORE;
	z->state = INFLATE_HEADER;
	return INFLATE_END;
}

/* 16 and 32 bytes of any type, not aligned. */
typedef uint8_t piece_16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint8_t piece_32 __attribute__((vector_size(32), aligned(1), may_alias));

enum {
	LENGTH_MAX = 258,
	/* Bytes copied at a time: any match with registers of 32 bytes, most matches with 16. */
	WIDE_PIECES = 8,
	NARROW_PIECES = 8,
	COPY_WIDE = WIDE_PIECES * sizeof(piece_32) + sizeof(uint16_t),
	COPY_NARROW = NARROW_PIECES * sizeof(piece_16),
};
_Static_assert((int)LENGTH_MAX <= (int)COPY_WIDE && (int)COPY_WIDE <= (int)INFLATE_COPY_MAX, "one wide copy does");
_Static_assert((int)LENGTH_MAX + (int)COPY_NARROW - 1 <= (int)INFLATE_COPY_MAX + 1, "the last narrow one fits");
_Static_assert((int)LENGTH_MAX - 1 + 2 * (int)sizeof(piece_32) <= (int)INFLATE_COPY_MAX, "the last period fits");

#define MODULO_4(i, n) (i) % (n), ((i) + 1) % (n), ((i) + 2) % (n), ((i) + 3) % (n)
#define MODULO_32(n)                                                                                               \
	{                                                                                                          \
		MODULO_4(0, n), MODULO_4(4, n), MODULO_4(8, n), MODULO_4(12, n), MODULO_4(16, n), MODULO_4(20, n), \
			MODULO_4(24, n), MODULO_4(28, n)                                                           \
	}

/* Returns bytes[order[i]] as byte i. */
static inline __attribute__((always_inline)) piece_16 shuffle(piece_16 bytes, const uint8_t order[16])
{
#if defined(__clang__)
	return __builtin_shufflevector(bytes, *(const piece_16 *)order);
#else
	return __builtin_shuffle(bytes, *(const piece_16 *)order);
#endif
}

/*
 * Copies a match that is longer than its distance, unless that is 1. Such matches are rare, but they read bytes that
 * were just stored in other units, which stalls loads. So these are loaded once and then stored repeatedly, each time a
 * whole number of periods further.
 */
static inline __attribute__((always_inline)) void copy_periods(uint8_t *out, size_t length, size_t distance)
{
	static const uint8_t modulo[16][32] = {
		{ 0 },         MODULO_32(1),  MODULO_32(2),  MODULO_32(3),  MODULO_32(4),  MODULO_32(5),
		MODULO_32(6),  MODULO_32(7),  MODULO_32(8),  MODULO_32(9),  MODULO_32(10), MODULO_32(11),
		MODULO_32(12), MODULO_32(13), MODULO_32(14), MODULO_32(15),
	};
	const uint8_t *from = out - distance, *end = out + length;

	if (distance < 16) {
		const uint8_t *order = modulo[distance];
		piece_16 period = *(const piece_16 *)from;
		piece_16 low = shuffle(period, order);
		piece_16 high = shuffle(period, order + 16);

		do {
			*(piece_16 *)out = low;
			*(piece_16 *)(out + 16) = high;
			out += 31 - order[31];
		} while (out < end);
		return;
	}
	piece_32 low = *(const piece_32 *)from, high = *(const piece_32 *)(from + 32);

	if (distance <= 64) {
		do {
			*(piece_32 *)out = low;
			*(piece_32 *)(out + 32) = high;
			out += distance;
		} while (out < end);
		return;
	}
	do { /* very rare */
		*(piece_32 *)out = *(const piece_32 *)from;
		out += sizeof(piece_32);
		from += sizeof(piece_32);
	} while (out < end);
}

/*
 * Copies COPY_WIDE bytes, or COPY_NARROW until it is enough, whatever the length: stores cost less than a loop with an
 * unpredictable end. Equally unpredictable is a distance of 1, as a third to a half of them are in masks. So both kinds
 * are one: the bytes at the distance plus the repeated byte, one of which is zero. All loads precede all stores, so
 * that none waits for stores beyond the end of the same match.
 */
static inline __attribute__((always_inline)) void copy_match(uint8_t *out, size_t length, size_t distance, bool wide)
{
	static const uint8_t zeros[INFLATE_COPY_MAX];
	const uint8_t *from = out - distance, *end = out + length;

	if (__builtin_expect(distance - 2 < length - 2, 0)) {
		copy_periods(out, length, distance);
		return;
	}
	const uint8_t *there = from, *repeated = zeros;

#if defined(__x86_64__)
	__asm__("cmp $1, %2\n\tcmove %3, %1\n\tcmove %4, %0" /* the compiler would make a branch of it */
		: "+r"(there), "+&r"(repeated)
		: "r"(distance), "r"(from), "r"(zeros)
		: "cc");
#else
	if (distance == 1) {
		there = zeros;
		repeated = from;
	}
#endif
	uint8_t byte = *repeated;

	if (wide) {
		piece_32 p[WIDE_PIECES];
		uint16_t last;

#pragma GCC unroll 8
		for (size_t i = 0; i < WIDE_PIECES; i++)
			p[i] = *(const piece_32 *)(there + i * sizeof(*p)) | (byte - (piece_32){ 0 });
		memcpy(&last, there + sizeof(p), sizeof(last));
		last = (uint16_t)(last | byte | byte << 8);
#pragma GCC unroll 8
		for (size_t i = 0; i < WIDE_PIECES; i++)
			*(piece_32 *)(out + i * sizeof(*p)) = p[i];
		memcpy(out + sizeof(p), &last, sizeof(last));
		return;
	}
	do {
		piece_16 p[NARROW_PIECES];

#pragma GCC unroll 8
		for (size_t i = 0; i < NARROW_PIECES; i++)
			p[i] = *(const piece_16 *)(there + i * sizeof(*p)) | (byte - (piece_16){ 0 });
#pragma GCC unroll 8
		for (size_t i = 0; i < NARROW_PIECES; i++)
			*(piece_16 *)(out + i * sizeof(*p)) = p[i];
		out += COPY_NARROW;
		there += COPY_NARROW;
	} while (__builtin_expect(out < end, 0));
}

/* Always writes two bytes, and advances by the number of literals. */
static inline uint8_t *put_literals(uint8_t *out, uint64_t e)
{
	uint16_t two = (uint16_t)(e >> 32);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	two = __builtin_bswap16(two);
#endif
	memcpy(out, &two, sizeof(two));
	return out + cell_literals(e);
}

/* Extracts a bit field of `word`: start in bits 0 to 7 of `field`, length in bits 8 to 15. */
static inline __attribute__((always_inline)) uint64_t bit_field(uint64_t word, uint64_t field, bool wide)
{
#if defined(__x86_64__)
	if (wide) { /* one instruction; the compiler would make a shift and a mask */
		__asm__("bextr %2, %1, %0" : "=r"(word) : "r"(word), "r"(field));
		return word;
	}
#endif
	(void)wide;
	return (word >> (field & 63)) & ((1u << (field >> 8 & 15)) - 1);
}

/*
 * With bextr, all bit fields of a cell are extracted at once, before any branch. Without it, each is extracted where it
 * is needed, from the bits before or after the cell consumed its own, with a constant mask if possible.
 */
static inline __attribute__((always_inline)) uint64_t index_of(uint64_t next, uint64_t behind, unsigned n, bool wide)
{
	return wide ? next : behind & ((1u << n) - 1);
}

static inline __attribute__((always_inline)) uint64_t extra_of(uint64_t extra, uint64_t before, uint64_t e, bool wide)
{
	return wide ? extra : bit_field(before, e >> 16, wide);
}

/*
 * The next look-up begins before the output of the last one is written, and before the refill. So the dependency chain
 * from one symbol to the next is two look-ups and a bit field; everything else runs in parallel.
 */
static inline __attribute__((always_inline)) enum inflate_result
inflate_codes(struct inflate *z, const uint8_t *first, uint8_t **out_at, const uint8_t *limit, bool wide)
{
	const uint64_t *litlen = z->litlen, *distances = z->distance;
	const uint8_t *in = z->in, *in_last = z->in_last;
	uint8_t *out = *out_at;
	uint64_t bits = z->bits, used = z->bits_used, before, e, d, next, extra;
	enum inflate_result result = INFLATE_BAD;

	if (in > in_last)
		return z->last_piece ? INFLATE_BAD : INFLATE_WAITS;
	refill(&in, &bits, &used);
	e = litlen[bits & ((1u << LITLEN_TABLE_BITS) - 1)];
	while (out < limit) {
		/* Before each refill, `in` must be readable. A valid stream consumes no bits at in_end or after it,
		   so this never stops one. */
		if (__builtin_expect(GUARD(read_past_the_padding, in > in_last), 0))
			goto out_of_input;
		before = bits;
		next = bit_field(bits, e, wide);
		extra = bit_field(bits, e >> 16, wide);
		out = put_literals(out, e);
		bits >>= cell_bits(e);
		used += e;
		if (__builtin_expect((e & CELL_EXCEPTIONAL) != 0, 0)) {
			if (e & CELL_TABLE) {
				refill(&in, &bits, &used);
				if (in > z->in_end + sizeof(uint64_t))
					goto done;
				e = litlen[cell_start(e) + next];
				before = bits;
				next = bit_field(bits, e, wide);
				extra = bit_field(bits, e >> 16, wide);
				out = put_literals(out, e);
				bits >>= cell_bits(e);
				used += e;
			}
			if (e & CELL_EXCEPTIONAL) {
				if (e & CELL_END) {
					z->state = INFLATE_HEADER;
					result = INFLATE_END;
				}
				goto done;
			}
		}
		/*
		 * 56 bits suffice for a look-up, 5 extra bits of a length, a distance of 15 + 13, and the next look-up;
		 * the refill for a second table adds the 6 more bits of a long codeword.
		 */
		_Static_assert(2 * LITLEN_TABLE_BITS + 5 + CODE_BITS_MAX + 13 <= 56, "one refill does");
		size_t length = cell_length(e);

		if (!length) {
			e = litlen[index_of(next, bits, LITLEN_TABLE_BITS, wide)];
			refill(&in, &bits, &used);
			continue;
		}
		length += extra_of(extra, before, e, wide);
		d = distances[index_of(next, bits, DISTANCE_TABLE_BITS, wide)];
		if (__builtin_expect((d & CELL_EXCEPTIONAL) != 0, 0)) {
			if (!(d & CELL_TABLE))
				goto done;
			next = bit_field(bits, d, wide);
			bits >>= DISTANCE_TABLE_BITS;
			used += DISTANCE_TABLE_BITS;
			d = distances[cell_start(d) + next];
			if (d & CELL_EXCEPTIONAL)
				goto done;
		}
		before = bits;
		next = bit_field(bits, d, wide);
		extra = bit_field(bits, d >> 16, wide);
		bits >>= cell_bits(d);
		used += d;
		e = litlen[index_of(next, bits, LITLEN_TABLE_BITS, wide)];
		refill(&in, &bits, &used);
		size_t distance = cell_base(d) + extra_of(extra, before, d, wide);

		if (__builtin_expect(
			    GUARD(distance_before_the_first_byte, (uintptr_t)out - distance < (uintptr_t)first), 0))
			goto done;
		copy_match(out, length, distance, wide);
		out += length;
	}
	result = INFLATE_MORE;
	goto done;
out_of_input:
	result = z->last_piece ? INFLATE_BAD : INFLATE_WAITS;
done:
	z->in = in;
	z->bits = bits;
	z->bits_used = used & 63;
	*out_at = out;
	return result;
}

#if defined(__x86_64__)
/* With BMI, shifts by variable counts and bit fields are one instruction each. */
__attribute__((target("bmi,bmi2,avx2"))) static enum inflate_result codes_bmi2(struct inflate *z, const uint8_t *first,
									       uint8_t **out, const uint8_t *limit)
{
	return inflate_codes(z, first, out, limit, true);
}
#endif

static enum inflate_result codes_plain(struct inflate *z, const uint8_t *first, uint8_t **out, const uint8_t *limit)
{
	return inflate_codes(z, first, out, limit, false);
}

static enum inflate_result step_codes(struct inflate *z, const uint8_t *first, uint8_t **out, const uint8_t *limit)
{
#if defined(__x86_64__)
	const unsigned need = CPU_BMI2 | CPU_AVX2;

	if ((cpu_features() & need) == need)
		return codes_bmi2(z, first, out, limit);
#endif
	return codes_plain(z, first, out, limit);
}

static void set_piece(struct inflate *z, const uint8_t *in, size_t n, bool last_piece)
{
	assert(last_piece || n > INFLATE_LEFT_MAX);
	z->in_end = in + n;
	z->in_last = last_piece ? z->in_end + sizeof(uint64_t) : z->in_end - SYMBOL_LEFT;
	z->last_piece = last_piece;
}

void inflate_begin(struct inflate *z, const uint8_t *in, size_t n, bool last_piece)
{
	set_piece(z, in, n, last_piece);
	z->in = in;
	z->bits = 0;
	z->bits_used = 63;
	z->state = INFLATE_HEADER;
	z->last_block = false;
}

enum inflate_result inflate_step(struct inflate *z, const uint8_t *first, uint8_t **out, const uint8_t *limit)
{
	for (;;) {
		enum inflate_result r;

		if (z->state == INFLATE_HEADER) {
			if (z->last_block)
				return INFLATE_END;
			if (*out >= limit)
				return INFLATE_MORE;
			if (!z->last_piece && z->in_end - whole_bytes(z) < INFLATE_LEFT_MAX)
				return INFLATE_WAITS;
			if (!read_header(z))
				return INFLATE_BAD;
		}
		r = z->state == INFLATE_STORED ? copy_stored(z, out, limit) : step_codes(z, first, out, limit);
		if (r != INFLATE_END)
			return r;
	}
}

size_t inflate_left(const struct inflate *z, const uint8_t **rest)
{
	*rest = whole_bytes(z);
	return *rest > z->in_end ? SIZE_MAX : (size_t)(z->in_end - *rest);
}

void inflate_go_on(struct inflate *z, const uint8_t *in, size_t n, bool last_piece)
{
	assert(!z->last_piece);
	z->in = in + (z->in - whole_bytes(z));
	set_piece(z, in, n, last_piece);
}
