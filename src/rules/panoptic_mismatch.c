/*
 * What it finds
 *   COCO panoptic files whose segments are not those of their PNGs, if the PNGs are in a folder beside the JSON that
 *   has its name (panoptic_val2017.json, panoptic_val2017/): PNGs that are missing, unreadable (also for the loader of
 *   --view alone), not 8-bit RGB, or differ in size from their image; segments without a pixel; pixels whose id
 *   (R + 256 G + 65536 B) belongs to no segment; segments of one image with the same id; areas that are not the
 *   number of pixels.
 *
 * Why it matters
 *   The category of a pixel is found through its segment. Without one, panopticapi stops with a KeyError, and other
 *   loaders train the pixel as void. Resized, recompressed or recoloured PNGs lose all of them.
 *
 * Example
 *   panoptic_val2017.json: error panoptic-mismatch: 18 pixel ids belong to no segment of their image; 7 segments have
 *   no pixel (first at line 1, column 90113)
 *
 * What to do
 *   Take JSON and PNGs from the same export, and never resize or convert the PNGs like photographs.
 */
#include "judge/check.h"

const struct rule rule_panoptic_mismatch = {
	RULE("panoptic-mismatch", "coco", LEVEL_ERROR, "COCO panoptic segments that are not those of the PNGs"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES(
		{ COCO_PNG_MISSING, "PNG is", "PNGs are", "missing, unreadable or not 8-bit RGB" },
		{ COCO_PNG_SIZE, "PNG differs", "PNGs differ", "in size from the image" },
		{ COCO_SEGMENT_UNKNOWN, "pixel id belongs", "pixel ids belong", "to no segment of their image" },
		{ COCO_SEGMENT_NOT_PNG, "segment has", "segments have", "no pixel" },
		{ COCO_SAME_SEGMENT, "segment has", "segments have", "the id of another segment of the image" },
		{ COCO_SEGMENT_AREA, "segment has", "segments have", "an area that is not its number of pixels" }),
	.advice = "take the JSON and the PNGs from the same export; never resize or convert the PNGs like photographs",
};
