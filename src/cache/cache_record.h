/*
 * A measured file as bytes, for the cache: what measuring found, and the state of the file. Findings are not part of
 * it, because rules are applied again.
 *
 *   crc-32 of what follows, 4 bytes; then numbers of 7 bits per byte, lowest first, with folded signs (0, -1, 1, -2 ...
 *   are 0, 1, 2, 3 ...): the state of the file, status, PNG header, palette's id (0: none), fault and warning, stats,
 *   rows
 *
 * The structs of measure/label_stats.h are stored as words of 64 bits, whatever their fields mean, with runs of zeros
 * counted. So a record is valid for one layout of them, which is part of the settings' digest. Decoding accepts any
 * bytes, and returns false if they are no record. The numbers of one are taken as true: it is this user's
 * own (cache.h), by the same program. Pure functions, except for palettes; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "measure/backend.h"

/* Increase it when the format above changes, or the meaning of what is measured. */
enum { CACHE_RECORD_VERSION = 5 };

enum { PALETTE_BYTES = 256 * 3 };

/* Returns the crc-32 and adler-32 of PALETTE_BYTES bytes. Never 0. */
int64_t cache_palette_id(const uint8_t *palette);

/*
 * Palettes are stored once, by their ids, because most data sets have one. find returns NULL if the id is unknown. The
 * caller of cache_record_encode() stores the record's palette.
 */
struct palette_store {
	const uint8_t *(*find)(void *context, int64_t id);
	void *context;
};

/* Returns whether a result depends on the file alone, not on memory or permissions: no other result has a record. */
bool cache_record_is_storable(const struct sample *sample);
/* Appends the record. */
void cache_record_encode(const struct stat *st, const struct sample *sample, const struct label_stats *stats,
			 const struct id_stats *ids, struct strbuf *out);
/*
 * Returns whether the bytes are a record of the file whose state is st. Then sample (except its names and split), stats
 * and the rows, in batch, are filled. If not, item is undefined, the batch has its old rows, and *damaged says whether
 * the record is broken or of another state.
 */
bool cache_record_decode(const uint8_t *bytes, size_t n, const struct stat *st, const struct palette_store *palettes,
			 struct batch *batch, struct batch_item *item, bool *damaged);
