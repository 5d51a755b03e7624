/*
 * A measured file as bytes, for the cache: what measuring found, and the state of the file. Findings are not part of
 * it, because rules are applied again.
 *
 *   crc-32 of what follows, 4 bytes; then numbers of 7 bits per byte, lowest first, with folded signs (0, -1, 1, -2 ...
 *   are 0, 1, 2, 3 ...): the state of the file, status, PNG header, fault and warning, stats, rows, and of a palette
 *   the colours that are in use: no rule asks about others
 *
 * The structs of measure/label_stats.h are stored as words of 64 bits, whatever their fields mean, with runs of zeros
 * counted. So a record is valid for one layout of them, which is part of the settings' digest. Decoding accepts any
 * bytes, and returns false if they are no record. The numbers of one are taken as true: it is this user's
 * own (cache.h), by the same program. Pure functions, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "measure/backend.h"

/* Increase it when the format above changes, or the meaning of what is measured. */
enum { CACHE_RECORD_VERSION = 6 };

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
bool cache_record_decode(const uint8_t *bytes, size_t n, const struct stat *st, struct batch *batch,
			 struct batch_item *item, bool *damaged);
