/*
 * struct name_totals: sums by name over the whole set, of two kinds:
 *
 * - the class names of lists that --classes gives no names for. They are numbered in byte order, but only when all
 * lists are known: train.csv may have the names a to e, and val.csv only b, d and e. Until then their labels are summed
 * by name, and are in no struct id_total.
 * - the categories that COCO files list, with the ids and classes they have there.
 *
 * Merges exactly, in any order: a full table keeps the entries that sort first.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "find/split.h"
#include "judge/totals.h"
#include "measure/label_stats.h"
#include "read/sample.h"

enum {
	NAME_TOTALS_MAX = 1 << 17, /* twice what one list may have */
	/* Splits are numbered as in sample->split; those that the list's own name tells (train.csv) follow. */
	NAME_SPLITS = 2 * SPLITS_MAX,
};

struct name_total {
	char *name;       /* owned */
	int64_t id;       /* a category's; a list's name has none: 0 */
	int64_t class_id; /* a category's: id, if it becomes no class */
	uint64_t labels;  /* a list's */
	uint64_t files;
	uint32_t splits; /* where it occurs: bits 1 << number of a split, below NAME_SPLITS */
	char *example;   /* the smallest place; owned */
};

struct name_totals {
	uint64_t files;               /* lists whose names are summed here */
	TOTALS_OF(struct name_total); /* by name, id and class_id */
};

/* Returns the number of the split that a list or a COCO file belongs to, by its folder or by its own name. */
unsigned split_of_list(const struct sample *sample);

void name_totals_release(struct name_totals *t);
/* Adds one list: sample->names is set. */
void name_totals_add_list(struct name_totals *t, const struct sample *sample, const struct label_stats *stats,
			  const struct id_stats *ids);
/* Adds the categories of one COCO file: sample->coco is set. */
void name_totals_add_categories(struct name_totals *t, const struct sample *sample);
/* Adds `from`, and releases it. */
void name_totals_merge(struct name_totals *into, struct name_totals *from);
