/*
 * A measured file as bytes, for the cache: what measuring found, and of which file. Rules are not in it: they are asked
 * again, so what only they depend on may change.
 *
 *   crc-32 of what follows, 4 bytes; then numbers of 7 bits a byte, lowest first, signs folded (0, -1, 1, -2 ... are
 *   0, 1, 2, 3 ...): the state of the file, status, PNG header, palette's id (0: none), fault and warning, stats, rows
 *
 * The structs of measure/label_stats.h are taken as words of 64 bits, whatever their fields mean, with runs of zeros
 * counted; so a record holds for one layout of them, which the cache's key says. Decoding takes any bytes: false for
 * what cannot be a record. Pure except for the palettes; any thread.
 */
#ifndef CACHE_CACHE_RECORD_H
#define CACHE_CACHE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "measure/backend.h"

/* Changes with what is above, or with the meaning of what is measured. */
enum { CACHE_RECORD_VERSION = 1 };

enum { PALETTE_BYTES = 256 * 3 };

/* Of its PALETTE_BYTES bytes: crc-32 and adler-32. Never 0. */
int64_t cache_palette_id(const uint8_t *palette);

/*
 * Palettes are stored once, by their ids: a data set has one. find: NULL if it is not known. Whoever encodes keeps the
 * palette of each record that has one.
 */
struct palette_store {
	const uint8_t *(*find)(void *context, int64_t id);
	void *context;
};

/* Appends the record. */
void cache_record_encode(const struct stat *st, const struct sample *sample, const struct label_stats *stats,
			 const struct id_stats *ids, struct strbuf *out);
/*
 * True if the bytes are a record of the file whose state is st; then sample (except its names and split), stats and
 * the rows are filled, the rows in batch. False: *damaged tells a broken record from one of another state; the batch
 * has no row more than before, and item is undefined.
 */
bool cache_record_decode(const uint8_t *bytes, size_t n, const struct stat *st, const struct palette_store *palettes,
			 struct batch *batch, struct batch_item *item, bool *damaged);

#endif
