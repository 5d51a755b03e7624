/*
 * struct entry_table: the entries of a list (paths, boxes) read so far, each with its label, to find those that occur
 * twice, and those with another label. Memory is bounded.
 *
 * Entries are compared by a 64-bit hash: among n of them, two are taken for one with probability n^2 / 2^65.
 * Once there are ENTRY_TABLE_MAX, later ones are compared with those, but not added. Owner: the reader, which uses it
 * again after entry_table_clear. One thread.
 */
#ifndef READ_ENTRY_TABLE_H
#define READ_ENTRY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All images of ImageNet. Three quarters of 2^21 places of 10 bytes: 20 MiB, and 30 while they are moved there. */
enum { ENTRY_TABLE_MAX = 3 << 19 };

/* How many entries ahead to prefetch: about as many cache misses as a core can have under way. */
enum { ENTRY_AHEAD = 12 };

struct entry_table {
	uint64_t *hashes; /* owned; 0: free */
	uint16_t *values; /* owned */
	size_t mask;      /* places - 1 */
	size_t count;
	bool full; /* an entry was not added because the table is full */
};

enum entry_state {
	ENTRY_NEW,
	ENTRY_SAME,  /* seen with the same value */
	ENTRY_OTHER, /* seen with another one; the first is kept */
};

void entry_table_init(struct entry_table *t);
void entry_table_release(struct entry_table *t);
/* Forgets the entries; keeps the memory if it is little. */
void entry_table_clear(struct entry_table *t);
/* Fetches the place of a hash that will be added soon into the cache, which does not hold all of a large table. */
void entry_table_prefetch(const struct entry_table *t, uint64_t hash);
/* value: the label. Labels below 65535 are distinguished; all others count as one. */
enum entry_state entry_table_add(struct entry_table *t, uint64_t hash, uint64_t value);

#endif
