/*
 * What it finds
 *   Photographs, depth maps and predictions in place of masks. With one channel: more than 64 ids, a fifth of the
 *   labels or more in runs of one or two pixels, and the labels spread over many of the ids. With colours: more than
 *   4096 of them, and at most half of the pixels black. With equal channels, and in arrays in which most neighbours
 *   differ: more than 128 levels, evenly used. The rule is silent if the ids are in range and are steps of a scale,
 *   such as depth.
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

enum {
	IDS_MIN = 65, /* the largest number of classes in one image of ADE20K is near 50 */
	LEVELS_MIN = 129,
	/*
	 * Two measures: the share of labels in thin runs, and the effective number of ids, 1 / sum of squared shares (n
	 * equally frequent ids give n). Real masks of more than 40 ids: .11 and 2.5 at most if anti-aliased; a depth
	 * map has .27 and 7, photographs .5 to .95 and 60 to 200.
	 */
	THIN_SHARE = 5,
	/* Masks of 150 classes shrunk by Lanczos have .21; maps of steep gradients, which look damaged, too, .5. */
	THIN_SHARE_DAMAGED = 3,
	/* At most .13 of the changes in a stepped map are wider than one step; .7 in damaged masks of as many ids. */
	WIDE_SHARE = 4,
	EFFECTIVE_IDS_MIN = 6,
	EFFECTIVE_LEVELS_MIN = 48, /* without counters of runs, so more is needed */
	SHARE_BITS = 16,
};

/* Returns whether 1 / sum p^2 >= n, with p in 65536ths. Shares cut to 0 do not matter to the sum. */
static bool spread_over(const struct rule_input *s, uint64_t labels, uint64_t n)
{
	uint64_t sum = 0;
	unsigned shift = 0;

	while (labels >> shift >> (64 - SHARE_BITS)) /* above 2^48 labels the low bits do not matter */
		shift++;
	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		uint64_t share = ((s->ids[i].labels >> shift) << SHARE_BITS) / (labels >> shift);

		sum += share * share;
	}
	return sum * n <= (uint64_t)1 << 2 * SHARE_BITS;
}

/* Returns whether the ids are steps of a scale (depth, height), all in range: neighbours differ by one step. */
static bool are_ordinal(const struct rule_input *s)
{
	for (int d = 0; d < 2; d++)
		if (s->stats->wide_edges[d] > s->stats->edges[d] / WIDE_SHARE)
			return false;
	return !rule_input_has(s, ID_INVALID);
}

/*
 * Checks an array without counters, in which most neighbours differ, by its levels alone. Lists of words as letters
 * have no counters either, but their ids are in range.
 */
static bool check_noise(const struct rule_input *s, struct finding *f)
{
	const struct label_stats *stats = s->stats;

	if (!sample_is_array(s->sample) || !sample_is_mask(s->sample) || stats->colours || stats->min < 0 ||
	    stats->max > 255 || stats->ids_count < LEVELS_MIN || !rule_input_has(s, ID_INVALID) ||
	    !spread_over(s, stats->labels, EFFECTIVE_LEVELS_MIN))
		return false;
	return say(f, "%" PRIu64 " ids, evenly used", stats->ids_count);
}

static bool check_ids(const struct rule_input *s, struct finding *f)
{
	const struct label_stats *stats = s->stats;
	uint64_t thin = 0;

	if (palette_is_white(s->sample, stats))
		return false; /* levels of transparency */
	if (!stats->neighbours)
		return check_noise(s, f);
	if (stats->ids_count < IDS_MIN || are_ordinal(s))
		return false;
	for (uint64_t i = 0; i < stats->ids_count; i++)
		thin += s->ids[i].thin;
	/* thin counts each label up to twice, in rows and in columns. */
	bool damaged = s->interpolation & INTERPOLATION_DAMAGED;

	if (thin / 2 < stats->labels / (damaged ? THIN_SHARE_DAMAGED : THIN_SHARE) ||
	    !spread_over(s, stats->labels, EFFECTIVE_IDS_MIN))
		return false;
	return say(f, "%" PRIu64 " ids, many labels in runs of one or two pixels%s", stats->ids_count,
		   text_percent(thin / 2, stats->labels).s);
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
	    !spread_over(s, c->pixels, EFFECTIVE_LEVELS_MIN))
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
