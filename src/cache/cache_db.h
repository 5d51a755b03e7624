/*
 * struct cache_db: the SQLite file of a cache: whether it is sound, and its connections.
 *
 * The file may be anybody's work, so nothing in its schema is run. SQLite has no openat(): it gets a path below
 * /proc/self/fd, by a VFS that does not resolve the link, and so finds its journal in the same folder. Any thread may
 * use it, each with a connection of its own.
 */
#pragma once

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "cache/cache_record.h"

enum { RECORD_MAX = 8 << 20 }; /* a record is a few hundred bytes; a mask of 65536 ids takes 2 MiB */

struct cache_db {
	char *file;    /* as the user would write it, for messages; owned */
	char *path;    /* through the folder's descriptor; owned */
	bool refused;  /* others can write to it or to its journal: it is neither read nor written */
	bool readable; /* it existed and looked sound when it was opened */
	atomic_bool broken, warned;
};

/*
 * Opens a file of a folder once, to see whether it is a sound database. shown: the folder for
 * messages; folder: its path, which must lead to the same folder as long as db is used.
 */
void cache_db_open(struct cache_db *db, const char *shown, const char *folder, const char *name);
void cache_db_release(struct cache_db *db);
/* Warns, once for all that can go wrong: a cache is a help, not a result. */
void cache_db_give_up(struct cache_db *db, const char *why);
/* Warns about a result code of SQLite. A database that is not sound is not used again. */
void cache_db_fail(struct cache_db *db, int rc);

/* Returns a result code of SQLite. */
int cache_db_connect(const struct cache_db *db, bool write, sqlite3 **out);

enum { CACHE_FILES_MAX = 8 }; /* databases that a folder keeps, one per set of settings */

/*
 * struct cache_spool: new records, on their way to the database. Workers append them to an unlinked file, so that no
 * worker waits for the database's lock and memory is bounded. When all workers are done, one transaction inserts them.
 */
struct cache_spool {
	struct cache_db *db;
	const char *folder;
	pthread_mutex_t lock;  /* for all that follows */
	int fd;                /* -1: not open */
	bool failed;           /* nothing more is spooled, and nothing will be written */
	struct strbuf pending; /* not in the file yet */
	uint64_t records;
	int64_t palette; /* the id of the last one; 0: none */
};

/* Borrows db and folder, the path of the database's folder. */
void cache_spool_init(struct cache_spool *s, struct cache_db *db, const char *folder);
/* Adds a record, and its palette under its id, unless that is the last record's; NULL: it has none. Any thread. */
void cache_spool_add(struct cache_spool *s, int64_t key, const struct strbuf *record, const uint8_t *palette);
/*
 * Writes the records to the database, or removes it if it is broken, then tidies the folder. After the last worker.
 * Releases the spool.
 */
void cache_spool_finish(struct cache_spool *s);
