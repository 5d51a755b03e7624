/*
 * Sums over the files of a set by palette entry, by split and by class folder, for struct dataset_stats. Each is exact
 * and commutative, and bounded as struct totals is.
 */
#pragma once

#include <stdint.h>

#include "base/settings.h"
#include "find/split.h"
#include "judge/name_totals.h"
#include "judge/totals.h"
#include "layout/class_folders.h"
#include "measure/label_stats.h"
#include "read/sample.h"

/*
 * struct palette_totals: which colours the palette files of a set give each index that they use. All 256 indices fit
 * with 16 colours each; sets with one palette need 256 entries.
 */
enum { PALETTE_TOTALS_MAX = 4096 };

struct palette_total {
	int64_t key; /* index << 24 | 0xRRGGBB */
	uint64_t files;
	char *example; /* owned */
};

struct palette_totals {
	TOTALS_OF(struct palette_total); /* by key */
};

/*
 * struct split_totals: in how many files of each split (find/split.h) each class occurs. Only files with a class other
 * than 0 count: a test set whose labels were left out is all ignored or all background, and says nothing about classes.
 */
enum { SPLIT_IDS_MAX = 4096 }; /* 544 KiB */

struct split_total {
	int64_t id; /* as in files */
	uint64_t files[NAME_SPLITS];
};

struct split_totals {
	uint64_t files[NAME_SPLITS];   /* with a class other than 0 */
	TOTALS_OF(struct split_total); /* by id */
};

/*
 * struct folder_totals: the class folders of an ImageFolder (layout/class_folders.h), and which of them hold images.
 * These are facts, not sums: every shard lists all folders and sees a part of the images. Bounded as the folders are.
 */
struct folder_total {
	char *name;      /* owned */
	uint32_t roots;  /* the roots that have it: bits 1 << number of struct class_folders */
	uint32_t filled; /* the roots where it holds an image */
};

struct folder_totals {
	char *roots[CLASS_ROOTS_MAX];   /* their paths; NULL: there is no such root; owned */
	TOTALS_OF(struct folder_total); /* by name */
};

/* ---- each merge adds `from` and releases it ------------------------------------------------------------------------
 */

void palette_totals_release(struct palette_totals *t);
/* used: bit i % 64 of word i / 64 is set if index i occurs. Skips indices beyond the palette. */
void palette_totals_add(struct palette_totals *t, const struct sample *sample, const uint64_t used[4]);
void palette_totals_merge(struct palette_totals *into, struct palette_totals *from);

void split_totals_release(struct split_totals *t);
/* Adds a file of the split with these ids. */
void split_totals_add(struct split_totals *t, const struct settings *settings, unsigned split,
		      const struct label_stats *stats, const struct id_stats *ids);
void split_totals_merge(struct split_totals *into, struct split_totals *from);
/* Returns the entry of that id, which it makes if needed; NULL if the table is full of smaller ids. */
struct split_total *split_totals_entry(struct split_totals *t, int64_t id);

void folder_totals_release(struct folder_totals *t);
void folder_totals_add(struct folder_totals *t, const char *name, uint32_t roots, uint32_t filled);
/* Adds all class folders, with images or without. */
void folder_totals_add_all(struct folder_totals *t, const struct class_folders *f);
/* Sets the path of a root that has none. */
void folder_totals_name_root(struct folder_totals *t, unsigned root, const char *path);
void folder_totals_merge(struct folder_totals *into, struct folder_totals *from);
