/*
 * Huffman codes of DEFLATE (RFC 1951) as tables for fast_inflate.c: what the entries hold, and how they are built.
 *
 * A look-up takes LITLEN_TABLE_BITS or DISTANCE_TABLE_BITS of the input and gives as many symbols as these bits hold,
 * up to two literals or a literal and a length; longer codewords go on in a second table. From bit 0 on:
 *
 *   8 bits   how many bits all of that takes, extra bits included
 *   8 bits   how many the look-up has that comes next
 *   8 bits   how many come before the extra bits of the length or distance: those of codewords
 *   8 bits   how many extra bits there are
 *   16 bits  two literals
 *   2 bits   how many of them there are
 *   14 bits  base of a length; 0: there is none, but literals
 *
 * Both pairs of 8 bits are what the instruction bextr wants to know of a field: where it begins, and its length. The
 * base of a distance has 16 bits, those of the number of literals too. The highest bit is ENTRY_EXCEPTIONAL: neither
 * symbol, but ENTRY_TABLE or ENTRY_END in place of the literals; only the bits of codewords are taken.
 *
 * ENTRY_TABLE: the second table's start and bits are in the places of a base and of the number of extra bits.
 */
#ifndef PNG_FAST_HUFFMAN_H
#define PNG_FAST_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LITLEN_TABLE_BITS = 9,
	LITLEN_TABLE_ROOM = 852, /* zlib's `enough 286 9 15`; the fixed code of 288 needs 512 */
	DISTANCE_TABLE_BITS = 8,
	DISTANCE_TABLE_ROOM = 402, /* `enough 32 8 15` */
	PRECODE_TABLE_BITS = 7,
	PRECODE_TABLE_ROOM = 1 << PRECODE_TABLE_BITS, /* no codeword is longer */

	CODE_BITS_MAX = 15,
	LITLEN_SYMBOLS = 288,
	DISTANCE_SYMBOLS = 32,
	PRECODE_SYMBOLS = 19,
	END_OF_BLOCK = 256,
};

#define ENTRY_BITS(n)     ((uint64_t)(n))
#define ENTRY_NEXT(n)     ((uint64_t)(n) << 8)
#define ENTRY_SHIFT(n)    ((uint64_t)(n) << 16)
#define ENTRY_EXTRA(n)    ((uint64_t)(n) << 24)
#define ENTRY_LITERAL(b)  ((uint64_t)(b) << 32)
#define ENTRY_LITERALS(n) ((uint64_t)(n) << 48)
#define ENTRY_LENGTH(n)   ((uint64_t)(n) << 50)
#define ENTRY_START(n)    ENTRY_LENGTH(n)
#define ENTRY_BASE(n)     ((uint64_t)(n) << 48)
#define ENTRY_EXCEPTIONAL (UINT64_C(1) << 63) /* by itself: an unused codeword */
#define ENTRY_TABLE       (UINT64_C(1) << 32)
#define ENTRY_END         (UINT64_C(1) << 33)

static inline unsigned entry_bits(uint64_t e)
{
	return e & 63;
}

static inline unsigned entry_shift(uint64_t e)
{
	return e >> 16 & 63;
}

static inline unsigned entry_literals(uint64_t e)
{
	return e >> 48 & 3;
}

/* Of an entry that is not exceptional; so is the next one. */
static inline unsigned entry_length(uint64_t e)
{
	return (unsigned)(e >> 50);
}

static inline unsigned entry_base(uint64_t e)
{
	return (unsigned)(e >> 48);
}

/* Where the second table begins. */
static inline unsigned entry_start(uint64_t e)
{
	return e >> 50 & 0xfff;
}

/* The symbols that have a codeword, in ascending order, and its length. Most masks use a few of the many. */
struct huffman_code {
	unsigned count;
	uint16_t symbols[LITLEN_SYMBOLS];
	uint8_t bits[LITLEN_SYMBOLS];
};

/* The next symbol; bits 0: it has no codeword. */
static inline void huffman_add(struct huffman_code *code, unsigned symbol, unsigned bits)
{
	code->symbols[code->count] = (uint16_t)symbol;
	code->bits[code->count] = (uint8_t)bits;
	code->count += bits != 0;
}

/* False: the code is incomplete or has too many codewords; then the table is undefined. */
bool huffman_precode_table(uint64_t table[PRECODE_TABLE_ROOM], const struct huffman_code *code);
bool huffman_litlen_table(uint64_t table[LITLEN_TABLE_ROOM], const struct huffman_code *code);
/* One distance of one bit, or none at all, is all that may be incomplete; then the rest are unused codewords. */
bool huffman_distance_table(uint64_t table[DISTANCE_TABLE_ROOM], const struct huffman_code *code);

#endif
