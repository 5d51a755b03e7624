/*
 * struct name_totals: the class names of lists that --classes gives no names for, over the whole set.
 *
 * Such names are numbered in byte order, but only when all lists are known: train.csv may have the names a to e, and
 * val.csv only b, d and e. Until then their labels are summed by name, and are in no struct id_total.
 * Merges exactly, in any order: a full table keeps the names that sort first.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "find/split.h"
#include "measure/label_stats.h"
#include "read/sample.h"

enum {
	NAME_TOTALS_MAX = 1 << 17, /* twice what one list may have */
	/* Splits are numbered as in sample->split; those that the list's own name tells (train.csv) follow. */
	NAME_SPLITS = 2 * SPLITS_MAX,
};

struct name_total {
	char *name; /* owned */
	uint64_t labels, files;
	uint32_t splits; /* where it occurs: bits 1 << number of a split */
	char *example;   /* owned */
};

struct name_totals {
	uint64_t files;       /* lists whose names are summed here */
	struct name_total *v; /* sorted by name; owned */
	size_t count, cap;
};

/*
 * Returns the number of the split that a list or a COCO file belongs to, by its folder or by its own name; below
 * NAME_SPLITS.
 */
unsigned split_of_list(const struct sample *sample);

void name_totals_release(struct name_totals *t);
/* Adds one list: sample->names is set. */
void name_totals_add(struct name_totals *t, const struct sample *sample, const struct label_stats *stats,
		     const struct id_stats *ids);
/* Adds `from`, and releases it. */
void name_totals_merge(struct name_totals *into, struct name_totals *from);
