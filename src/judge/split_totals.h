/*
 * struct split_totals: in how many files of each split (find/split.h) each class occurs.
 *
 * Only files that hold a class other than 0 are counted: those of a test set whose labels were left out are all ignored
 * or all background, and say nothing of what is in the pictures.
 *
 * Bounded: at most SPLIT_IDS_MAX classes, those with the smallest ids, which is exact in whatever order files and
 * shards come. Adding is commutative.
 */
#ifndef JUDGE_SPLIT_TOTALS_H
#define JUDGE_SPLIT_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "find/split.h"
#include "measure/label_stats.h"

/* 288 KiB. Those who have more classes have a class list of another kind, or instances. */
enum { SPLIT_IDS_MAX = 4096 };

struct split_total {
	int64_t id; /* as it stands in files */
	uint64_t files[SPLITS_MAX];
};

struct split_totals {
	uint64_t files[SPLITS_MAX]; /* that hold a class other than 0 */
	struct split_total *v;      /* sorted by id; owned */
	size_t count, cap;
};

void split_totals_release(struct split_totals *t);
void split_totals_add(struct split_totals *t, const struct settings *settings, unsigned split,
		      const struct label_stats *stats, const struct id_stats *ids);
/* into += from; from is left empty. */
void split_totals_merge(struct split_totals *into, struct split_totals *from);
/* The entry of that id, made (with no files) if need be; NULL if the table is full of smaller ids. */
struct split_total *split_totals_entry(struct split_totals *t, int64_t id);

#endif
