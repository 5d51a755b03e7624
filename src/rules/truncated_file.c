/*
 * Error message
 *   OSError: image file is truncated (13 bytes not processed)
 *   libpng error: Read Error
 *
 * What it finds
 *   Files that end before all of their pixels.
 *
 * Why it matters
 *   If the compressed data end early, Pillow silently fills missing rows with 0 and others only warn, so that half a
 *   mask is trained on as background; other loaders stop the training hours later.
 *
 * Example
 *   masks/0001.png: error truncated-file: the file ends at byte 972, within chunk IDAT at byte 813, which holds
 *   151 of its 225 bytes, without IEND; 0 of 54 rows could be read
 *
 * What to do
 *   Fetch or write the file again. Compare sizes or checksums with the source: there are usually several truncated
 *   files.
 */
#include "judge/rule.h"

const struct rule rule_truncated_file = {
	RULE("truncated-file", "file", LEVEL_ERROR, "a file whose data end early"),
	.fault = FAULT_TRUNCATED,
	.tells_unread = true,
	.advice = "fetch or write the file again, and compare sizes or checksums with the source",
};
