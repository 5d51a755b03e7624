/*
 * The state of a walk that detects what a data set is. detection_observe.c fills it, entry by entry;
 * detection_conclude.c draws the conclusions; detect.c walks. For these three alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/archive_pairs.h"
#include "layout/dataset_layout.h"
#include "layout/evidence.h"
#include "layout/folder_looks.h"
#include "layout/folder_role.h"
#include "layout/image_folder.h"
#include "layout/jpeg_sample.h"
#include "layout/photo_probe.h"
#include "layout/probe_ahead.h"

#define GRID_KINDS (KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY)) /* both hold masks, and may lie in one folder */
#define ALL_KINDS  (~0u)

/* A tree of a million files has few extensions, and some files of each show what they hold. */
enum { EXTENSIONS_MAX = 64, PROBES_PER_EXTENSION = 32, EXTENSION_BYTES = 16, SUFFIXES_MAX = 8 };

/* The result of a walk. */
struct detected {
	struct dataset_layout layout;
	bool walked;
	enum family family; /* FAMILY_NONE: no label files */
	uint64_t weight;    /* of that family */
	bool photos, image_folder;
};

/* The extensions of files that are no PNGs. */
struct extensions {
	struct {
		char text[EXTENSION_BYTES];
		uint64_t seen, unprobed; /* files; since the last one that was probed */
	} v[EXTENSIONS_MAX];
	size_t count;
};

/* The end of masks' names, without the extension. */
struct label_suffix {
	char text[LABEL_SUFFIX_MAX];
	uint64_t files;
};

/* The state of a detection walk. One thread. */
struct detection {
	const struct find_options *find;
	const char *preset_files;   /* as in struct settings; or NULL */
	struct dataset_layout *out; /* the walk fills the kinds of names that were seen */
	bool probe_pngs;            /* decide of PNGs whether they are photos */

	unsigned kinds;            /* seen: a KIND_BIT each */
	struct evidence evidence;  /* how much of each */
	unsigned lfs_kinds;        /* that git-lfs pointers replace */
	bool photos;               /* images that cannot be masks, by their content */
	bool loose_photos;         /* the same by their names, not in images/ and its like */
	bool tables;               /* that do not seem to hold labels */
	bool annotated;            /* photos with annotations of a kind that is not read */
	bool pngs_are_photos;      /* some are */
	bool masks_among_images;   /* PNGs in images/ and its like */
	bool photos_in_images;     /* the same, with probe_pngs, by their looks */
	bool plain_in_archive;     /* PNGs without a word before .png */
	bool images_have_masks;    /* images/ and masks/ have the same names in them */
	bool archive_unfinished;   /* an archive was not read to its end */
	uint64_t unread;           /* times that something could not be read */
	unsigned masks_since_mask; /* a member counts as FILES_SINCE_MASK / MEMBERS_SINCE_MASK */
	bool stopped_early;

	struct probe_ahead *ahead; /* reads what is probed; borrowed */
	struct photo_probe photo_probe;
	struct photo_candidates candidates; /* unless probe_pngs */
	struct jpeg_sample jpegs;
	struct archive_pairs pairs;
	struct image_folder_detection image_folder;
	struct folder_looks looks;

	/* The entries of the unit that is observed; of source_each(). */
	const struct entry *unit;
	size_t unit_count;
	bool probes_named; /* what is to be probed of it */

	/* The last entry's folder, and what was done for its first files, once for all of them. */
	struct folder_role folder;
	bool folder_added;   /* to image_folder */
	bool candidate_kept; /* one of its PNGs */
	bool panoptic_known, panoptic;

	/* The current WebDataset sample: consecutive members with the same name up to the first dot. */
	uint64_t sample; /* a hash of that name */
	bool sample_has_plain, sample_has_label, sample_has_photo, sample_has_text;
	uint64_t samples_plain, samples_paired; /* with a plain PNG; of them, with a label */

	uint64_t png_stem;   /* a hash of the name of the last PNG, without its extension */
	uint64_t photo_stem; /* the same of the last image that is no PNG */

	struct extensions extensions;
	struct label_suffix suffixes[SUFFIXES_MAX];
};

/* Begins the next unit of entries; self: a struct detection. */
void detection_begin_unit(void *self, const struct entry *entries, size_t count);
/* Observes an entry. Returns false once no further entry can change the outcome; self: a struct detection. */
bool detection_observe(void *self, const struct entry *entry);
/* Counts the last sample of a WebDataset. */
void detection_end_sample(struct detection *d);

/*
 * Returns whether the PNGs taken for masks may be photos, be it of texts that were not reached. If all candidates look
 * like masks, a walk that probes PNGs has the same result.
 */
bool detection_needs_photo_probe(const struct detection *d, bool several_paths);
/* Draws the conclusions from a walk. */
void detection_conclude(struct detection *d, struct detected *out);
