/*
 * struct cache_spool: new records, on their way to the database.
 *
 * Workers append them to an unlinked file, so that no worker waits for the database's lock and memory is bounded. When
 * all workers are done, one transaction inserts them.
 */
#ifndef CACHE_CACHE_WRITE_H
#define CACHE_CACHE_WRITE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "cache/cache_db.h"

enum { CACHE_FILES_MAX = 8 }; /* databases that a folder keeps, one per set of settings */

struct cache_spool {
	struct cache_db *db;
	const char *folder;
	pthread_mutex_t lock;  /* for all that follows */
	int fd;                /* -1: not open */
	bool failed;           /* nothing more is spooled, and nothing will be written */
	struct strbuf pending; /* not in the file yet */
	uint64_t records;
};

/* Borrows db and folder. */
void cache_spool_init(struct cache_spool *s, struct cache_db *db, const char *folder);
/* Adds a record. Any thread. */
void cache_spool_add(struct cache_spool *s, int64_t key, const struct strbuf *record);
/*
 * Writes the records to the database, or removes it if it is broken, then tidies the folder. After the last worker.
 * Releases the spool.
 */
void cache_spool_finish(struct cache_spool *s);

#endif
