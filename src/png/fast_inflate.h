/*
 * struct inflate: DEFLATE (RFC 1951), inputs and outputs in pieces, tuned for masks: few symbols, long matches.
 *
 * A piece of input that is not the last is used up but for its last bytes: between two symbols, or before the header of
 * a block, inflate_step asks whether as many are left as what comes next may take (INFLATE_WAITS), so that nothing is
 * ever read of them twice, or half. The caller puts what is left before the next piece (inflate_go_on).
 *
 * Why not a library: libdeflate inflates in one piece, which for a large mask leaves the caches before it is looked at,
 * and it takes codes that zlib refuses (length symbols 286 and 287, more than 30 distances, some incomplete codes);
 * zlib is slow. This one stops between symbols when enough is there, and takes LESS than zlib does, never more: whoever
 * is refused asks zlib. One thread each; plain data, no memory of its own.
 */
#ifndef PNG_FAST_INFLATE_H
#define PNG_FAST_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "png/fast_huffman.h"

enum {
	INFLATE_WINDOW = 1 << 15, /* how far back a match reaches */
	/* Readable bytes behind the input, and bytes behind the limit of a step that may be written. */
	INFLATE_READ_AHEAD = 16,
	INFLATE_COPY_MAX = 3 * 128, /* at most as many are written for a match: the longest has 258 */
	INFLATE_WRITE_AHEAD = 3 + INFLATE_COPY_MAX,
	/*
	 * Of a piece that is not the last, at most as many are left: the header of a block with codes. That is 3 + 14
	 * bits, 19 times 3, 286 + 30 lengths of at most 7 + 7 bits, and the rest of the word that they are loaded by.
	 */
	INFLATE_LEFT_MAX = (17 + 19 * 3 + (286 + 30) * 14) / 8 + 2 * 8,
};

enum inflate_result {
	INFLATE_MORE,  /* the limit is reached, and the stream goes on */
	INFLATE_WAITS, /* for the next piece of input */
	INFLATE_END,   /* the last block has ended */
	INFLATE_BAD,   /* not for us */
};

enum inflate_state {
	INFLATE_HEADER, /* a block begins */
	INFLATE_STORED,
	INFLATE_CODES,
};

struct inflate {
	const uint8_t *in, *in_end; /* next byte to load; end of the piece of input */
	const uint8_t *in_last;     /* before a symbol, `in` is not behind it, or the input has ended */
	bool last_piece;
	uint64_t bits;      /* loaded and not used, from bit 0 on */
	uint64_t bits_used; /* 63 less how many of them are counted as loaded */
	enum inflate_state state;
	bool last_block;
	uint32_t stored; /* bytes left of a stored block */
	bool fixed;      /* the tables are those of the fixed code: of a block before, or a stream before */
	uint64_t litlen[LITLEN_TABLE_ROOM];
	uint64_t distance[DISTANCE_TABLE_ROOM];
};

/*
 * *z: all zero before its first stream. The input, or its first piece: n bytes that are followed by INFLATE_READ_AHEAD
 * readable ones, whatever they hold. A piece that is not the last has more than INFLATE_LEFT_MAX bytes.
 */
void inflate_begin(struct inflate *z, const uint8_t *in, size_t n, bool last_piece);
/*
 * Writes from *out on until `limit` is reached or passed (by at most INFLATE_WRITE_AHEAD bytes, some of which may be
 * garbage behind the new *out). first: where the output began, or what is still there of it: at least INFLATE_WINDOW
 * bytes.
 */
enum inflate_result inflate_step(struct inflate *z, const uint8_t *first, uint8_t **out, const uint8_t *limit);
/*
 * Bytes of the piece that are not used; *rest: the first of them. After INFLATE_WAITS, INFLATE_LEFT_MAX at most; after
 * INFLATE_END those behind the stream, SIZE_MAX if it took more than there are.
 */
size_t inflate_left(const struct inflate *z, const uint8_t **rest);
/* The next piece, which begins with the bytes that inflate_left gave: n of them together. Else as inflate_begin. */
void inflate_go_on(struct inflate *z, const uint8_t *in, size_t n, bool last_piece);

#endif
