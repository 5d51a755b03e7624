#include "png/fast_huffman.h"

#include <string.h>

#include "base/mem.h"

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

/* Returns the bit counts of a cell: `bits` of the codeword, and the extra bits of the symbol's table. */
static uint64_t extra_cell(uint32_t symbol, unsigned bits)
{
	unsigned extra = symbol & 0xffff;

	return CELL_EXTRA(extra) | CELL_SHIFT(bits) | CELL_BITS(bits + extra);
}

/* CODE_BITS_MAX keeps an exceptional cell from being joined to a literal before it. */
static uint64_t exceptional_cell(uint64_t what)
{
	return CELL_EXCEPTIONAL | CELL_SHIFT(CODE_BITS_MAX) | what;
}

static uint64_t litlen_cell(unsigned symbol, unsigned bits)
{
	if (symbol < END_OF_BLOCK)
		return CELL_LITERALS(1) | CELL_LITERAL(symbol) | extra_cell(0, bits) | CELL_NEXT(LITLEN_TABLE_BITS);
	if (symbol == END_OF_BLOCK)
		return exceptional_cell(CELL_END | CELL_BITS(bits));
	if (symbol - 257 >= ARRAY_SIZE(length_symbols))
		return exceptional_cell(0);
	uint32_t length = length_symbols[symbol - 257];

	return CELL_LENGTH(length >> 16) | extra_cell(length, bits) | CELL_NEXT(DISTANCE_TABLE_BITS);
}

static uint64_t distance_cell(unsigned symbol, unsigned bits)
{
	if (symbol >= ARRAY_SIZE(distance_symbols))
		return exceptional_cell(0);
	uint32_t distance = distance_symbols[symbol];

	return CELL_BASE(distance >> 16) | extra_cell(distance, bits) | CELL_NEXT(LITLEN_TABLE_BITS);
}

static uint64_t precode_cell(unsigned symbol, unsigned bits)
{
	return CELL_BASE(symbol) | CELL_BITS(bits);
}

static unsigned top_bit(uint32_t v)
{
	return 31 - (unsigned)__builtin_clz(v);
}

/* Returns the codeword of n bits after this one, which is not the last. */
static uint32_t next_codeword(uint32_t codeword, unsigned n)
{
	uint32_t bit = 1u << top_bit(codeword ^ ((1u << n) - 1));

	return (codeword & (bit - 1)) | bit;
}

/* Sorts symbols by the length of their codewords. False: not a complete code. */
static bool sort_symbols(const struct huffman_code *code, uint16_t counts[CODE_BITS_MAX + 1],
			 uint16_t sorted[LITLEN_SYMBOLS])
{
	uint16_t at[CODE_BITS_MAX + 2];
	uint32_t space = 0;

	memset(counts, 0, (CODE_BITS_MAX + 1) * sizeof(*counts));
	for (unsigned i = 0; i < code->count; i++)
		counts[code->bits[i]]++;
	at[1] = 0;
	for (unsigned n = 1; n <= CODE_BITS_MAX; n++) {
		at[n + 1] = (uint16_t)(at[n] + counts[n]);
		space += (uint32_t)counts[n] << (CODE_BITS_MAX - n);
	}
	for (unsigned i = 0; i < code->count; i++)
		sorted[at[code->bits[i]]++] = code->symbols[i];
	return space == 1u << CODE_BITS_MAX;
}

/* The codewords of literals that fit the first table, from the shortest on. */
struct literal_codewords {
	unsigned count;
	uint16_t at[END_OF_BLOCK + 1]; /* one more than literals: build() writes before it decides to keep */
};

/*
 * Fills a table for a complete code. DEFLATE stores codewords from their first bit on, so they are counted up
 * bit-reversed. A table for n bits is the one for n - 1 bits twice, plus the codewords of n bits. literals: NULL, or
 * empty.
 */
static inline __attribute__((always_inline)) bool build(uint64_t *table, unsigned table_bits,
							const struct huffman_code *code,
							uint64_t (*cell)(unsigned, unsigned),
							struct literal_codewords *literals)
{
	uint16_t counts[CODE_BITS_MAX + 1], sorted[LITLEN_SYMBOLS] = { 0 }, *next = sorted;

	if (!sort_symbols(code, counts, sorted))
		return false;

	uint32_t codeword = 0, end, first_mask = (1u << table_bits) - 1, prefix = UINT32_MAX, start = 0;
	unsigned n = 1;

	while (!counts[n])
		n++;
	unsigned count = counts[n];

	if (n > table_bits)
		return false; /* impossible: a complete code of so few symbols has a short codeword */
	end = 1u << n;
	while (n <= table_bits) {
		do {
			if (literals) {
				literals->at[literals->count] = (uint16_t)codeword;
				literals->count += *next < END_OF_BLOCK;
			}
			table[codeword] = cell(*next++, n);
			if (codeword == end - 1) {
				for (; n < table_bits; n++, end <<= 1)
					memcpy(table + end, table, end * sizeof(*table));
				return true;
			}
			codeword = next_codeword(codeword, n);
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
		if ((codeword & first_mask) != prefix) {
			unsigned sub_bits = n - table_bits;
			uint32_t used = count;

			prefix = codeword & first_mask;
			start = end;
			while (used < 1u << sub_bits) {
				sub_bits++;
				used = (used << 1) + counts[table_bits + sub_bits];
			}
			end = start + (1u << sub_bits);
			table[prefix] = exceptional_cell(CELL_TABLE | CELL_START(start) | CELL_EXTRA(sub_bits) |
							 CELL_NEXT(sub_bits) | CELL_BITS(table_bits));
		}
		uint64_t e = cell(*next++, n - table_bits);

		for (uint32_t i = start + (codeword >> table_bits); i < end; i += 1u << (n - table_bits))
			table[i] = e;
		if (codeword == (1u << n) - 1)
			return true;
		codeword = next_codeword(codeword, n);
		count--;
		while (!count)
			count = counts[++n];
	}
}

/*
 * Joins literals with the symbol after them if the first table has bits for both: a literal's codeword of n bits, then
 * `next`, for all values of the other 9 - n bits. No branches, since they would be unpredictable.
 */
static void join_literals(uint64_t *table, const struct literal_codewords *literals)
{
	uint64_t plain[1 << (LITLEN_TABLE_BITS - 1)]; /* a copy: `next` must not be a joined cell */

	memcpy(plain, table, sizeof(plain));
	for (unsigned k = 0; k < literals->count; k++) {
		uint64_t e = table[literals->at[k]];
		unsigned n = cell_bits(e);

		for (unsigned i = literals->at[k], rest = 0; i < 1u << LITLEN_TABLE_BITS; i += 1u << n, rest++) {
			uint64_t next = plain[rest], second = next & CELL_LITERAL(0xff);
			/* bits and counts add up; the literal of `next`, if any, becomes the second */
			uint64_t joined = e + next - CELL_NEXT(LITLEN_TABLE_BITS) - second + (second << 8);

			table[i] = n + cell_shift(next) <= LITLEN_TABLE_BITS ? joined : e;
		}
	}
}

/*
 * Returns whether one symbol in eight or more is a literal, so that joining them pays for itself. A codeword of n bits
 * is for a probability of 2^-n.
 */
static bool has_many_literals(const struct huffman_code *code)
{
	uint32_t share = 0; /* in 2^-CODE_BITS_MAX */

	for (unsigned i = 0; i < code->count && code->symbols[i] < END_OF_BLOCK; i++)
		share += 1u << (CODE_BITS_MAX - code->bits[i]);
	return share >= 1u << (CODE_BITS_MAX - 3);
}

bool huffman_precode_table(uint64_t table[PRECODE_TABLE_SIZE], const struct huffman_code *code)
{
	return build(table, PRECODE_TABLE_BITS, code, precode_cell, NULL);
}

bool huffman_litlen_table(uint64_t table[LITLEN_TABLE_SIZE], const struct huffman_code *code)
{
	struct literal_codewords codewords;

	codewords.count = 0;
	if (!build(table, LITLEN_TABLE_BITS, code, litlen_cell, &codewords))
		return false;
	if (has_many_literals(code))
		join_literals(table, &codewords);
	return true;
}

bool huffman_distance_table(uint64_t table[DISTANCE_TABLE_SIZE], const struct huffman_code *code)
{
	if (code->count > 1)
		return build(table, DISTANCE_TABLE_BITS, code, distance_cell, NULL);
	if (code->count && code->bits[0] != 1)
		return false;
	for (unsigned i = 0; i < 1u << DISTANCE_TABLE_BITS; i++)
		table[i] = code->count && !(i & 1) ? distance_cell(code->symbols[0], 1) : exceptional_cell(0);
	return true;
}
