/*
 * Error message
 *   PIL.UnidentifiedImageError: cannot identify image file 'masks/0001.png'
 *
 * What it finds
 *   Files whose first bytes show that they are not what their name or folder suggests: an image, an HTML page that was
 *   saved instead of a download, an archive, plain text.
 *
 * Why it matters
 *   A loader that relies on the extension fails on it, or decodes an image as if its grey values were ids.
 *
 * Example
 *   masks/0001.png: error not-a-label-file: not a PNG but an HTML page, such as a server's error or login
 *   page
 *
 * What to do
 *   Fetch the file again (an HTML page usually is a login or an error page), convert it, or leave it out with
 *   --exclude.
 */
#include "judge/rule.h"

const struct rule rule_not_a_label_file = {
	RULE("not-a-label-file", "file", LEVEL_ERROR, "a file that holds something other than labels"),
	.fault = FAULT_NOT_A_LABEL,
	.tells_unread = true,
	.advice = "fetch or convert the file again, or leave it out with --exclude",
};
