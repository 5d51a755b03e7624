/*
 * struct source: finds the files to audit. It walks the PATHs, and reads a list of files and the archives among all
 * these, and gives out work units (find/work_unit.h).
 *
 * Any number of threads may draw; there is a lock inside. Units are numbered in the order of the walk, which is the
 * same in every run: PATHs as typed, then the list; below each folder by the bytes of the path (in chunks of FIND_CHUNK
 * names of one folder, see find/walk.h).
 *
 * Directories are read with getdents64, and d_type gives the type of an entry, so no file needs a stat. They stay open
 * while units point at them; at most half of RLIMIT_NOFILE descriptors are used. With `follow`, each directory below a
 * PATH is visited once, known by (device, inode); otherwise symbolic links are skipped, so there are no loops. Memory
 * holds the names of the current directories, never all paths.
 *
 * Archives that are named, and files in folders with an archive's name, are expanded, one level deep. A unit holds
 * either files or members of one archive.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "find/find_options.h"
#include "find/split.h"
#include "find/work_unit.h"

struct source;

/* Returns STATUS_FAILED if a PATH does not exist or a glob is invalid. options must outlive the source. */
enum status source_open(struct source **out, const struct find_options *options, struct error *err);
/*
 * Fills a cleared unit with up to max entries; with fewer if they lie in very many folders or have very long paths.
 * count == 0: there are no more, and the unit has no number. Returns STATUS_FAILED if --files-from could not be read,
 * in this draw or an earlier one.
 */
enum status source_draw(struct source *s, struct work_unit *u, size_t max, struct error *err);
/* How far a source is. */
struct source_progress {
	uint64_t drawn;                 /* entries that were given out */
	bool complete;                  /* these are all */
	uint64_t members;               /* of them: members of archives */
	uint64_t archive_bytes;         /* of archives that were read, in their files */
	uint64_t list_bytes, list_size; /* of the list: those of the paths so far, and all; 0: it is no regular file */
};

/* Any thread. */
struct source_progress source_progress(const struct source *s);
/* Return the split that an entry belongs to, and the names of the splits. Any thread. */
unsigned source_split(const struct source *s, const struct entry *entry);
const struct splits *source_splits(const struct source *s);
/*
 * Returns the number of paths of --files-from that were drawn, and in *sum the sum of their keys, whatever their order.
 * Any thread.
 */
uint64_t source_listed(const struct source *s, uint64_t *sum);
/* Ends all draws at once, even one that waits for a list from a pipe. Any thread. */
void source_stop(struct source *s);
/* NULL is fine. Units may outlive it, except one that has a stream. */
void source_close(struct source *s);

/*
 * Calls take for every entry of a source of its own, in order, until that returns false. *seen: how far it came; NULL
 * is fine. Fails as open and draw do.
 */
enum status source_each(const struct find_options *options, bool (*take)(void *self, const struct entry *entry),
			void *self, struct source_progress *seen, struct error *err);
