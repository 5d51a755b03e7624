/*
 * Decoding tables for the Huffman codes of DEFLATE (RFC 1951): the format of their cells, and how they are built.
 *
 * A look-up takes LITLEN_TABLE_BITS or DISTANCE_TABLE_BITS of the input. Its cell holds all symbols that these bits
 * complete, up to two literals or a literal and a length; longer codewords continue in a second table. From bit 0 on:
 *
 *   8 bits   number of bits to consume, extra bits included
 *   8 bits   number of bits of the next look-up
 *   8 bits   number of codeword bits, which precede the extra bits of the length or distance
 *   8 bits   number of extra bits
 *   16 bits  two literals
 *   2 bits   number of literals
 *   14 bits  base of a length; 0: literals only
 *
 * Each pair of 8 bits is a control operand of the instruction bextr: start and length of a bit field. The base of a
 * distance has 16 bits, and includes the number of literals. The highest bit is CELL_EXCEPTIONAL: there is no symbol,
 * but CELL_TABLE or CELL_END in place of the literals; only codeword bits are consumed.
 *
 * CELL_TABLE: the start of the second table replaces a base, its bits the number of extra bits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	LITLEN_TABLE_BITS = 9,
	LITLEN_TABLE_SIZE = 852, /* zlib's `enough 286 9 15`; the fixed code of 288 needs 512 */
	DISTANCE_TABLE_BITS = 8,
	DISTANCE_TABLE_SIZE = 402, /* `enough 32 8 15` */
	PRECODE_TABLE_BITS = 7,
	PRECODE_TABLE_SIZE = 1 << PRECODE_TABLE_BITS, /* no codeword is longer */

	CODE_BITS_MAX = 15,
	LITLEN_SYMBOLS = 288,
	DISTANCE_SYMBOLS = 32,
	PRECODE_SYMBOLS = 19,
	END_OF_BLOCK = 256,
};

#define CELL_BITS(n)     ((uint64_t)(n))
#define CELL_NEXT(n)     ((uint64_t)(n) << 8)
#define CELL_SHIFT(n)    ((uint64_t)(n) << 16)
#define CELL_EXTRA(n)    ((uint64_t)(n) << 24)
#define CELL_LITERAL(b)  ((uint64_t)(b) << 32)
#define CELL_LITERALS(n) ((uint64_t)(n) << 48)
#define CELL_LENGTH(n)   ((uint64_t)(n) << 50)
#define CELL_START(n)    CELL_LENGTH(n)
#define CELL_BASE(n)     ((uint64_t)(n) << 48)
#define CELL_EXCEPTIONAL (UINT64_C(1) << 63) /* by itself: an unused codeword */
#define CELL_TABLE       (UINT64_C(1) << 32)
#define CELL_END         (UINT64_C(1) << 33)

static inline unsigned cell_bits(uint64_t e)
{
	return e & 63;
}

static inline unsigned cell_shift(uint64_t e)
{
	return e >> 16 & 63;
}

static inline unsigned cell_literals(uint64_t e)
{
	return e >> 48 & 3;
}

/* Only for cells that are not exceptional, as cell_base. */
static inline unsigned cell_length(uint64_t e)
{
	return (unsigned)(e >> 50);
}

static inline unsigned cell_base(uint64_t e)
{
	return (unsigned)(e >> 48);
}

/* Returns where the second table begins. */
static inline unsigned cell_start(uint64_t e)
{
	return e >> 50 & 0xfff;
}

/* The symbols that have a codeword, in ascending order, and its length. Most masks use few of all symbols. */
struct huffman_code {
	unsigned count;
	uint16_t symbols[LITLEN_SYMBOLS];
	uint8_t bits[LITLEN_SYMBOLS];
};

/* Appends a symbol; with 0 bits it has no codeword. */
static inline void huffman_add(struct huffman_code *code, unsigned symbol, unsigned bits)
{
	code->symbols[code->count] = (uint16_t)symbol;
	code->bits[code->count] = (uint8_t)bits;
	code->count += bits != 0;
}

/* Build a table. False: the code is incomplete or has too many codewords; then the table is undefined. */
bool huffman_precode_table(uint64_t table[PRECODE_TABLE_SIZE], const struct huffman_code *code);
/* Literals are joined with the symbol after them where the code expects enough of them. */
bool huffman_litlen_table(uint64_t table[LITLEN_TABLE_SIZE], const struct huffman_code *code);
/* A code of no distance, or of one with one bit, may be incomplete; the other codewords are then unused. */
bool huffman_distance_table(uint64_t table[DISTANCE_TABLE_SIZE], const struct huffman_code *code);
