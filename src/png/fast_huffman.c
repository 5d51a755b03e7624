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

/* Of `bits` bits, and as many extra ones as the symbol's table says. */
static uint64_t extra_entry(uint32_t symbol, unsigned bits)
{
	unsigned extra = symbol & 0xffff;

	return ENTRY_EXTRA(extra) | ENTRY_SHIFT(bits) | ENTRY_BITS(bits + extra);
}

/* What is exceptional is never joined to a literal before it: as if its codeword were too long for that. */
static uint64_t exceptional_entry(uint64_t what)
{
	return ENTRY_EXCEPTIONAL | ENTRY_SHIFT(CODE_BITS_MAX) | what;
}

static uint64_t litlen_entry(unsigned symbol, unsigned bits)
{
	if (symbol < END_OF_BLOCK)
		return ENTRY_LITERALS(1) | ENTRY_LITERAL(symbol) | extra_entry(0, bits) | ENTRY_NEXT(LITLEN_TABLE_BITS);
	if (symbol == END_OF_BLOCK)
		return exceptional_entry(ENTRY_END | ENTRY_BITS(bits));
	if (symbol - 257 >= ARRAY_SIZE(length_symbols))
		return exceptional_entry(0);
	uint32_t length = length_symbols[symbol - 257];

	return ENTRY_LENGTH(length >> 16) | extra_entry(length, bits) | ENTRY_NEXT(DISTANCE_TABLE_BITS);
}

static uint64_t distance_entry(unsigned symbol, unsigned bits)
{
	if (symbol >= ARRAY_SIZE(distance_symbols))
		return exceptional_entry(0);
	uint32_t distance = distance_symbols[symbol];

	return ENTRY_BASE(distance >> 16) | extra_entry(distance, bits) | ENTRY_NEXT(LITLEN_TABLE_BITS);
}

static uint64_t precode_entry(unsigned symbol, unsigned bits)
{
	return ENTRY_BASE(symbol) | ENTRY_BITS(bits);
}

static unsigned top_bit(uint32_t v)
{
	return 31 - (unsigned)__builtin_clz(v);
}

/* The codeword behind this one of n bits, if it is not the last. */
static uint32_t next_codeword(uint32_t codeword, unsigned n)
{
	uint32_t bit = 1u << top_bit(codeword ^ ((1u << n) - 1));

	return (codeword & (bit - 1)) | bit;
}

/* Symbols by the length of their codewords. False: not a complete code. */
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

/* The codewords of literals that the first table holds whole, from the shortest on. */
struct literal_codewords {
	unsigned count;
	uint16_t at[END_OF_BLOCK + 1]; /* one more than there are, for what is written and not kept */
};

/*
 * Fills a table for complete codes; deflate sends codewords from their first bit on, so they are counted up from the
 * left, bit-reversed. A table for n bits is twice the one for n - 1, plus the codewords of n bits. literals: NULL, or
 * empty.
 */
static inline __attribute__((always_inline)) bool build(uint64_t *table, unsigned table_bits,
							const struct huffman_code *code,
							uint64_t (*entry)(unsigned, unsigned),
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
		return false; /* cannot be: a complete code of so few symbols has a short codeword */
	end = 1u << n;
	while (n <= table_bits) {
		do {
			if (literals) {
				literals->at[literals->count] = (uint16_t)codeword;
				literals->count += *next < END_OF_BLOCK;
			}
			table[codeword] = entry(*next++, n);
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
			table[prefix] = exceptional_entry(ENTRY_TABLE | ENTRY_START(start) | ENTRY_EXTRA(sub_bits) |
							  ENTRY_NEXT(sub_bits) | ENTRY_BITS(table_bits));
		}
		uint64_t e = entry(*next++, n - table_bits);

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
 * Literals that leave room in the first table for what follows are joined with it: a literal's codeword of n bits, then
 * `next`, for all 9 - n bits that may come there. No branches, since none could be foreseen.
 */
static void join_literals(uint64_t *table, const struct literal_codewords *literals)
{
	uint64_t plain[1 << (LITLEN_TABLE_BITS - 1)]; /* as it was: what follows is not joined itself */

	memcpy(plain, table, sizeof(plain));
	for (unsigned k = 0; k < literals->count; k++) {
		uint64_t e = table[literals->at[k]];
		unsigned n = entry_bits(e);

		for (unsigned i = literals->at[k], rest = 0; i < 1u << LITLEN_TABLE_BITS; i += 1u << n, rest++) {
			uint64_t next = plain[rest], second = next & ENTRY_LITERAL(0xff);
			/* lengths and numbers add up, and one of two literals is the second */
			uint64_t joined = e + next - ENTRY_NEXT(LITLEN_TABLE_BITS) - second + (second << 8);

			table[i] = n + entry_shift(next) <= LITLEN_TABLE_BITS ? joined : e;
		}
	}
}

/* Whether the code expects many literals: a codeword of n bits is for what comes once in 2^n times. */
static bool has_many_literals(const struct huffman_code *code)
{
	uint32_t share = 0;

	for (unsigned i = 0; i < code->count && code->symbols[i] < END_OF_BLOCK; i++)
		share += 1u << (CODE_BITS_MAX - code->bits[i]);
	return share >= 1u << (CODE_BITS_MAX - 3);
}

bool huffman_precode_table(uint64_t table[PRECODE_TABLE_ROOM], const struct huffman_code *code)
{
	return build(table, PRECODE_TABLE_BITS, code, precode_entry, NULL);
}

bool huffman_litlen_table(uint64_t table[LITLEN_TABLE_ROOM], const struct huffman_code *code)
{
	struct literal_codewords literals;

	literals.count = 0;
	if (!build(table, LITLEN_TABLE_BITS, code, litlen_entry, &literals))
		return false;
	if (has_many_literals(code))
		join_literals(table, &literals);
	return true;
}

bool huffman_distance_table(uint64_t table[DISTANCE_TABLE_ROOM], const struct huffman_code *code)
{
	if (code->count > 1)
		return build(table, DISTANCE_TABLE_BITS, code, distance_entry, NULL);
	if (code->count && code->bits[0] != 1)
		return false;
	for (unsigned i = 0; i < 1u << DISTANCE_TABLE_BITS; i++)
		table[i] = code->count && !(i & 1) ? distance_entry(code->symbols[0], 1) : exceptional_entry(0);
	return true;
}
