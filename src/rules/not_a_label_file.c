/*
 * What it finds
 *   Files whose first bytes say that they are something else than their name or place claims: a picture, an HTML page
 *   that a download saved, an archive, plain text.
 *
 * Why it matters
 *   A loader that goes by the extension dies on it, or decodes a picture as if its grey values were ids.
 *
 * Example
 *   masks/0001.png: error not-a-label-file: not a PNG but an HTML page, such as a server's error or login
 *   page
 *
 * What to do
 *   Fetch the file again (an HTML page is mostly a log-in or an error page), convert it, or leave it out with
 *   --exclude.
 */
#include "judge/rule.h"

const struct rule rule_not_a_label_file = {
	RULE("not-a-label-file", "file", LEVEL_ERROR, "a file that holds something other than labels"),
	.fault = FAULT_NOT_A_LABEL,
	.advice = "fetch or convert the file again, or leave it out with --exclude",
};
