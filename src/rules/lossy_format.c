/*
 * What it finds
 *   Masks in JPEG or another lossy image format.
 *
 * Why it matters
 *   A lossy format keeps what the eye sees, not the numbers: every border gets a fringe of ids that nobody painted, and
 *   no loader can distinguish them from real ones. Binary masks end up with all 256 levels.
 *
 * Example
 *   masks/0001.jpg: error lossy-format: a mask saved as JPEG: lossy compression invents ids along every edge, so
 *   they cannot be trusted
 *
 * What to do
 *   Write the masks again from their source as PNG. If the source is lost and there are two distant levels, apply a
 *   threshold: `(np.array(Image.open(f).convert('L')) > 127).astype(np.uint8)`, and check the result.
 */
#include "judge/rule.h"

const struct rule rule_lossy_format = {
	RULE("lossy-format", "encoding", LEVEL_ERROR, "a mask in a lossy image format"),
	.cure = CURE_NEVER,
	.fault = FAULT_LOSSY,
	.tells_unread = true,
	.advice = "write the masks again as PNG from their source; thresholding can recover only two distant levels",
};
