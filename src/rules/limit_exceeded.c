/*
 * Error message
 *   PIL.Image.DecompressionBombError: Image size (400000000 pixels) exceeds limit of 178956970 pixels
 *
 * What it finds
 *   Files that declare more pixels, or unpack to more bytes, than a limit allows, or than their size can hold; and
 *   files that are far larger than their bytes on disk once the audit's budget for these is spent. The finding names
 *   the limit, and the option that raises it if there is one.
 *
 * Why it matters
 *   A file of a few kilobytes can claim to be an image of many gigabytes. Refusing it keeps one bad file from using up
 *   the memory; training would read it, too.
 *
 * Example
 *   masks/0001.png: error limit-exceeded: 65535 x 65535 pixels are over the limit of 1073741824 (--max-pixels)
 *
 * What to do
 *   Check the file. If it is meant to be this large, raise the limit with the option named in the finding. Where no
 *   option is named, split, unpack or convert it.
 */
#include "judge/rule.h"

const struct rule rule_limit_exceeded = {
	RULE("limit-exceeded", "file", LEVEL_ERROR, "a file over a resource limit"),
	.fault = FAULT_LIMIT,
	.tells_unread = true,
	.advice = "if the file is meant to be this large: raise the limit with the option named above, if one is; else "
		  "split, "
		  "unpack or convert it",
};
