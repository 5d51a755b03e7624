/*
 * What it finds
 *   Files that declare more pixels or unpack to more bytes than a limit allows, or more than their bytes could ever
 *   unpack to. The finding names the limit and the option that raises it.
 *
 * Why it matters
 *   A file of a few kilobytes can claim to be a picture of many gigabytes. Refusing it keeps one bad file from taking
 *   the memory of the machine; the training would meet it too.
 *
 * Example
 *   masks/0001.png: error limit-exceeded: 65535 x 65535 pixels are over the limit of 1073741824 (--max-pixels)
 *
 * What to do
 *   Look at the file; if it is as large as it says and meant to be, raise the limit with the option that is named.
 */
#include "judge/rule.h"

const struct rule rule_limit_exceeded = {
	RULE("limit-exceeded", "file", LEVEL_ERROR, "a file over a resource limit"),
	.fault = FAULT_LIMIT,
	.advice = "raise the limit with the option named if the file is meant to be this large",
};
