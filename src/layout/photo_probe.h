/*
 * Whether a PNG is a picture that a data set's texts speak of, and no mask, told without decoding it: by its weight,
 * and by what lies beside it. For the census (detect.h), which asks about few files of each folder.
 */
#ifndef LAYOUT_PHOTO_PROBE_H
#define LAYOUT_PHOTO_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "find/source.h"

/* What was found in the folder that was looked into last; all zero before the first. */
struct picture_looks {
	uint64_t folder; /* hash of its path */
	unsigned here, all;
	bool pictures; /* all PNGs that were looked at in it were pictures */
	uint64_t unread;
};

/*
 * A PNG that no name says to be a mask: a picture weighs 1.5 bits a pixel and more, masks less than half of that. Or a
 * YOLO text of its name, or the annotations that Roboflow exports, lie in its folder; or it is one of the PNGs of COCO
 * panoptic annotations, which lie in a folder beside the JSON that has its name. The first few of each folder speak for
 * all: one that is a mask makes masks of those that come behind it.
 */
bool png_is_picture(struct picture_looks *looks, const struct entry *entry);
/* By its weight alone, and not by that of others: one in true colours. */
bool png_is_colour_picture(const struct entry *entry);
/*
 * The last of these alone, the same for all files of a folder; also of a PNG that a name says to be a mask: COCO has
 * annotations/panoptic_val2017/.
 */
bool png_is_panoptic(const struct entry *entry);

#endif
