/*
 * What it finds
 *   Masks of 16 bits whose ids are all below 256.
 *
 * Why it matters
 *   Half of the bytes are zeros, and cv2.imread(f, 0) keeps the other half: every id becomes 0.
 *
 * Example
 *   masks/0001.png: info wide-ids: 16 bits a pixel, and no id is above 18
 *
 * What to do
 *   Nothing if your loader keeps 16 bits; else write 8:
 *   `Image.fromarray(np.array(Image.open(f)).astype(np.uint8)).save(f)`.
 */
#include <inttypes.h>

#include "judge/rule.h"
#include "judge/wording.h"

static bool check(const struct subject *s, struct finding *f)
{
	/* In the cv2 view ids are high bytes already. */
	if (s->sample->png.bit_depth != 16 || s->settings->view == VIEW_CV2 || !s->stats->labels || s->stats->max > 255)
		return false;
	text_addf(&f->message, "16 bits a pixel, and no id is above %" PRId64, s->stats->max);
	text_addf(&f->advice, "8 bits hold them: np.array(Image.open(f)).astype(np.uint8)");
	return true;
}

const struct rule rule_wide_ids = {
	.name = "wide-ids",
	.category = "encoding",
	.level = LEVEL_INFO,
	.needs = NEEDS_PNG,
	.since = "0.1.0",
	.summary = "16 bits a pixel for ids that fit into 8",
	.check_file = check,
};
