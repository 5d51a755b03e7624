/*
 * What it finds
 *   Palette masks with ids that are out of range, where all entries in use are white: the indices are levels of
 *   transparency (tRNS), and the mask is the alpha channel. Also masks with an alpha channel that varies, in which all
 *   pixels have the same colour. Paint programs and background removers export such files.
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
	if (mask_is_in_alpha_channel(s))
		return say(f,
			   "all pixels are #%06" PRIx64 ": the mask is in the alpha channel, %" PRIu32 " to %" PRIu32,
			   (uint64_t)s->ids[0].id, s->stats->channels.alpha_min, s->stats->channels.alpha_max);
	if (!(rule_input_facts(s) & FACTS_PNG) || !palette_is_white(s->sample, s->stats) ||
	    !rule_input_has(s, ID_INVALID))
		return false;
	return say(f, "all %" PRIu64 " indices in use are white: the mask is in their transparency (tRNS)",
		   s->stats->ids_count);
}

const struct rule rule_mask_in_alpha = {
	RULE("mask-in-alpha", "encoding", LEVEL_ERROR, "one colour everywhere, with the mask in its transparency"),
	.check_file = check,
	.advice = "nothing is lost: im = Image.open(f); "
		  "Image.fromarray((np.array(im.convert('RGBA'))[..., 3] > 127).astype(np.uint8)).save(f)",
};
