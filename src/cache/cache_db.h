/*
 * struct cache_db: the SQLite file of a cache: whether it is sound, its connections, and its palettes.
 *
 * The file may be anybody's work, so nothing in its schema is run. SQLite has no openat(): it gets a path below
 * /proc/self/fd, by a VFS that does not resolve the link, and so finds its journal in the same folder. Any thread may
 * use it, each with a connection of its own.
 */
#ifndef CACHE_CACHE_DB_H
#define CACHE_CACHE_DB_H

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cache/cache_record.h"

/* A record is a few hundred bytes; a mask of 65536 ids takes 2 MiB. A data set has a handful of palettes. */
enum { RECORD_MAX = 8 << 20, PALETTES_MAX = 1024 };

struct stored_palette {
	int64_t id;
	uint8_t rgb[PALETTE_BYTES];
};

struct cache_db {
	char *file; /* as the user would write it, for messages; owned */
	char *path; /* through the folder's descriptor; owned */
	bool verify;
	bool refused;  /* others can write to it or to its journal: it is neither read nor written */
	bool readable; /* it existed and looked sound when it was opened */
	atomic_bool broken, warned;
	pthread_mutex_t
		lock; /* for adding palettes; reading needs none, because they are counted once they are whole */
	struct stored_palette *palettes; /* PALETTES_MAX; owned */
	atomic_size_t palettes_count;
};

/*
 * Opens a file of a folder once, to see whether it is a sound database, and loads its palettes. shown: the folder for
 * messages; folder: its path, which must lead to the same folder as long as db is used.
 */
void cache_db_open(struct cache_db *db, const char *shown, const char *folder, const char *name, bool verify);
void cache_db_release(struct cache_db *db);
/*
 * Returns whether the file and its journals are absent or ours alone. If not, warns and refuses the database. In a
 * folder that only this user and root can write to, nobody can make this untrue between the check and the use.
 */
bool cache_db_is_ours(struct cache_db *db);

/* Warns, once for all that can go wrong: a cache is a help, not a result. */
void cache_db_give_up(struct cache_db *db, const char *why);
/* Warns about a result code of SQLite. A database that is not sound is not used again. */
void cache_db_fail(struct cache_db *db, int rc);

/* These return a result code of SQLite. */
int cache_db_connect(const struct cache_db *db, bool write, sqlite3 **out);
/* Creates what is missing, in a transaction that the caller commits. */
int cache_db_begin_write(sqlite3 *connection);
int cache_db_store_palettes(struct cache_db *db, sqlite3 *connection);

/* Returns NULL if the palette is unknown. db: a struct cache_db, as struct palette_store wants it. */
const uint8_t *cache_db_find_palette(void *db, int64_t id);
/* Adds a palette; returns false if there are too many. */
bool cache_db_add_palette(struct cache_db *db, const uint8_t *rgb);

/* Removes the database and its journal. */
void cache_db_remove(const char *path);

#endif
