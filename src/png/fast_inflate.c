#include "png/fast_inflate.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"
#include "base/mem.h"

/*
 * Table entries. A look-up takes LITLEN_TABLE_BITS or DISTANCE_TABLE_BITS of the input and gives as many symbols as
 * these bits hold, up to two literals and one length; longer codewords go on in a second table. From bit 0 on:
 *
 *   8 bits   how many bits all of that takes, extra bits included
 *   8 bits   how many come before the extra bits of the length or distance
 *   16 bits  two literals
 *   8 bits   how many of them there are
 *   16 bits  base of a length or distance; 0: there is none, but literals
 *   8 bits   ENTRY_*: neither; then it takes only the bits of codewords
 *
 * ENTRY_TABLE: the second table's start and bits are in the places of the base and of the second number.
 */
#define ENTRY_BITS(n)     ((uint64_t)(n))
#define ENTRY_SHIFT(n)    ((uint64_t)(n) << 8)
#define ENTRY_LITERAL(b)  ((uint64_t)(b) << 16)
#define ENTRY_LITERALS(n) ((uint64_t)(n) << 32)
#define ENTRY_BASE(n)     ((uint64_t)(n) << 40)
#define ENTRY_EXCEPTIONAL (UINT64_C(1) << 63) /* by itself: an unused codeword */
#define ENTRY_TABLE       (UINT64_C(1) << 62)
#define ENTRY_END         (UINT64_C(1) << 61)

static inline unsigned entry_bits(uint64_t e)
{
	return e & 63;
}

static inline unsigned entry_shift(uint64_t e)
{
	return e >> 8 & 63;
}

static inline unsigned entry_literals(uint64_t e)
{
	return e >> 32 & 0xff;
}

static inline unsigned entry_base(uint64_t e)
{
	return e >> 40 & 0xffff;
}

enum {
	CODE_BITS_MAX = 15,
	LITLEN_SYMBOLS = 288,
	DISTANCE_SYMBOLS = 32,
	PRECODE_SYMBOLS = 19,
	PRECODE_BITS = 7,
	END_OF_BLOCK = 256,
};

/* RFC 1951, section 3.2.5: base and extra bits of lengths (symbols 257 to 285) and distances. */
#define L(base, extra) (base##u << 16 | extra)
static const uint32_t length_symbols[29] = {
	L(3, 0),  L(4, 0),  L(5, 0),  L(6, 0),   L(7, 0),   L(8, 0),   L(9, 0),   L(10, 0),  L(11, 1),  L(13, 1),
	L(15, 1), L(17, 1), L(19, 2), L(23, 2),  L(27, 2),  L(31, 2),  L(35, 3),  L(43, 3),  L(51, 3),  L(59, 3),
	L(67, 4), L(83, 4), L(99, 4), L(115, 4), L(131, 5), L(163, 5), L(195, 5), L(227, 5), L(258, 0),
};
static const uint32_t distance_symbols[30] = {
	L(1, 0),     L(2, 0),     L(3, 0),     L(4, 0),      L(5, 1),      L(7, 1),      L(9, 2),     L(13, 2),
	L(17, 3),    L(25, 3),    L(33, 4),    L(49, 4),     L(65, 5),     L(97, 5),     L(129, 6),   L(193, 6),
	L(257, 7),   L(385, 7),   L(513, 8),   L(769, 8),    L(1025, 9),   L(1537, 9),   L(2049, 10), L(3073, 10),
	L(4097, 11), L(6145, 11), L(8193, 12), L(12289, 12), L(16385, 13), L(24577, 13),
};
#undef L

static uint64_t length_or_distance(uint32_t symbol, unsigned bits)
{
	return ENTRY_BASE(symbol >> 16) | ENTRY_SHIFT(bits) | ENTRY_BITS(bits + (symbol & 0xffff));
}

static uint64_t litlen_entry(unsigned symbol, unsigned bits)
{
	if (symbol < END_OF_BLOCK)
		return ENTRY_LITERALS(1) | ENTRY_LITERAL(symbol) | ENTRY_BITS(bits);
	if (symbol == END_OF_BLOCK)
		return ENTRY_EXCEPTIONAL | ENTRY_END | ENTRY_BITS(bits);
	if (symbol - 257 >= ARRAY_SIZE(length_symbols))
		return ENTRY_EXCEPTIONAL;
	return length_or_distance(length_symbols[symbol - 257], bits);
}

static uint64_t distance_entry(unsigned symbol, unsigned bits)
{
	if (symbol >= ARRAY_SIZE(distance_symbols))
		return ENTRY_EXCEPTIONAL;
	return length_or_distance(distance_symbols[symbol], bits);
}

static uint64_t precode_entry(unsigned symbol, unsigned bits)
{
	return ENTRY_BASE(symbol) | ENTRY_BITS(bits);
}

static unsigned top_bit(uint32_t v)
{
	return 31 - (unsigned)__builtin_clz(v);
}

/*
 * Fills a table for complete codes; deflate sends codewords from their first bit on, so they are counted up from the
 * left, bit-reversed. A table for n bits is twice the one for n - 1, plus the codewords of n bits.
 */
static inline __attribute__((always_inline)) bool build(uint64_t *table, unsigned table_bits, const uint8_t *lengths,
							unsigned symbols, uint64_t (*entry)(unsigned, unsigned))
{
	uint16_t counts[CODE_BITS_MAX + 1] = { 0 }, at[CODE_BITS_MAX + 2], sorted[LITLEN_SYMBOLS], *next = sorted;
	uint32_t space = 0;

	for (unsigned i = 0; i < symbols; i++)
		counts[lengths[i]]++;
	counts[0] = 0;
	at[0] = at[1] = 0;
	for (unsigned n = 1; n <= CODE_BITS_MAX; n++) {
		at[n + 1] = (uint16_t)(at[n] + counts[n]);
		space += (uint32_t)counts[n] << (CODE_BITS_MAX - n);
	}
	if (space != 1u << CODE_BITS_MAX)
		return false;
	for (unsigned i = 0; i < symbols; i++)
		if (lengths[i])
			sorted[at[lengths[i]]++] = (uint16_t)i;

	uint32_t code = 0, bit, end, first_mask = (1u << table_bits) - 1, prefix = UINT32_MAX, start = 0;
	unsigned n = 1;

	while (!counts[n])
		n++;
	unsigned count = counts[n];

	end = 1u << MIN(n, table_bits);
	if (n > table_bits)
		return false; /* cannot be: a complete code of so few symbols has a short codeword */
	while (n <= table_bits) {
		do {
			table[code] = entry(*next++, n);
			if (code == end - 1) {
				for (; n < table_bits; n++, end <<= 1)
					memcpy(table + end, table, end * sizeof(*table));
				return true;
			}
			bit = 1u << top_bit(code ^ (end - 1));
			code = (code & (bit - 1)) | bit;
		} while (--count);
		do {
			if (++n <= table_bits) {
				memcpy(table + end, table, end * sizeof(*table));
				end <<= 1;
			}
			count = counts[n];
		} while (!count);
	}
	end = 1u << table_bits;
	for (;;) {
		if ((code & first_mask) != prefix) {
			unsigned sub_bits = n - table_bits;
			uint32_t used = count;

			prefix = code & first_mask;
			start = end;
			while (used < 1u << sub_bits) {
				sub_bits++;
				used = (used << 1) + counts[table_bits + sub_bits];
			}
			end = start + (1u << sub_bits);
			table[prefix] = ENTRY_EXCEPTIONAL | ENTRY_TABLE | ENTRY_BASE(start) | ENTRY_SHIFT(sub_bits) |
					ENTRY_BITS(table_bits);
		}
		uint64_t e = entry(*next++, n - table_bits);

		for (uint32_t i = start + (code >> table_bits); i < end; i += 1u << (n - table_bits))
			table[i] = e;
		if (code == (1u << n) - 1)
			return true;
		bit = 1u << top_bit(code ^ ((1u << n) - 1));
		code = (code & (bit - 1)) | bit;
		count--;
		while (!count)
			count = counts[++n];
	}
}

/* One distance of one bit, or none at all, is all that may be incomplete; then the rest are unused codewords. */
static bool build_distances(uint64_t *table, const uint8_t *lengths, unsigned symbols)
{
	unsigned used = 0, last = 0;

	for (unsigned i = 0; i < symbols; i++) {
		if (lengths[i]) {
			used++;
			last = i;
		}
	}
	if (used > 1)
		return build(table, DISTANCE_TABLE_BITS, lengths, symbols, distance_entry);
	if (used == 1 && lengths[last] != 1)
		return false;
	for (unsigned i = 0; i < 1u << DISTANCE_TABLE_BITS; i++)
		table[i] = used && !(i & 1) ? distance_entry(last, 1) : ENTRY_EXCEPTIONAL;
	return true;
}

static bool build_litlen(struct inflate *z, const uint8_t *lengths, unsigned symbols)
{
	return build(z->litlen, LITLEN_TABLE_BITS, lengths, symbols, litlen_entry);
}

/*
 * Literals that leave room in the first table for what follows are joined with it. From the end on: what follows has
 * fewer bits, and is looked up before it is joined itself.
 */
static void join_literals(uint64_t *table)
{
	for (unsigned i = 1 << LITLEN_TABLE_BITS; i-- > 0;) {
		uint64_t e = table[i], next;
		unsigned bits = entry_bits(e);

		if (!entry_literals(e))
			continue;
		next = table[i >> bits];
		if (next & ENTRY_EXCEPTIONAL)
			continue;
		if (entry_literals(next)) {
			if (bits + entry_bits(next) > LITLEN_TABLE_BITS)
				continue;
			table[i] = e + ENTRY_LITERALS(1) + ENTRY_BITS(entry_bits(next)) + ((next >> 16 & 0xff) << 24);
		} else if (bits + entry_shift(next) <= LITLEN_TABLE_BITS) {
			/* its bits come behind the literal's */
			table[i] = e + next + ENTRY_SHIFT(bits);
		}
	}
}

static bool build_fixed(struct inflate *z)
{
	uint8_t lengths[LITLEN_SYMBOLS];

	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	if (!build_litlen(z, lengths, LITLEN_SYMBOLS))
		return false;
	memset(lengths, 5, DISTANCE_SYMBOLS);
	return build_distances(z->distance, lengths, DISTANCE_SYMBOLS);
}

/* Bits, first one lowest. After `refill` at least 56 are there; in may be up to 8 bytes past what was used. */

static inline void refill(const uint8_t **in, uint64_t *bits, unsigned *count)
{
	uint64_t word;

	memcpy(&word, *in, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	*bits |= word << *count;
	*in += (63 - *count) >> 3;
	*count |= 56;
}

/* Refills for the slow parts; false behind the end of the input. */
static bool load(struct inflate *z)
{
	if (z->in > z->in_end + sizeof(uint64_t))
		return false;
	refill(&z->in, &z->bits, &z->bits_count);
	return true;
}

static unsigned take(struct inflate *z, unsigned n)
{
	unsigned v = (unsigned)(z->bits & ((UINT64_C(1) << n) - 1));

	z->bits >>= n;
	z->bits_count -= n;
	return v;
}

static bool read_codes(struct inflate *z)
{
	static const uint8_t order[PRECODE_SYMBOLS] = {
		16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15
	};
	uint8_t pre[PRECODE_SYMBOLS] = { 0 }, lengths[LITLEN_SYMBOLS + DISTANCE_SYMBOLS + 138];
	uint64_t table[1 << PRECODE_BITS];

	if (!load(z))
		return false;
	unsigned litlens = take(z, 5) + 257, distances = take(z, 5) + 1, pres = take(z, 4) + 4;

	if (litlens > 286 || distances > 30)
		return false;
	for (unsigned i = 0; i < pres; i++) {
		if (i % 8 == 0 && !load(z))
			return false;
		pre[order[i]] = (uint8_t)take(z, 3);
	}
	if (!build(table, PRECODE_BITS, pre, PRECODE_SYMBOLS, precode_entry))
		return false;
	for (unsigned i = 0; i < litlens + distances;) {
		if (!load(z))
			return false;
		uint64_t entry = table[z->bits & ((1 << PRECODE_BITS) - 1)];
		unsigned symbol = entry_base(entry), repeat;
		uint8_t value = 0;

		take(z, entry_bits(entry));
		if (symbol < 16) {
			lengths[i++] = (uint8_t)symbol;
			continue;
		}
		if (symbol == 16) {
			if (!i)
				return false;
			value = lengths[i - 1];
			repeat = 3 + take(z, 2);
		} else {
			repeat = symbol == 17 ? 3 + take(z, 3) : 11 + take(z, 7);
		}
		if (repeat > litlens + distances - i)
			return false;
		memset(lengths + i, value, repeat);
		i += repeat;
	}
	if (!lengths[END_OF_BLOCK] || !build_litlen(z, lengths, litlens) ||
	    !build_distances(z->distance, lengths + litlens, distances))
		return false;
	join_literals(z->litlen);
	return true;
}

/* The bytes behind the bits that are used, aligned. */
static const uint8_t *whole_bytes(const struct inflate *z)
{
	return z->in - z->bits_count / 8;
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
	z->bits_count = 0;
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
	size_t n = MIN((size_t)z->stored, (size_t)(limit - *out));

	if (z->in > z->in_end || n > (size_t)(z->in_end - z->in))
		return INFLATE_BAD;
	memcpy(*out, z->in, n);
	*out += n;
	z->in += n;
	z->stored -= (uint32_t)n;
	if (z->stored)
		return INFLATE_MORE;
	z->state = INFLATE_HEADER;
	return INFLATE_END;
}

/* 32 bytes in the widest registers that the function is compiled for; anywhere, over anything. */
typedef uint8_t piece __attribute__((vector_size(32), aligned(1), may_alias));

static inline __attribute__((always_inline)) void put(uint8_t *out, const piece *p)
{
	*(piece *)out = *p;
}

/* Copies in pieces of 128 bytes, since a loop whose end cannot be foreseen costs more than stores; so up to 127 too
 * many. */
static inline __attribute__((always_inline)) void copy_match(uint8_t *out, size_t length, size_t distance)
{
	const uint8_t *from = out - distance, *end = out + length;

	if (distance >= 64) {
		do {
			for (unsigned i = 0; i < 128; i += 64) {
				piece low = *(const piece *)(from + i), high = *(const piece *)(from + i + 32);

				put(out + i, &low);
				put(out + i + 32, &high);
			}
			out += 128;
			from += 128;
		} while (__builtin_expect(out < end, 0));
	} else if (distance == 1) {
		piece all = *from - (piece){ 0 };

		do {
			for (unsigned i = 0; i < 128; i += 32)
				put(out + i, &all);
			out += 128;
		} while (__builtin_expect(out < end, 0));
	} else {
		/* By 8 bytes and a step of as many whole periods as fit; below 8, the first 8 one by one. */
		if (distance < 8) {
			for (unsigned i = 0; i < 8; i++)
				out[i] = from[i];
			out += 8;
			from = out - (distance + 7) / distance * distance;
		}
		while (out < end) {
			memcpy(out, from, 8);
			out += 8;
			from += 8;
		}
	}
}

/* Room for two is written, whether there are any or not. */
static inline uint8_t *put_literals(uint8_t *out, uint64_t e)
{
	uint16_t two = (uint16_t)(e >> 16);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	two = __builtin_bswap16(two);
#endif
	memcpy(out, &two, sizeof(two));
	return out + entry_literals(e);
}

static inline size_t extra_bits(uint64_t bits, uint64_t e)
{
	return (size_t)((bits & ((UINT64_C(1) << entry_bits(e)) - 1)) >> entry_shift(e));
}

static inline __attribute__((always_inline)) enum inflate_result inflate_codes(struct inflate *z, const uint8_t *first,
									       uint8_t **out_at, const uint8_t *limit)
{
	const uint64_t *litlen = z->litlen, *distances = z->distance;
	const uint64_t mask = (1u << LITLEN_TABLE_BITS) - 1;
	const uint8_t *in = z->in, *in_last = z->in_end + sizeof(uint64_t);
	uint8_t *out = *out_at;
	uint64_t bits = z->bits, saved, e;
	unsigned count = z->bits_count;
	enum inflate_result result = INFLATE_BAD;

	while (out < limit) {
		if (in > in_last)
			goto done;
		refill(&in, &bits, &count);
		/* 56 bits hold literals of one look-up, a length of 11 + 5 and a distance of 15 + 13. */
		_Static_assert(2 * LITLEN_TABLE_BITS + 5 + CODE_BITS_MAX + 13 <= 56, "one refill does");
		e = litlen[bits & mask];
		saved = bits;
		out = put_literals(out, e);
		bits >>= entry_bits(e);
		count -= entry_bits(e);
		if (!(e >> 40)) {
			e = litlen[bits & mask];
			saved = bits;
			out = put_literals(out, e);
			bits >>= entry_bits(e);
			count -= entry_bits(e);
			if (!(e >> 40))
				continue;
		}
		if (__builtin_expect((e & ENTRY_EXCEPTIONAL) != 0, 0)) {
			if (e & ENTRY_END) {
				z->state = INFLATE_HEADER;
				result = INFLATE_END;
				goto done;
			}
			if (!(e & ENTRY_TABLE))
				goto done;
			refill(&in, &bits, &count);
			e = litlen[entry_base(e) + (bits & ((1u << entry_shift(e)) - 1))];
			saved = bits;
			out = put_literals(out, e);
			bits >>= entry_bits(e);
			count -= entry_bits(e);
			if (e & ENTRY_EXCEPTIONAL) {
				if (!(e & ENTRY_END))
					goto done;
				z->state = INFLATE_HEADER;
				result = INFLATE_END;
				goto done;
			}
			if (!(e >> 40))
				continue;
		}
		size_t length = entry_base(e) + extra_bits(saved, e);

		e = distances[bits & ((1u << DISTANCE_TABLE_BITS) - 1)];
		if (__builtin_expect((e & ENTRY_EXCEPTIONAL) != 0, 0)) {
			if (!(e & ENTRY_TABLE))
				goto done;
			bits >>= DISTANCE_TABLE_BITS;
			count -= DISTANCE_TABLE_BITS;
			e = distances[entry_base(e) + (bits & ((1u << entry_shift(e)) - 1))];
			if (e & ENTRY_EXCEPTIONAL)
				goto done;
		}
		size_t distance = entry_base(e) + extra_bits(bits, e);

		bits >>= entry_bits(e);
		count -= entry_bits(e);
		if (__builtin_expect(distance > (size_t)(out - first), 0))
			goto done;
		copy_match(out, length, distance);
		out += length;
	}
	result = INFLATE_MORE;
done:
	z->in = in;
	z->bits = bits;
	z->bits_count = count & 63;
	*out_at = out;
	return result;
}

#if defined(__x86_64__)
/* Shifts by variable counts and masks are one instruction each there. */
__attribute__((target("bmi,bmi2,avx2"))) static enum inflate_result codes_bmi2(struct inflate *z, const uint8_t *first,
									       uint8_t **out, const uint8_t *limit)
{
	return inflate_codes(z, first, out, limit);
}
#endif

static enum inflate_result codes_plain(struct inflate *z, const uint8_t *first, uint8_t **out, const uint8_t *limit)
{
	return inflate_codes(z, first, out, limit);
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

void inflate_begin(struct inflate *z, const uint8_t *in, size_t n)
{
	z->in = in;
	z->in_end = in + n;
	z->bits = 0;
	z->bits_count = 0;
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
			if (!read_header(z))
				return INFLATE_BAD;
		}
		r = z->state == INFLATE_STORED ? copy_stored(z, out, limit) : step_codes(z, first, out, limit);
		if (r != INFLATE_END)
			return r;
	}
}

size_t inflate_used(const struct inflate *z, const uint8_t *in)
{
	return (size_t)(whole_bytes(z) - in);
}
