/*
 * struct blocks_ahead: a thread that reads and unpacks the blocks of an archive before they are asked for, so that
 * unpacking overlaps with decoding, and a pipe is emptied while all workers decode.
 *
 * Blocks are the same, and come in the same order, as from the block_reader without a thread; a fault comes with the
 * block after which it is. At most BLOCKS_AHEAD blocks exist, the one that is being filled and the taker's included:
 * 2.3 MiB, taken as they are needed. One thread takes blocks at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "find/block_reader.h"

enum {
	BLOCK_BYTES = 256 << 10, /* larger ones were no faster: they stay in the L2 cache until they are copied */
	BLOCKS_AHEAD = 8, /* some milliseconds of decoding: as long as a thread waits for its turn on busy cores */
};

struct blocks_ahead;

struct block {
	uint8_t *bytes; /* BLOCK_READER_WINDOW bytes before it are the taker's */
	size_t len;
	uint64_t file_bytes; /* the reader's, after the block */
	bool ended;          /* the same; then there is no further block */
	struct fault fault;  /* the same */
};

/*
 * Starts the thread, to which the reader belongs from then on. window: the last bytes that the reader gave, if it is a
 * packed one. Returns NULL if there is no thread or no memory; then nothing has changed.
 */
struct blocks_ahead *blocks_ahead_start(struct block_reader *reader, const uint8_t window[BLOCK_READER_WINDOW]);
/*
 * Returns the next block, with the n bytes `rest` copied in front of it: the end of the current one, which is given
 * back. Returns NULL if *stop became true before it came.
 */
const struct block *blocks_ahead_next(struct blocks_ahead *a, const uint8_t *rest, size_t n, const atomic_bool *stop);
/*
 * Ends the thread, and frees all but the reader. NULL is fine. Returns false if the thread waits for storage after an
 * interruption: it may come back, so that the reader may not be freed, and the process is to end by _exit
 * (base/stop.h).
 */
bool blocks_ahead_end(struct blocks_ahead *a);
