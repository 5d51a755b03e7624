/*
 * struct cache: results of measuring files that have not changed since, so that they need not be opened again.
 *
 * A folder holds one file (cache_file.h) per set of settings that decides measuring (labelaudit-<digest>.cache; the
 * last CACHE_FILES_MAX are kept) and a CACHEDIR.TAG. A file's record (cache_record.h) is used if device, inode, size,
 * mtime and ctime of the file are those of the record, to the nanosecond. Rules are applied again, so the report is the
 * same as without a cache. Only masks (PNG) are cached, damaged ones too, but not those that could not be read.
 *
 * The cache is never trusted blindly:
 *   - A file that was changed less than CACHE_RACY_SECONDS before the audit began is not cached: it could change again
 *     without a change of its times (git calls this racily clean).
 *   - The size and mtime of the program itself are part of the settings' digest.
 *   - Every record has a checksum. A file that is not sound is made anew.
 *   - A folder that belongs to another user (but root), or that others can write to, is not used, nor is a file of
 * others in it. The folder is opened once, and everything in it is reached through its descriptor.
 *   - A problem with the cache gives one warning, and never fails the audit.
 *
 * Each worker has a reader of its own. New records are written when all workers are done.
 */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "cache/cache_file.h"
#include "cache/cache_record.h"

/* FAT stores times in steps of two seconds, other file systems in finer ones. */
enum { CACHE_RACY_SECONDS = 2 };

struct cache;

/* One per worker. */
struct cache_reader {
	struct cache *cache; /* NULL: nothing is cached */
	struct cache_block block;
	struct strbuf record; /* a new one: scratch */
};

/*
 * Opens the cache in `folder`; NULL: the usual one. Returns NULL, with a warning, if there can be no cache.
 */
struct cache *cache_open(const struct settings *settings, const char *folder);
/* Writes the new records. Call it after the last reader was closed. c may be NULL. */
void cache_close(struct cache *c);
/* Appends one line: how many files were unchanged, and how many were measured. */
void cache_summary(const struct cache *c, struct strbuf *out);

void cache_reader_open(struct cache_reader *r, struct cache *c);
void cache_reader_close(struct cache_reader *r);
/* Returns whether there are records at all. */
bool cache_has_any(const struct cache_reader *r);
/* Returns whether cache_take() would find a record of the file. */
bool cache_has(struct cache_reader *r, const struct stat *st);
/* Fills item and batch as measuring the file would; returns false, with both as before, if there is no record. */
bool cache_take(struct cache_reader *r, const struct stat *st, struct batch *batch, struct batch_item *item);
/* Adds a measured file. st: its state before it was read. */
void cache_put(struct cache_reader *r, const struct stat *st, const struct sample *sample,
	       const struct label_stats *stats, const struct id_stats *ids);

/* Returns whether the word after --cache is a folder for it and not a PATH: it is absent, empty, or a cache. */
bool cache_is_folder(const char *word);
/*
 * Returns labelaudit below XDG_CACHE_HOME or ~/.cache, which the caller frees; NULL if there is neither. A variable
 * that is no absolute path is ignored (XDG Base Directory Specification).
 */
char *cache_usual_folder(void);
/*
 * Opens the folder, after creating it and its parents if they are absent. Returns -1 and sets *why if that fails, or if
 * anybody but this user and root owns the folder or can write to it.
 */
int cache_open_folder(const char *folder, const char **why);
