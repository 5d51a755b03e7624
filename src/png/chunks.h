/*
 * struct chunk_walk: follows the chunks of a PNG that someone else reads, and notes what messages need: the offset of
 * a chunk, its declared length, the CRC it should have and the CRC it has.
 *
 * Feed it every byte of the file in order from byte 0, in pieces of any size. It keeps no data but IHDR's, and stops at
 * a declared length over 2^31 - 1. Plain data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/png_header.h"
#include "png/chunk.h"

enum walk_state {
	WALK_SIGNATURE,
	WALK_HEADER, /* length and type of the next chunk */
	WALK_DATA,
	WALK_CRC,
	WALK_LOST, /* the length is invalid: there is no next chunk */
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

void chunk_walk_feed(struct chunk_walk *w, const uint8_t *bytes, size_t n);
/* Returns whether the last chunk is complete and its CRC is wrong. */
bool chunk_walk_crc_wrong(const struct chunk_walk *w);
