/* A chunk of a PNG: where it is, and what its type says (PNG, third edition, 5.4). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	PNG_CHUNK_NAME_MAX = 20, /* four bytes, each at most as \xHH, and a NUL */
};

#define PNG_TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define PNG_TYPE_IHDR        PNG_TYPE('I', 'H', 'D', 'R')
#define PNG_TYPE_PLTE        PNG_TYPE('P', 'L', 'T', 'E')
#define PNG_TYPE_IDAT        PNG_TYPE('I', 'D', 'A', 'T')
#define PNG_TYPE_IEND        PNG_TYPE('I', 'E', 'N', 'D')
#define PNG_TYPE_TRNS        PNG_TYPE('t', 'R', 'N', 'S')
#define PNG_TYPE_ACTL        PNG_TYPE('a', 'c', 'T', 'L')
#define PNG_TYPE_FCTL        PNG_TYPE('f', 'c', 'T', 'L')
#define PNG_TYPE_FDAT        PNG_TYPE('f', 'd', 'A', 'T')
#define PNG_TYPE_BKGD        PNG_TYPE('b', 'K', 'G', 'D')
#define PNG_TYPE_CHRM        PNG_TYPE('c', 'H', 'R', 'M')
#define PNG_TYPE_GAMA        PNG_TYPE('g', 'A', 'M', 'A')
#define PNG_TYPE_ICCP        PNG_TYPE('i', 'C', 'C', 'P')
#define PNG_TYPE_ITXT        PNG_TYPE('i', 'T', 'X', 't')
#define PNG_TYPE_PHYS        PNG_TYPE('p', 'H', 'Y', 's')
#define PNG_TYPE_SRGB        PNG_TYPE('s', 'R', 'G', 'B')
#define PNG_TYPE_TEXT        PNG_TYPE('t', 'E', 'X', 't')
#define PNG_TYPE_ZTXT        PNG_TYPE('z', 'T', 'X', 't')

struct chunk {
	uint64_t offset; /* of its length field */
	uint32_t length; /* declared */
	uint32_t type;
};

static inline bool chunk_is_ancillary(uint32_t type)
{
	return type >> 29 & 1; /* bit 5 of the first byte: a small letter */
}
/* Returns whether the type is four ASCII letters. */
bool chunk_type_is_valid(uint32_t type);
/* Returns whether libpng knows this ancillary chunk and refuses it before IHDR. Not tRNS, which libpng still reads. */
bool chunk_is_known_ancillary(uint32_t type);
/* Writes "IDAT"; bytes that are not printable ASCII become \xHH. */
void chunk_type_name(uint32_t type, char out[PNG_CHUNK_NAME_MAX]);
