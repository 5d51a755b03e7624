/*
 * struct chunk_walk: follows the chunks of a PNG as their bytes go by, whoever reads them, and remembers what a message
 * about them needs: where a chunk stands, what it declares, which CRC it should have and which it has.
 *
 * Passive: it judges nothing and keeps no data but IHDR's. Feed it every byte of the file in order from byte 0, in
 * pieces of any size; after bytes that are no chunk (a declared length over 2^31 - 1) the walk stands still. Plain
 * data.
 */
#ifndef PNG_CHUNKS_H
#define PNG_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PNG_SIGNATURE_BYTES = 8,
	PNG_IHDR_BYTES = 13,
	PNG_CHUNK_NAME_ROOM = 20, /* four bytes, each at most as \xHH, and a NUL */
};
/* PNG specification, section 5.3: a length is at most 2^31 - 1. */
#define PNG_LENGTH_MAX 0x7fffffffu

#define PNG_TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define PNG_TYPE_IHDR        PNG_TYPE('I', 'H', 'D', 'R')
#define PNG_TYPE_PLTE        PNG_TYPE('P', 'L', 'T', 'E')
#define PNG_TYPE_IDAT        PNG_TYPE('I', 'D', 'A', 'T')
#define PNG_TYPE_IEND        PNG_TYPE('I', 'E', 'N', 'D')
#define PNG_TYPE_TRNS        PNG_TYPE('t', 'R', 'N', 'S')
#define PNG_TYPE_ACTL        PNG_TYPE('a', 'c', 'T', 'L')

enum walk_state {
	WALK_SIGNATURE,
	WALK_HEADER, /* length and type of the next chunk */
	WALK_DATA,
	WALK_CRC,
	WALK_LOST, /* the length cannot be one */
};

struct chunk {
	uint64_t offset; /* of its length field */
	uint32_t length; /* declared */
	uint32_t type;
};

struct chunk_walk {
	enum walk_state state;
	uint64_t at;         /* bytes seen so far */
	uint32_t got;        /* of them, in this state */
	uint8_t small[8];    /* header or CRC being gathered */
	struct chunk now;    /* the chunk that is being read; after its CRC, until the next header, the last one */
	uint32_t crc;        /* CRC-32 of its type and data so far */
	uint32_t crc_found;  /* what the file says; valid in state WALK_HEADER behind a chunk */
	uint64_t chunks;     /* read whole */
	uint64_t idat_bytes; /* data of all IDATs seen */
	bool ihdr_seen;      /* its header, that is */
	bool plte_seen, trns_seen, idat_seen, iend_seen;
	bool actl_before_idat;
	uint32_t plte_length, trns_length;
	uint8_t ihdr[PNG_IHDR_BYTES];
};

void chunk_walk_init(struct chunk_walk *w);
void chunk_walk_feed(struct chunk_walk *w, const uint8_t *bytes, size_t n);
/* Whether the last chunk was read whole with a CRC that does not fit its bytes. */
bool chunk_walk_crc_wrong(const struct chunk_walk *w);

static inline bool chunk_is_ancillary(uint32_t type)
{
	return type >> 29 & 1; /* bit 5 of the first byte: a small letter */
}
/* Four ASCII letters. */
bool chunk_type_is_valid(uint32_t type);
/* Ancillary chunks that libpng knows by name and refuses before IHDR; tRNS, which it reads itself, is not among them.
 */
bool chunk_is_known_ancillary(uint32_t type);
/* "IDAT"; what is not a printable ASCII character as \xHH. */
void chunk_type_name(uint32_t type, char out[PNG_CHUNK_NAME_ROOM]);

#endif
