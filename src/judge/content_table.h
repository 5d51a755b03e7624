/*
 * struct content_table: which masks of a set are the same, and under which splits (find/split.h) each was seen.
 *
 * A mask counts by its content: width, height and ids, not by how its file was compressed.
 *
 * Bounded: of more contents than there is room for, those with the smallest hashes are kept, by halving the range of
 * hashes until the rest fits, and every file of a kept content is counted. So what is kept is exact and a fair sample
 * of all: 1 in `content_table_share`. Which contents those are depends on the set alone and not on the order of files,
 * threads or shards: room taken only grows as files are added, and a content beyond a range that was too large for a
 * part of the set is beyond it for the whole set too.
 *
 * Room: CONTENTS_MAX entries of 48 bytes and 8 bytes of index each, and CONTENT_PATHS_MAX bytes of paths: 24 MiB, and
 * 3 MiB more while the array grows. There is one table for all threads of an audit, under a lock: the fraction of a
 * microsecond that it is held is nothing beside a decoded file, and a table for each thread would be as many times as
 * large. What is beyond the range is turned away without the lock. All but content_table_add must be called alone.
 */
#ifndef JUDGE_CONTENT_TABLE_H
#define JUDGE_CONTENT_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* All labelled masks of COCO (123,287) are kept; of a million, at least 65,536. */
enum { CONTENTS_MAX = 1 << 17, CONTENT_PATHS_MAX = 16 << 20 };

/* Known once a content was seen at a second path; else NULL. */
struct content_places {
	char *second; /* the second smallest path */
	/*
	 * Of the files that belong to a split (not 0): the smallest path, and the smallest one of another split than
	 * that. NULL: there is none.
	 */
	char *split_path[2];
	uint8_t split[2];
};

/* One content. All is owned by the table. */
struct content_total {
	uint64_t key[2]; /* evenly distributed; key[0] decides whether it is kept */
	uint64_t files;
	uint32_t path_room; /* bytes of its longest path, with the NUL */
	uint8_t splits;     /* bit s: seen under split s; 0 is none */
	char *path;         /* the smallest by path bytes */
	struct content_places *places;
};

struct content_table {
	pthread_mutex_t lock;
	_Atomic uint64_t last; /* the largest key[0] that is kept */
	struct content_total *v;
	size_t count, cap;
	uint32_t *slots; /* index into v, plus 1; 0: free; a power of two of them */
	size_t slots_count;
	uint64_t seed;
	size_t path_room; /* bytes that all paths may take */
};

void content_table_init(struct content_table *t);
void content_table_release(struct content_table *t);

/* One file, content: as in struct label_stats. Any thread. */
void content_table_add(struct content_table *t, uint32_t width, uint32_t height, const uint64_t content[2],
		       unsigned split, const char *path, const char *member);
/* into += from; from is left empty. */
void content_table_merge(struct content_table *into, struct content_table *from);

/*
 * To write a table down: sort it, then all of v[0..count) and `last`. To read it back: limit an empty table to `last`,
 * and put each content (copied). Putting into a table that is not empty adds, as merging does.
 */
void content_table_sort(struct content_table *t); /* by key */
void content_table_limit(struct content_table *t, uint64_t last);
void content_table_put(struct content_table *t, const struct content_total *c);

/* 1: every content is kept; n: 1 in n. */
uint64_t content_table_share(const struct content_table *t);

#endif
