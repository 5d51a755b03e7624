/*
 * What it finds
 *   Grey PNG masks of 1, 2 or 4 bits that use more than id 0.
 *
 * Why it matters
 *   The PNG specification scales such samples to full brightness, and loaders do: Pillow and OpenCV read 2 bits times
 *   85 and 4 bits times 17; 1 bit is 0/1 in Pillow and 0/255 in OpenCV. An id of 3 becomes 255 or 51.
 *
 * Example
 *   masks/0001.png: warning expanded-bit-depth: grey of 2 bits: Pillow and OpenCV multiply the samples by 85
 *
 * What to do
 *   Write the masks with 8 bits (or as palette files, whose indices Pillow reads unchanged at every depth), or divide
 *   by 85 or 17 in the loader.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct png_header *png = &s->sample->png;
	const uint64_t used = s->stats->raw_used[0]; /* up to 4 bits: 0..15 */

	if (png->colour_type != PNG_GREY || png->bit_depth > 4 || !(used >> 1))
		return false;

	unsigned factor = 255 / ((1U << png->bit_depth) - 1);

	for (unsigned i = 1; i < 16; i++)
		if (used >> i & 1)
			finding_map(f, i * factor, i);
	if (png->bit_depth == 1) {
		say(f, "grey of 1 bit: Pillow reads 1, OpenCV reads 255");
		advise(f, "write 8 bits: Image.fromarray(np.array(Image.open(f)).astype(np.uint8)).save(f)");
	} else {
		say(f, "grey of %u bits: Pillow and OpenCV multiply the samples by %u", png->bit_depth, factor);
		advise(f,
		       "write 8 bits: Image.fromarray(np.array(Image.open(f)) // %u).save(f), or divide by %u in the "
		       "loader",
		       factor, factor);
	}
	return true;
}

const struct rule rule_expanded_bit_depth = {
	RULE("expanded-bit-depth", "encoding", LEVEL_WARNING, "grey of 1, 2 or 4 bits, which loaders multiply"),
	.repair = REPAIR_EXACT,
	.facts_needed = FACTS_PNG,
	.check_file = check,
};
