/*
 * struct dataset_stats: sums over all files of a set; what a worker fills, and a merge adds.
 *
 * Integers and sorted tables only; adding is commutative and exact, so neither the number of threads nor the order of
 * files shows. Each worker owns one; they are merged at the end. Only the table of contents is one for all workers.
 * An example path is always the smallest by path bytes.
 */
#ifndef JUDGE_DATASET_H
#define JUDGE_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "judge/content_table.h"
#include "judge/folder_totals.h"
#include "judge/palette_totals.h"
#include "judge/split_totals.h"
#include "measure/label_stats.h"
#include "read/sample.h"

/* How many files, and the first of them. */
struct tally {
	uint64_t files;
	char *example; /* owned; NULL if files == 0 */
};

/* What the files of each tally of a dataset are. */
enum tally_of {
	/* pictures of a YOLO data set; of the files skipped: sample->lacks_label */
	TALLY_LACKS_LABEL,
	/* those for which some loader reads other ids than the audited view */
	TALLY_PALETTE_LUMA, /* palette files in which the luma of an index in use is not the index */
	TALLY_ONE_BIT,      /* 1-bit grey with a 1 in it: 0/1 or 0/255 */
	TALLY_SIXTEEN_BIT,  /* 16-bit samples: cv2 >> 8 */
	TALLY_OVER_UINT8,   /* an id above 255: .astype(uint8) wraps */
	TALLY_EXPANDED,     /* grey of depth 2 or 4 */
	/* not damaged by interpolation, but with weak signs of it (judge/interpolation.h) */
	TALLY_INTERPOLATION_WEAK,
	TALLIES,
};

struct id_total {
	int64_t id;
	uint64_t labels, files;
	uint64_t thin, between[2]; /* as in struct id_stats */
	char *example;             /* kept for ids that are neither a class nor ignored; else NULL; owned */
};

struct format_total {
	uint8_t format;                            /* enum sample_format */
	uint8_t colour_type, bit_depth, interlace; /* of a PNG */
	uint8_t dtype;                             /* of an array: enum array_dtype */
	struct tally tally;
	char *name; /* in a report that was read back, which has no key: as reports name it; else NULL; owned */
};

struct size_total {
	uint32_t height, width;
	uint64_t files;
};

/*
 * Different sizes, and different ids, that are kept: those that sort first, which is exact in whatever order files and
 * shards come, since what was pushed out can never come back. PNG has 65536 ids; arrays of measured values have any
 * number, each out of range.
 */
enum { SIZES_MAX = 65536, DATASET_IDS_MAX = 1 << 18 };

struct dataset_stats {
	/* files == files_read + files_failed + files_skipped, always */
	uint64_t files, files_read, files_failed, files_skipped;
	uint64_t labels; /* ids measured */
	uint64_t bytes;  /* of the files read */

	struct id_total *ids; /* sorted by id; at most DATASET_IDS_MAX; owned */
	size_t ids_count, ids_cap;
	struct format_total *formats; /* files read, sorted by key; owned */
	size_t formats_count, formats_cap;
	/*
	 * Of masks read, by height, then width; at most SIZES_MAX. While files are added, the last sizes_recent of them
	 * are a sorted run of their own; dataset_merge leaves one run in `into`. Owned.
	 */
	struct size_total *sizes;
	size_t sizes_count, sizes_cap, sizes_recent;
	uint64_t sizes_unlisted; /* in a report that was read back: how many more there were; else 0 */

	uint64_t files_with_ids;     /* read, not several channels */
	uint64_t files_with_ignored; /* some ignored id occurs */
	uint64_t masks_with_ids;     /* of files_with_ids: ids in a grid */
	uint64_t masks_only_zero;    /* of those: the only id that is not ignored is 0 */

	struct tally tallies[TALLIES]; /* by enum tally_of */

	struct palette_totals palettes; /* of palette files, in any view */

	/* NULL: no mask with content yet. Masks of one channel with two ids or more that are not ignored. */
	struct content_table *contents;
	bool contents_borrowed;        /* another's: neither merged nor released */
	bool images_flat;              /* --images: some mask has its image only without the mask's folders */
	struct split_totals splits;    /* files that belong to a split */
	char *split_names[SPLITS_MAX]; /* NULL: there is no such split; owned */
	struct folder_totals folders;  /* of an ImageFolder */

	/* interpolated-dataset: files with min over both directions of (between + long_between + wide_edges) >= 30 */
	uint64_t informative_files;
	uint64_t informative_flagged; /* of those: judged to be damaged */
	/* sums over the informative files, by enum line */
	uint64_t between[2], long_between[2], wide_edges[2];
};

void dataset_init(struct dataset_stats *d);
void dataset_release(struct dataset_stats *d);
/*
 * Adds one judged file. A failed or skipped one adds nothing but to the file counts.
 * flagged: judged to be damaged by interpolation, whether or not the rule that says so was chosen.
 */
void dataset_add(struct dataset_stats *d, const struct settings *settings, const struct sample *sample,
		 const struct label_stats *stats, const struct id_stats *ids, bool flagged);
/* From now on the contents of d's files are added to those of `owner`, which outlives it. Before the first file. */
void dataset_borrow_contents(struct dataset_stats *d, struct dataset_stats *owner);
void dataset_name_split(struct dataset_stats *d, unsigned split, const char *name);
/* into += from; from is left empty. */
void dataset_merge(struct dataset_stats *into, struct dataset_stats *from);

/* NULL if the id never occurs. */
const struct id_total *dataset_id(const struct dataset_stats *d, int64_t id);

#endif
