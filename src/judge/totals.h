/*
 * struct totals: a table of sums, sorted by a key that begins each row. A full table holds the rows that sort
 * first, which is exact, because a row that was pushed out can never return. TOTALS_OF(struct row) makes a typed one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct totals {
	void *v; /* owned, with what its rows own */
	size_t count, cap;
};

#define TOTALS_OF(row)                     \
	union {                            \
		struct totals totals;      \
		struct {                   \
			row *v;            \
			size_t count, cap; \
		};                         \
	}

struct totals_kind {
	size_t size, max;                                 /* bytes of a row; rows at most */
	int (*compare)(const void *row, const void *key); /* as strcmp does */
	size_t owned[2]; /* the offsets of the strings that a row owns, plus 1; 0: there is none */
};

/* Compares rows that begin with a name; compare_int64 does those that begin with a number. */
int totals_by_name(const void *row, const void *name);

/*
 * Returns the row of that key; a new one is all 0 and *is_new. Returns NULL if the table is full of rows that sort
 * before. The rows before *from do, too; sets *from after the row: keys that come in ascending order are found at once.
 */
void *totals_row(struct totals *t, const struct totals_kind *kind, const void *key, size_t *from, bool *is_new);
/* Frees the rows, and empties the table. */
void totals_release(struct totals *t, const struct totals_kind *kind);
