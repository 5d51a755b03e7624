/*
 * struct member_pairs: whether archives hold images beside their masks, as the names of their members tell: 1.png
 * beside 1_mask.png. And the folders of PNGs that COCO panoptic annotations in the same archive speak of. For the
 * census (detect.h), which sees members once, in any order.
 *
 * Bounded: where names are too many, what came long ago is forgotten. One thread.
 */
#ifndef LAYOUT_ARCHIVE_PAIRS_H
#define LAYOUT_ARCHIVE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/source.h"

enum { MEMBER_PAIR_PLACES = 4096, MEMBER_PANOPTIC_MAX = 16 };

/* All zero before the first member. */
struct member_pairs {
	uint64_t places[MEMBER_PAIR_PLACES]; /* by hash of a name without _mask; the low bits: which of the two was seen
					      */
	bool masks, images;                  /* some were seen; images: PNGs that are not called a mask */
	bool pairs;                          /* both of some name */
	uint64_t panoptic[MEMBER_PANOPTIC_MAX];
	size_t panoptic_count;
};

/* A member that is a PNG. */
void member_pairs_add(struct member_pairs *p, const struct entry *entry);
/* folder.json is a COCO file. */
void member_pairs_add_coco(struct member_pairs *p, const struct entry *entry);
/* A PNG in folder/, which was added before. */
bool member_pairs_are_panoptic(const struct member_pairs *p, const struct entry *entry);

#endif
