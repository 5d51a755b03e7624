/*
 * What the parts of the cache share: cache.c finds and reads it, cache_write.c writes it. For these two files alone.
 */
#ifndef CACHE_CACHE_PARTS_H
#define CACHE_CACHE_PARTS_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <time.h>

#include "cache/cache.h"
#include "cache/cache_record.h"

/* "labc", by which file(1) too can tell it from other databases. */
enum { APPLICATION_ID = 0x6c616263 };

/* A record is a few hundred bytes; a mask of 65536 ids takes 2 MiB. Palettes: a set has a handful. */
enum { RECORD_MAX = 8 << 20, PALETTES_MAX = 1024 };

struct palette {
	int64_t id;
	uint8_t rgb[PALETTE_BYTES];
};

struct cache {
	char *folder, *file; /* owned */
	bool verify;
	bool readable; /* the database was there and looked sound when it was opened */
	struct timespec began;
	atomic_bool broken, warned;
	atomic_uint_fast64_t measured, taken, differing;
	/* Only ever added to, under the lock, and counted after that; owned. */
	struct palette *palettes; /* PALETTES_MAX */
	atomic_size_t palettes_count;

	pthread_mutex_t lock;
	/* under the lock */
	int spool; /* -1: none */
	bool spool_failed;
	struct strbuf pending; /* not in the spool yet */
	uint64_t spooled;      /* records */
};

/* One warning for all that can go wrong: a cache is a help, not a result. */
void cache_give_up(struct cache *c, const char *why);
int cache_connect(const struct cache *c, bool write, sqlite3 **out);
/* SQLITE_CORRUPT if it is another kind of database. */
int cache_check_schema(sqlite3 *db);

/* NULL: it is not known. context: the cache. Needs no lock. */
const uint8_t *cache_find_palette(void *context, int64_t id);
/* False: there are too many. */
bool cache_keep_palette(struct cache *c, const uint8_t *rgb);
/* A finished record on its way to the database. Any thread. */
void cache_spool(struct cache *c, int64_t key, const struct strbuf *record);
/* Writes what was spooled, or removes what is broken. After the last worker. */
void cache_finish(struct cache *c);

#endif
