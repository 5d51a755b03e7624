/*
 * What it finds
 *   Masks that are JPEG files or another lossy picture format.
 *
 * Why it matters
 *   A lossy format keeps what the eye sees, not the numbers: every border grows a fringe of ids that nobody painted,
 *   and no loader can tell them from real ones. Binary masks come back with all 256 levels.
 *
 * Example
 *   masks/0001.jpg: error lossy-format: a mask saved as JPEG: lossy compression invents ids along every edge, so
 *   they cannot be trusted
 *
 * What to do
 *   Write the masks again from their source as PNG. If the source is gone and there are two far-apart levels,
 *   threshold: `(np.array(Image.open(f).convert('L')) > 127).astype(np.uint8)`, and look at the result.
 */
#include "judge/rule.h"

const struct rule rule_lossy_format = {
	RULE("lossy-format", "encoding", LEVEL_ERROR, "a mask in a lossy picture format"),
	.fault = FAULT_LOSSY,
	.advice = "write the masks again as PNG from their source; thresholding can save only two far-apart levels",
};
