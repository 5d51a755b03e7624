/*
 * struct archive_pairs: detects by the names of members whether archives hold images beside their masks (1.png and
 * 1_mask.png), and which of their folders hold the PNGs of COCO panoptic annotations.
 *
 * Members are seen once, in any order. Memory is fixed: names are hashed into a small table in which new ones replace
 * old ones, so a pair that lies far apart may be missed. Owner: the detection; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/source.h"

enum { ARCHIVE_PAIRS_SLOTS = 4096, ARCHIVE_PANOPTIC_MAX = 16 };

/* All zero before the first member. */
struct archive_pairs {
	uint64_t slots[ARCHIVE_PAIRS_SLOTS]; /* hash of a name without _mask; two low bits: mask, image seen */
	bool masks, images;                  /* some were seen; images: PNGs that no suffix calls a mask */
	bool pairs;                          /* both of one name were seen */
	uint64_t panoptic[ARCHIVE_PANOPTIC_MAX];
	size_t panoptic_count;
};

/* Adds a PNG. */
void archive_pairs_add(struct archive_pairs *p, const struct entry *entry);
/* Returns whether most of the images have a mask: only then are PNGs without a mask's name images. */
bool archive_pairs_hold(const struct archive_pairs *p);
/* Adds a COCO file, folder.json. */
void archive_pairs_add_coco(struct archive_pairs *p, const struct entry *entry);
/* Returns whether a PNG lies in folder/ and folder.json was added before. */
bool archive_pairs_are_panoptic(const struct archive_pairs *p, const struct entry *entry);
