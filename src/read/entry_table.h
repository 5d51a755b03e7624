/*
 * struct entry_table: finds entries of a list (paths, boxes) that occur twice, with the same label or another.
 *
 * Entries are compared by a 64-bit hash: among n of them, some two collide with probability n^2 / 2^65. Memory is
 * bounded: after ENTRY_TABLE_MAX entries, later ones are looked up, but not added. Owner: the reader, which reuses it
 * after entry_table_clear. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All images of ImageNet. Three quarters of 2^21 places of 10 bytes: 20 MiB, and at most 30 while the table grows. */
enum { ENTRY_TABLE_MAX = 3 << 19 };

/* How many entries ahead to prefetch: about as many cache misses as a core can have outstanding. */
enum { ENTRY_AHEAD = 12 };

struct entry_table {
	uint64_t *hashes; /* owned; 0: free */
	uint16_t *values; /* owned */
	size_t mask;      /* places - 1 */
	size_t count;
	bool full; /* an entry was not added */
};

enum entry_state {
	ENTRY_NEW,
	ENTRY_SAME,  /* seen with the same value */
	ENTRY_OTHER, /* seen with another value; the first is kept */
};

void entry_table_release(struct entry_table *t);
/* Removes the entries; keeps the memory of a small table. */
void entry_table_clear(struct entry_table *t);
/* Prefetches the place of a hash that will be added soon. */
void entry_table_prefetch(const struct entry_table *t, uint64_t hash);
/* Adds an entry. value: its label; all labels from 65535 on count as one. */
enum entry_state entry_table_add(struct entry_table *t, uint64_t hash, uint64_t value);
