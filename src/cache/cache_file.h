/*
 * struct cache_file: the file of a cache: records of bytes by key. It is read where it lies, and written as a whole
 * beside it and renamed: the old one or the new one, never half of one.
 *
 *   "labcache", the number of records; of each record its key and where it begins, by key, and once more the end of
 *   the file; the records
 *
 * Numbers are words of 64 bits of this machine. New records are added to those of the file as it is when they are
 * written: only of two processes that write in the same moment those of one are lost. The file may be damaged: what it
 * says is checked before it is used. Any thread may read.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum {
	RECORD_MAX = 8 << 20,        /* a record is a few hundred bytes; a mask of 65536 ids takes 2 MiB */
	CACHE_RECORDS_NEW = 1 << 21, /* of one audit: 24 bytes each in memory; what comes after is not kept */
	CACHE_RECORDS_MAX = 1 << 23, /* of a file; with more it begins anew, since files that are gone stay in it */
	CACHE_FILES_MAX = 8,         /* files that a folder keeps, one per set of settings */
	CACHE_BLOCK = 256,           /* keys that are read at once */
};
#define CACHE_FILE_BYTES_MAX ((uint64_t)2 << 30)

/* Where a record is. */
struct cache_key {
	int64_t key;
	uint64_t at;
};

/* A record that was not in the file. */
struct cache_spooled {
	int64_t key;
	uint64_t at; /* in the spool */
	uint32_t n, number;
};

struct cache_file {
	int folder_fd;       /* borrowed */
	int fd;              /* -1: there is nothing to read */
	char *shown;         /* as the user would write it, for messages; owned */
	const char *name;    /* in the folder: the end of it */
	uint64_t count, end; /* records; bytes */
	bool refused;        /* it is not this user's alone: neither read nor written */
	atomic_bool warned;

	/* New records lie in a file without a name until all workers are done: no worker waits for the disk. */
	pthread_mutex_t lock;  /* for all that follows */
	int spool_fd;          /* -1: not open */
	bool failed;           /* nothing more is kept, and nothing will be written */
	struct strbuf pending; /* not in the spool yet */
	uint64_t spooled_bytes;
	struct cache_spooled *v; /* owned */
	size_t v_count, v_cap;
};

/* Some keys that lie one after the other, and the record that was found last. One for each thread; all zero: of none.
 */
struct cache_block {
	uint64_t first; /* the number of the first */
	size_t n;
	struct cache_key v[CACHE_BLOCK + 1]; /* and where the last one ends */
	uint8_t *record;                     /* owned */
	size_t record_n, record_cap;
};

/* Opens a file of an open folder. shown: the folder, for messages. */
void cache_file_open(struct cache_file *f, int folder_fd, const char *shown, const char *name);
/* Writes the new records, and tidies the folder. After the last reader. */
void cache_file_close(struct cache_file *f);
/* Warns, once for all that can go wrong: a cache is a help, not a result. */
void cache_file_give_up(struct cache_file *f, const char *why);
/* Reads the record of a key into the block. Returns false if there is none. */
bool cache_file_find(struct cache_file *f, struct cache_block *block, int64_t key);
/* Adds a record, in place of one of that key. Any thread. */
void cache_file_add(struct cache_file *f, int64_t key, const struct strbuf *record);
