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
 *   Write the masks again from their source as PNG; JPEG is not read. If the source is lost and there are two distant
 *   levels, save them as grey PNG, `Image.open(f).convert('L').save('0001.png')`, and apply a threshold: the plan of
 *   `labelaudit fix --threshold 128` says how many pixels are of neither level.
 */
#include "judge/rule.h"

const struct rule rule_lossy_format = {
	RULE("lossy-format", "encoding", LEVEL_ERROR, "a mask in a lossy image format"),
	.repair = REPAIR_NEVER,
	.fault = FAULT_LOSSY,
	.tells_unread = true,
	.advice = "write the masks again as PNG from their source; thresholding can recover only two distant levels",
};
