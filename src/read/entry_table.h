/*
 * struct entry_table: which entries (a path, a box) were seen and what was said of them, by 64-bit hash, in bounded
 * memory.
 *
 * Two different entries are taken for one with a chance of count^2 / 2^65. At most ENTRY_TABLE_MAX entries: what comes
 * later is compared with those, but not kept. Owner: the reader; reused by entry_table_clear. One thread.
 */
#ifndef READ_ENTRY_TABLE_H
#define READ_ENTRY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All images of ImageNet. Three quarters of 2^21 places of 10 bytes: 20 MiB, and 30 while they are moved there. */
enum { ENTRY_TABLE_MAX = 3 << 19 };

/* How far ahead of the adding the prefetching pays: about as many misses as a core has under way. */
enum { ENTRY_AHEAD = 12 };

struct entry_table {
	uint64_t *hashes; /* owned; 0: free */
	uint16_t *values; /* owned */
	size_t mask;      /* places - 1 */
	size_t count;
	bool full; /* an entry was not kept */
};

enum entry_state {
	ENTRY_NEW,
	ENTRY_SAME,  /* seen with the same value */
	ENTRY_OTHER, /* seen with another one; the first is kept */
};

void entry_table_init(struct entry_table *t);
void entry_table_release(struct entry_table *t);
/* Forgets the entries, keeps at most a small table. */
void entry_table_clear(struct entry_table *t);
/* Starts to bring the place of a hash that will be added soon into the cache: a large table is not in it. */
void entry_table_prefetch(const struct entry_table *t, uint64_t hash);
/* Values below 65535 are compared exactly, all others count as one. */
enum entry_state entry_table_add(struct entry_table *t, uint64_t hash, uint64_t value);

#endif
