/*
 * struct chunk_walk: follows the chunks of a PNG that someone else reads, and notes what messages need: the offset of
 * a chunk, its declared length, the CRC it should have and the CRC it has.
 *
 * Feed it every byte of the file in order from byte 0, in pieces of any size. It keeps no data but IHDR's, and stops at
 * a declared length over 2^31 - 1. Plain data.
 */
#ifndef PNG_CHUNKS_H
#define PNG_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/png_header.h"

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

enum walk_state {
	WALK_SIGNATURE,
	WALK_HEADER, /* length and type of the next chunk */
	WALK_DATA,
	WALK_CRC,
	WALK_LOST, /* the length is invalid: there is no next chunk */
};

struct chunk {
	uint64_t offset; /* of its length field */
	uint32_t length; /* declared */
	uint32_t type;
};

struct loaders; /* png/loaders.h */

struct chunk_walk {
	struct loaders *loaders; /* borrowed; gets every chunk too; NULL: none */
	enum walk_state state;
	uint64_t at;         /* bytes seen so far */
	uint32_t got;        /* of them, in this state */
	uint8_t small[8];    /* bytes of the header or CRC so far */
	struct chunk now;    /* the current chunk; between two chunks, the last one */
	uint32_t crc;        /* CRC-32 of its type and data so far */
	uint32_t crc_found;  /* the CRC in the file; valid in state WALK_HEADER after a chunk */
	uint64_t chunks;     /* complete ones */
	uint64_t idat_bytes; /* data of all IDATs so far */
	/* set by the chunk's header */
	bool ihdr_seen, plte_seen, idat_seen, iend_seen;
	bool actl_before_idat;
	uint32_t plte_length;
	uint8_t ihdr[PNG_IHDR_BYTES];
};

void chunk_walk_init(struct chunk_walk *w);
void chunk_walk_feed(struct chunk_walk *w, const uint8_t *bytes, size_t n);
/* Returns whether the last chunk is complete and its CRC is wrong. */
bool chunk_walk_crc_wrong(const struct chunk_walk *w);

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

#endif
