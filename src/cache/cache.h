/*
 * struct cache: what measuring found in files that have not changed since, so that they need not be opened again.
 *
 * A folder holds one SQLite file for each set of settings that decides measuring (labelaudit-<digest>.sqlite; the last
 * CACHE_FILES_MAX are kept) and a CACHEDIR.TAG. A file's record (cache_record.h) is used if its device, inode, size,
 * mtime and ctime are those of the record, to the nanosecond. Rules are asked anew, so a report made with a cache is
 * the report that would be made without it. Masks (PNG) are cached, the damaged ones too; not what could not be read,
 * and nothing else.
 *
 * Never trusted blindly:
 *   - A file that was changed less than CACHE_RACY_SECONDS before the audit began is not cached: it could change again
 *     without a change of its times (what git calls racily clean).
 *   - The program, to its own size and mtime, is part of the settings' digest.
 *   - Every record has a checksum over its file's state and itself; a database that is not sound is made anew, one that
 *     is locked or somebody else's is passed over: with one warning, and never a failure of the audit.
 *
 * Readers: one a worker, each with a connection of its own inside one read transaction. New records are spooled to an
 * unlinked file, so that nobody waits for a lock and memory is bounded, and written when all workers are done.
 */
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "measure/backend.h"

enum {
	CACHE_FILES_MAX = 8,
	/* FAT stores times in steps of two seconds, other file systems in finer ones. */
	CACHE_RACY_SECONDS = 2,
};

struct cache;

/* A worker's own. */
struct cache_reader {
	struct cache *cache; /* NULL: nothing is cached */
	void *connection;    /* NULL: there is nothing to read */
	void *lookup;
	struct strbuf record; /* scratch */
};

/* folder: NULL for the usual one. verify: nothing is taken and nothing written. NULL: passed over, with a warning. */
struct cache *cache_open(const struct settings *settings, const char *folder, bool verify);
/* Writes what was measured. After the last reader was closed. NULL is fine. */
void cache_close(struct cache *c);
/* How many files were taken, and how many measured, in one line. */
void cache_summary(const struct cache *c, struct strbuf *out);
/* With verify: fails if a record differs from what was measured (the paths were printed as errors) or is damaged. */
enum status cache_verdict(const struct cache *c, struct error *err);

void cache_reader_open(struct cache_reader *r, struct cache *c);
void cache_reader_close(struct cache_reader *r);
/* True: item and batch are filled as by measuring the file. False: they are as before. */
bool cache_take(struct cache_reader *r, const struct stat *st, struct batch *batch, struct batch_item *item);
/* A file that was measured; st: as it was before reading. */
void cache_put(struct cache_reader *r, const struct stat *st, const struct sample *sample,
	       const struct label_stats *stats, const struct id_stats *ids);

#endif
