/*
 * struct extent: how far a finding reaches: its level, how much it counts, its ids, and the rows, objects or masks that
 * it is about. A baseline keeps that of each known finding; one that reaches further is new.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "judge/finding.h"

/* Ids or keys: all of them, sorted, if there are at most EXTENT_LISTED_MAX; else their number and digest alone. */
enum { EXTENT_LISTED_MAX = FINDING_IDS_MAX };
_Static_assert((int)EXTENT_LISTED_MAX == (int)KEY_SET_MAX, "ids and keys have one limit");

struct extent_set {
	uint64_t total, digest;
	const uint64_t *v; /* `total` of them, sorted; NULL: too many, or none; borrowed */
};

struct extent {
	enum level level;
	uint64_t count;
	struct extent_set ids, keys; /* ids as their bits */
};

/* The memory of a finding's extent. */
struct extent_lists {
	uint64_t ids[EXTENT_LISTED_MAX], keys[EXTENT_LISTED_MAX];
};

/* Returns the extent of a finding, with its lists in *lists. */
struct extent extent_of(const struct finding *f, struct extent_lists *lists);

/* The words before the lists: the total and digest of the ids, then of the keys. */
enum { EXTENT_WORDS = 4 };

/* Returns the extent whose sets are in `words`, which it borrows; NULL: it has none. */
struct extent extent_of_words(enum level level, uint64_t count, const uint64_t *words);

/* Sorts ids, as their bits, or keys, and drops repetitions. Returns how many are left. */
size_t extent_sort(uint64_t *v, size_t n);

/*
 * Returns whether `now` reaches no further than `known`: its level is not higher, it holds no other id, and neither its
 * count nor the keys that are not known are more than `percent` of the known count beyond it. Where a set is too large
 * to be listed, another digest is another set.
 */
bool extent_covers(const struct extent *known, const struct extent *now, uint64_t percent);
