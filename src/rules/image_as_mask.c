/*
 * What it finds
 *   Photographs, depth maps and predictions in place of masks. With one channel: more than 64 ids, a fifth of the
 *   labels or more in runs of one or two pixels, and the labels spread over many of the ids. With colours: more than
 *   4096 of them, and at most half of the pixels black. With equal channels, and in arrays in which most neighbours
 *   differ: more than 128 levels, evenly used. In arrays and volumes: more than 128 ids, 64 of them negative, as a CT
 *   has them. The rule is silent if the ids are in range and are steps of a scale, such as depth.
 *
 * Why it matters
 *   Masks have areas. A folder of images given as masks, or a soft prediction saved as grey, is out of range in nearly
 *   every pixel; but the range alone does not show that the file is wrong.
 *
 * Example
 *   masks/0001.png: error image-as-mask: 243 ids, many labels in runs of one or two pixels (91.3 %): a photograph,
 *   a rendering or a measured map, not a mask
 *
 * What to do
 *   Audit the folder of the masks, or leave the files out with --exclude. For a prediction: take the argmax, or apply a
 *   threshold, before you save it.
 */
#include "judge/check.h"
#include "judge/colours.h"
#include "judge/interpolation.h"
#include "judge/photograph.h"

enum {
	LEVELS_MIN = 129,
	NEGATIVE_MIN = 64,
	EFFECTIVE_LEVELS_MIN = 48, /* without counters of runs, so more is needed */
};

/*
 * Checks an array without counters, in which most neighbours differ, by its levels alone. Lists of words as letters
 * have no counters either, but their ids are in range.
 */
static bool check_noise(const struct rule_input *s, struct finding *f)
{
	const struct label_stats *stats = s->stats;

	uint64_t negative = 0;

	if (!sample_is_array(s->sample) || !sample_is_mask(s->sample) || stats->colours ||
	    stats->ids_count < LEVELS_MIN || !rule_input_has(s, ID_INVALID))
		return false;
	/* of a CT; ids above 127 that were wrapped in a byte are fewer, or not below -128 */
	for (uint64_t i = 0; i < stats->ids_count && stats->min < INT8_MIN; i++)
		negative += s->ids[i].id < 0;
	if (negative >= NEGATIVE_MIN)
		return say(f, "%" PRIu64 " ids, %" PRIu64 " of them negative", stats->ids_count, negative);
	return stats->min >= 0 && stats->max <= 255 &&
	       ids_are_spread(stats, s->ids, stats->labels, EFFECTIVE_LEVELS_MIN) &&
	       say(f, "%" PRIu64 " ids, evenly used", stats->ids_count);
}

static bool check_ids(const struct rule_input *s, struct finding *f)
{
	uint64_t thin;

	if (palette_is_white(s->sample, s->stats))
		return false; /* levels of transparency */
	if (s->stats->coded && colours_are_near_table(s))
		return false; /* what JPEG or smoothing made of the colours of classes */
	if (!s->stats->neighbours)
		return check_noise(s, f);
	if (!is_photograph(s->settings, s->stats, s->ids, s->interpolation & INTERPOLATION_DAMAGED, &thin))
		return false;
	return say(f, "%" PRIu64 " ids, many labels in runs of one or two pixels%s", s->stats->ids_count,
		   text_percent(thin / 2, s->stats->labels).s);
}

static bool check_colours(const struct rule_input *s, struct finding *f)
{
	const struct channel_stats *c = &s->stats->channels;

	if (c->colours_cut) {
		if (c->blank_pixels > c->pixels / 2)
			return false; /* smoothed edges of a rendering on black may have as many */
		return say(f, "more than %d colours", COLOURS_MAX);
	}
	if (channels_use(s) != CHANNELS_REPLICATED || s->stats->ids_count < LEVELS_MIN ||
	    !ids_are_spread(s->stats, s->ids, c->pixels, EFFECTIVE_LEVELS_MIN))
		return false;
	return say(f, "%" PRIu64 " levels of grey, evenly used", s->stats->ids_count);
}

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->status != SAMPLE_READ || !(s->stats->colours ? check_colours(s, f) : check_ids(s, f)))
		return false;
	return say(f, ": a photograph, a rendering or a measured map, not a mask");
}

const struct rule rule_image_as_mask = {
	RULE("image-as-mask", "content", LEVEL_ERROR, "a photograph in place of a mask"),
	.check_file = check,
	.advice = "audit the folder of the masks, or leave such files out with --exclude; for a prediction, save the "
		  "argmax",
};
