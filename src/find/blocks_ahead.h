/*
 * struct blocks_ahead: blocks of an archive that are read and unpacked before they are asked for, so that unpacking
 * overlaps with decoding.
 *
 * Workers do it, each after it drew from the archive and before it decodes, while too few blocks are ready: so all
 * cores compute, and there are no more threads than cores. Where blocks are waited for (a pipe, late storage), a thread
 * of their own fills them, and workers do not.
 *
 * Blocks are the same, and come in the same order, as from the block_reader alone; a fault comes with the block after
 * which it is. One thread at a time takes blocks, and one fills. At most BLOCKS_AHEAD blocks exist, those that are
 * being filled and taken included: 2.3 MiB, taken as they are needed; without a thread half of them.
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
 * Takes over the reader. window: the last bytes that the reader gave, if it is a packed one. Returns NULL if there is
 * no memory, or no thread where one is needed; then nothing has changed.
 */
struct blocks_ahead *blocks_ahead_start(struct block_reader *reader, const uint8_t window[BLOCK_READER_WINDOW]);
/*
 * Returns the next block, with the n bytes `rest` copied in front of it: the end of the current one, which is given
 * back. Returns NULL if *stop became true before it came.
 */
const struct block *blocks_ahead_next(struct blocks_ahead *a, const uint8_t *rest, size_t n, const atomic_bool *stop);
/*
 * Fills blocks while too few are ready, and nobody else does. Any thread that promised so before, once for each
 * promise; the blocks are not freed in between.
 */
void blocks_ahead_promise(struct blocks_ahead *a);
void blocks_ahead_help(struct blocks_ahead *a);
/*
 * Waits for all who help, and frees all but the reader. NULL is fine. Returns false if one waits for storage after an
 * interruption: it may come back, so that the reader may not be freed, and the process is to end by _exit
 * (base/stop.h).
 */
bool blocks_ahead_end(struct blocks_ahead *a);
