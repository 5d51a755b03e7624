/*
 * Error message
 *   SyntaxError: broken PNG file (chunk b'IDAT')
 *   libpng error: IDAT: CRC error
 *
 * What it finds
 *   Files whose bytes are wrong: a CRC-32 or Adler-32 that does not match, an invalid compressed stream, chunks out of
 *   order, a filter that does not exist. The finding says where, what was expected, and what was found.
 *
 * Why it matters
 *   Some loaders stop, others decode what they can: training works on one machine and fails on another.
 *
 * Example
 *   masks/0001.png: error corrupt-data: the CRC of chunk IDAT at byte 813 is wrong: expected 31a3520b for its
 *   216 bytes, found 31a3524b
 *
 * What to do
 *   Fetch the file again. If it is corrupt at its source, write the mask again from its annotation.
 */
#include "judge/rule.h"

const struct rule rule_corrupt_data = {
	RULE("corrupt-data", "file", LEVEL_ERROR, "data that contradict their checksum or their format"),
	.fault = FAULT_CORRUPT,
	.tells_unread = true,
	.advice = "fetch the file again",
};
