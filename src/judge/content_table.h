/*
 * struct content_table: which masks of a set are equal, and in which splits (find/split.h) each one occurs.
 *
 * The key of a mask is a hash of its width, height and ids, whatever its compression.
 *
 * The table is bounded. If there are more different masks than it holds, it keeps those with the smallest hashes: it
 * halves the range of hashes until the rest fits. Every file of a kept mask is counted, so the counts are exact, for a
 * fair sample of all masks: 1 in content_table_share(). Which masks are kept depends on the set alone, not on the order
 * of files, threads or shards: the space in use only grows as files are added, so a range that was too large for a part
 * of the set is too large for the whole set.
 *
 * Memory: DISTINCT_MASKS_MAX entries of 48 bytes and 16 bytes of index each, and DISTINCT_PATHS_MAX bytes of paths: 24
 * MiB, and 3 MiB more while the array grows. All threads of an audit share one table under a lock. The lock is held for
 * a fraction of a microsecond per file, and is not taken for masks out of range; a table per thread would multiply the
 * memory. Only content_table_add() may be called by several threads at once.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* Keeps all labelled masks of COCO (123,287); of a million, at least 65,536. */
enum { DISTINCT_MASKS_MAX = 1 << 17, DISTINCT_PATHS_MAX = 16 << 20 };

/* Where a mask occurs, once it was seen at a second path. */
struct content_places {
	char *second; /* the second smallest path */
	/* Among files of a split (not 0): the smallest path, and the smallest one of any other split. NULL: none. */
	char *split_path[2];
	uint8_t split[2];
};

/* One distinct mask. The table owns all of it. */
struct content_total {
	uint64_t key[2]; /* evenly distributed; kept if key[0] <= last */
	uint64_t files;
	uint32_t path_max;             /* bytes of its longest path, with the NUL */
	uint16_t splits;               /* bit s: seen in split s; 0 is no split; below NAME_SPLITS */
	char *path;                    /* the smallest */
	struct content_places *places; /* NULL until a second path is seen */
};

struct content_table {
	pthread_mutex_t lock;
	_Atomic uint64_t last; /* the largest key[0] in range */
	struct content_total *v;
	size_t count, cap;
	struct table table; /* of v, by key */
	size_t paths_bytes; /* bound of the bytes of all paths */
};

void content_table_init(struct content_table *t);
void content_table_release(struct content_table *t);

/* Adds one file. content: as in struct label_stats. Any thread. */
void content_table_add(struct content_table *t, uint32_t width, uint32_t height, const uint64_t content[2],
		       unsigned split, const char *path, const char *member);
/* Adds `from`, and empties it. */
void content_table_merge(struct content_table *into, struct content_table *from);

/*
 * To write a table: sort it by key, then write v[0..count) and `last`. To read it back: limit an empty table to `last`,
 * and put each entry, which is copied. Putting into a table that is not empty adds, as merging does.
 */
void content_table_sort(struct content_table *t);
void content_table_limit(struct content_table *t, uint64_t last);
void content_table_put(struct content_table *t, const struct content_total *c);

/* Returns n if 1 in n masks is kept; 1 if all are. */
uint64_t content_table_share(const struct content_table *t);
