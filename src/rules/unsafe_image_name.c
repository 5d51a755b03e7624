/*
 * What it finds
 *   COCO files in which the file_name of an image is absolute, leaves the image folder with `..`, has backslashes, or
 *   has control bytes. Files with such names are never opened.
 *
 * Why it matters
 *   Loaders join it to the image folder: an absolute name replaces the folder and works on one machine only, `..` reads
 *   from elsewhere, backslashes part folders on Windows alone, and a NUL or a line break ends the name where nobody
 *   expects it.
 *
 * Example
 *   instances.json: warning unsafe-image-name: 200 file names are absolute (first at line 1, column 58)
 *
 * What to do
 *   Write names relative to the image folder.
 */
#include "judge/check.h"

const struct rule rule_unsafe_image_name = {
	RULE("unsafe-image-name", "coco", LEVEL_WARNING, "COCO file names that lead out of the image folder"),
	.facts_needed = FACTS_COCO,
	.phrases = PHRASES(
		{ COCO_ABSOLUTE_NAME, "file name is", "file names are", "absolute" },
		{ COCO_CLIMBING_NAME, "file name leads", "file names lead", "out of the image folder with '..'" },
		{ COCO_BACKSLASH_NAME, "file name has", "file names have",
		  "backslashes, which part folders on Windows alone" },
		{ COCO_CONTROL_NAME, "file name has", "file names have", "control bytes" }),
	.advice = "write names relative to the image folder",
};
