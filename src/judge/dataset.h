/*
 * struct dataset_stats: sums over the files of a set. A worker fills them, a merge adds them, rules judge them.
 *
 * They are integers and bounded, sorted tables, and adding is exact and commutative: the result depends neither on the
 * number of threads nor on the order of files or shards. A full table keeps the entries that sort first, which is exact
 * as well, because an entry that was pushed out can never return. An example path is always the smallest one.
 *
 * Each worker owns one; they are merged at the end. Only the table of contents is shared by all workers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"
#include "judge/content_table.h"
#include "judge/coverage.h"
#include "judge/fix_facts.h"
#include "judge/name_totals.h"
#include "judge/rule_input.h"
#include "judge/set_totals.h"
#include "measure/label_stats.h"
#include "read/photo.h"
#include "read/sample.h"

/* Which files each tally of a dataset counts. */
enum counted {
	/* images of a YOLO data set without a label file: skipped files with sample->left_out.lacks_label */
	COUNTED_LACKS_LABEL,
	/* files for which some loader reads other ids than the audited view */
	COUNTED_PALETTE_LUMA, /* palette files where the luma of an index in use is not the index */
	COUNTED_ONE_BIT,      /* 1-bit grey with a 1 in it: 0/1 or 0/255 */
	COUNTED_SIXTEEN_BIT,  /* 16-bit samples: cv2 >> 8 */
	COUNTED_OVER_UINT8,   /* an id above 255: .astype(uint8) wraps */
	COUNTED_EXPANDED,     /* grey of depth 2 or 4 */
	/* not damaged by interpolation, but with weak signs of it (judge/interpolation.h) */
	COUNTED_INTERPOLATION_WEAK,
	/* YOLO texts all of whose rows are of one type; in the order of enum box_type */
	COUNTED_BOXES,
	COUNTED_POLYGONS,
	COUNTED_ORIENTED,
	COUNTED_POSES,
	COUNTED_UNLABELLED, /* with poses, of which none has a labelled keypoint */
	/* with a table of colours: masks in RGB that are read by it, masks with ids other than 0 that are not */
	COUNTED_READ_BY_COLOURS,
	COUNTED_READ_BY_IDS,
	COUNTED_COCO_EMPTY,      /* COCO files with images and no annotation */
	COUNTED_COCO_UNLABELLED, /* the same, and those of captions, without categories */
	COUNTED_BOX_PAIRS,       /* texts of one image with PAIR_NEAR or PAIR_CLASS */
	COUNTED_ALONE,           /* label files without an image where the layout of the set has it */
	COUNTED_PHOTOS, /* label files with an image that can be used; then those with such images, by enum photo_trait
			 */
	COUNTED_PHOTOS_END = COUNTED_PHOTOS + PHOTO_TRAITS,
	COUNTED_EMPTY_TEXTS,  /* YOLO texts without a row */
	COUNTED_FILLED_TEXTS, /* and with rows; also those of other forms, of one image each */
	COUNTED_ELSEWHERE,    /* YOLO texts where their trainer does not look (PARTNER_ELSEWHERE) */
	COUNTED_BY_NAME,      /* lists whose labels are names that --classes declares */
	COUNTED_NUMBERED,     /* masks whose ids may number instances (dataset_numbers_instances) */
	COUNTED_KINDS,
};

struct id_total {
	int64_t id;
	uint64_t labels, files;
	uint64_t thin, between[2]; /* as in struct id_stats */
	char *example;             /* of an id that is neither a class nor ignored; else NULL; owned */
};

struct format_total {
	uint8_t format;                                       /* enum sample_format */
	uint8_t container, colour_type, bit_depth, interlace; /* of a PNG */
	uint8_t dtype;                                        /* of an array: enum array_dtype */
	struct file_count seen;
	char *name; /* the name in a report that was read back, which has none of the above; else NULL; owned */
};

struct size_total {
	uint32_t height, width;
	uint64_t files;
};

/* The contents that are compared between splits. */
enum content_of {
	CONTENT_MASKS,  /* masks of one channel with at least two ids that are not ignored */
	CONTENT_IMAGES, /* --check-images: images beside the labels */
	CONTENT_GROUPS, /* --group: groups of paths of label files */
	CONTENT_NAMES,  /* without --group: images that the lists or COCO files of several splits name */
	CONTENTS,
};

/* PNG has 65536 ids; arrays of measured values have any number, each out of range. */
enum { SIZES_MAX = 65536, DATASET_IDS_MAX = 1 << 18 };

enum { DATASET_SUMS = 28 + BOX_NUMBERS * BOX_COUNTS };

struct size_totals {
	/*
	 * By height, then width; at most SIZES_MAX. While files are added, the last `recent` entries are a sorted run
	 * of their own; dataset_merge leaves one run in `into`. Owned.
	 */
	struct size_total *v;
	size_t count, cap, recent;
	uint64_t unlisted; /* sizes that a report which was read back had left out; else 0 */
};

struct dataset_stats {
	union {
		uint64_t sums[DATASET_SUMS]; /* all of the following, for dataset_merge */
		struct {
			/* files == files_read + files_failed + files_skipped, always */
			uint64_t files, files_read, files_failed, files_skipped;
			uint64_t labels;             /* ids measured */
			uint64_t bytes;              /* of the files read */
			uint64_t files_with_ids;     /* read, of one channel */
			uint64_t files_with_ignored; /* with an ignored id */
			uint64_t masks_with_ids;     /* of files_with_ids: ids in a grid */
			uint64_t masks_only_zero;    /* of those: the only id that is not ignored is 0 */
			/*
			 * interpolated-dataset: the files of interpolation_informative(), those of them that are
			 * damaged, and their counters, by enum line
			 */
			uint64_t informative_files, informative_flagged;
			uint64_t between[2], long_between[2], wide_edges[2];
			/*
			 * interpolated-mask: files that could be damaged (two ids or more), those that are, and the
			 * new findings about them whose level is provisional
			 */
			uint64_t tested_files, tested_flagged, provisional_findings;
			/* files with a rule that --per-path turns off, and the findings that this took */
			uint64_t per_path_files, per_path_findings;
			/* of texts of one image each: the counts of struct box_tally, by enum box_numbers */
			uint64_t boxes[BOX_NUMBERS][BOX_COUNTS];
			/*
			 * by enum box_type: rows of YOLO texts and tables; COCO annotations with a box, a
			 * segmentation, keypoints
			 */
			uint64_t objects[BOX_TYPES];
		};
	};

	struct id_total *ids; /* sorted by id; at most DATASET_IDS_MAX; owned */
	size_t ids_count, ids_cap;
	TOTALS_OF(struct format_total) formats; /* of files read */
	struct size_totals sizes;               /* of the masks read */

	struct coverage coverage;
	struct file_count counted[COUNTED_KINDS]; /* by enum counted */
	struct palette_totals palettes;
	struct split_totals splits;
	char *split_names[SPLITS_MAX]; /* NULL: there is no such split; owned */
	struct folder_totals folders;
	struct name_totals names;
	struct name_totals categories;
	bool images_flat; /* --images: some mask has its image only without the mask's folders */

	/* by enum content_of; NULL: nothing yet */
	struct content_table *contents[CONTENTS];
	struct fix_facts fix;
	bool contents_borrowed; /* another dataset_stats owns and merges them */
};

/* Returns the sums of the boxes of all label files that belong to one image each. */
struct box_tally dataset_boxes(const struct dataset_stats *d, enum box_numbers numbers);

void dataset_init(struct dataset_stats *d);
void dataset_release(struct dataset_stats *d);
/*
 * Adds one judged file; a failed or skipped one changes the file counts only.
 * flagged: interpolation damaged it, even if the rule that reports so was not selected.
 */
void dataset_add(struct dataset_stats *d, const struct settings *settings, const struct sample *sample,
		 const struct label_stats *stats, const struct id_stats *ids, bool flagged);
/* Adds one of a file's equal channels (judge/one_channel.h), to what tells whether the set is interpolated. */
void dataset_add_channel(struct dataset_stats *d, const struct rule_input *channel);
/* Adds an image of the split; content: measure/image_content.h. */
/* Adds what is known of the image of a label file, pairing, or of those that it names. */
void dataset_add_pairing(struct dataset_stats *d, const struct sample *sample, const struct pairing *pairing);
void dataset_add_image(struct dataset_stats *d, const uint64_t content[2], unsigned split, const char *path);
/* Makes d add contents to those of `owner`, which must outlive it. Call it before the first file. */
void dataset_borrow_contents(struct dataset_stats *d, struct dataset_stats *owner);
void dataset_name_split(struct dataset_stats *d, unsigned split, const char *name);
/* Returns the name of a split, numbered as by split_of_list(). */
const char *dataset_split_name(const struct dataset_stats *d, unsigned split);
/* Adds `from`, and releases it. */
void dataset_merge(struct dataset_stats *into, struct dataset_stats *from);
/*
 * Numbers the class names of lists, and adds their labels to `ids`. Call it once, after the last file and merge; a part
 * of which that was done is merged after dataset_take_back_names().
 */
void dataset_number_names(struct dataset_stats *d, const struct settings *settings);
/* Subtracts again what dataset_number_names() added. Requires dataset_names_fit(). */
void dataset_take_back_names(struct dataset_stats *d);
/* Returns whether `ids` have the labels of all names, as dataset_number_names() leaves them. */
bool dataset_names_fit(const struct dataset_stats *d);
/* Returns whether the ids of a mask may number its instances: at least `min` of them, from 0, with few gaps. */
bool ids_may_number_instances(const struct label_stats *stats, const struct id_stats *ids, uint64_t min);
/*
 * Returns whether the ids of the masks number instances: those of four masks in five count from 1, each to a number of
 * its own, so that few have the larger ones; or of many ids nearly each is in one mask.
 */
bool dataset_numbers_instances(const struct dataset_stats *d);
/* Returns NULL if the id never occurs. */
const struct id_total *dataset_id(const struct dataset_stats *d, int64_t id);
