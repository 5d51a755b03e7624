/*
 * What it finds
 *   Palette masks with ids that are out of range, where all entries in use are white: the indices are levels of
 *   transparency (tRNS), and the mask is the alpha channel. Paint programs and background removers export such files.
 *
 * Why it matters
 *   Read as ids, the indices are arbitrary numbers from 0 to 255, and soft edges look like interpolation. Nothing is
 *   lost: the mask is in the file, but in another channel.
 *
 * Example
 *   masks/0001.png: error mask-in-alpha: all 41 indices in use are white: the mask is in their transparency (tRNS)
 *
 * What to do
 *   Read the alpha channel, with a threshold for soft edges: `np.array(im.convert('RGBA'))[..., 3] > 127`.
 */
#include "judge/check.h"
#include "judge/colours.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	if (!palette_is_white(s->sample, s->stats) || !rule_input_has(s, ID_INVALID))
		return false;
	return say(f, "all %" PRIu64 " indices in use are white: the mask is in their transparency (tRNS)",
		   s->stats->ids_count);
}

const struct rule rule_mask_in_alpha = {
	RULE("mask-in-alpha", "encoding", LEVEL_ERROR, "a white palette, with the mask in its transparency"),
	.facts_needed = FACTS_PNG,
	.check_file = check,
	.advice = "nothing is lost: im = Image.open(f); "
		  "Image.fromarray((np.array(im.convert('RGBA'))[..., 3] > 127).astype(np.uint8)).save(f)",
};
