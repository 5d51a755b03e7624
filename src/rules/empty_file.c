/*
 * Error message
 *   PIL.UnidentifiedImageError: cannot identify image file 'masks/0001.png'
 *
 * What it finds
 *   Files of 0 bytes.
 *
 * Why it matters
 *   An interrupted copy, a full disk or a quota leaves such files; so does a script that crashed after opening its
 *   output.
 *
 * Example
 *   masks/0001.png: error empty-file: the file has 0 bytes
 *
 * What to do
 *   Fetch or write the file again. If one file is empty, others written at the same time may be truncated.
 */
#include "judge/rule.h"

const struct rule rule_empty_file = {
	RULE("empty-file", "file", LEVEL_ERROR, "a file of 0 bytes"),
	.fault = FAULT_EMPTY,
	.tells_unread = true,
	.advice = "fetch or write the file again",
};
