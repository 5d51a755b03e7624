/*
 * What it finds
 *   Photographs, depth maps and predictions in the place of masks. With one channel: more than 64 ids, a fifth of the
 *   labels or more in runs of one or two pixels, and the labels spread over many of the ids. With colours: more than
 *   4096 of them, and at most half of the pixels black. With equal channels, and in arrays in which most neighbours
 *   differ: more than 128 levels, evenly used. Silent where the ids are in range and are steps of a scale, such as
 *   depth.
 *
 * Why it matters
 *   Masks have areas. A folder of images given as masks, or a soft prediction saved as grey, is out of range in nearly
 *   every pixel; but the range alone does not tell that it is the wrong file.
 *
 * Example
 *   masks/0001.png: error image-as-mask: 243 ids, many labels in runs of one or two pixels (91.3 %): a photograph,
 *   a rendering or a measured map, not a mask
 *
 * What to do
 *   Point at the folder of the masks, or leave the files out with --exclude. For a prediction: take argmax, or a
 *   threshold, before it is saved.
 */
#include "judge/check.h"
#include "judge/colours.h"
#include "judge/interpolation.h"

enum {
	IDS_MIN = 65, /* the largest number of classes in one image of ADE20K is near 50 */
	LEVELS_MIN = 129,
	/*
	 * Two measures, tuned on real masks with more than 40 ids: anti-aliased ones have up to .11 of their labels in
	 * thin runs and up to 2.5 effective ids, a depth map has .27 and 7, photographs .5 to .95 and 60 to 200. The
	 * effective number of ids is 1 / sum of squared shares: as many equally frequent ones would give the same.
	 */
	THIN_SHARE = 5,
	/* Masks of 30 regions and 150 classes that a Lanczos filter made smaller have .21; maps of steep gradients,
	 * which look interpolated, too, .5 and more. */
	THIN_SHARE_DAMAGED = 3,
	/* In a map in steps at most .13 of the changes are wider than one step; in damaged masks of as many ids .7. */
	WIDE_SHARE = 4,
	EFFECTIVE_IDS_MIN = 6,
	EFFECTIVE_LEVELS_MIN = 48, /* nothing is known of runs there, so more is asked */
	SHARE_BITS = 16,
};

/* Whether 1 / sum p^2 >= n, p in 65536ths. Shares that are cut to 0 do not matter to the sum. */
static bool spread_over(const struct rule_input *s, uint64_t labels, uint64_t n)
{
	uint64_t sum = 0, whole = labels;
	unsigned shift = 0;

	while (whole >> (64 - SHARE_BITS)) { /* beyond 2^48 labels low bits tell nothing */
		whole >>= 1;
		shift++;
	}
	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		uint64_t share = ((s->ids[i].labels >> shift) << SHARE_BITS) / whole;

		sum += share * share;
	}
	return sum * n <= (uint64_t)1 << 2 * SHARE_BITS;
}

static bool is_in_range(const struct rule_input *s)
{
	for (uint64_t i = 0; i < s->stats->ids_count; i++)
		if (settings_role(s->settings, s->ids[i].id) == ID_INVALID)
			return false;
	return true;
}

/* Classes that are steps of a scale (depth, height), all in range: neighbours on the map are neighbours on the scale.
 */
static bool are_ordinal(const struct rule_input *s)
{
	for (int d = 0; d < 2; d++)
		if (s->stats->wide_edges[d] > s->stats->edges[d] / WIDE_SHARE)
			return false;
	return is_in_range(s);
}

/*
 * Arrays of which most neighbours differ have no counters; so have lists of words in letters, whose ids are in range.
 * The levels alone tell as they do where all channels are equal.
 */
static bool check_noise(const struct rule_input *s, struct finding *f)
{
	const struct label_stats *stats = s->stats;

	if (!sample_is_array(s->sample) || !sample_is_mask(s->sample) || stats->colours || stats->min < 0 ||
	    stats->max > 255 || stats->ids_count < LEVELS_MIN || is_in_range(s) ||
	    !spread_over(s, stats->labels, EFFECTIVE_LEVELS_MIN))
		return false;
	text_addf(&f->message, "%" PRIu64 " ids, evenly used", stats->ids_count);
	return true;
}

static bool check_ids(const struct rule_input *s, struct finding *f)
{
	const struct label_stats *stats = s->stats;
	uint64_t thin = 0;

	if (!stats->neighbours)
		return check_noise(s, f);
	if (stats->ids_count < IDS_MIN || are_ordinal(s))
		return false;
	for (uint64_t i = 0; i < stats->ids_count; i++)
		thin += s->ids[i].thin;
	/* thin counts each label up to twice, in rows and in columns */
	bool damaged = s->interpolation & INTERPOLATION_DAMAGED;

	if (thin / 2 < stats->labels / (damaged ? THIN_SHARE_DAMAGED : THIN_SHARE) ||
	    !spread_over(s, stats->labels, EFFECTIVE_IDS_MIN))
		return false;
	text_addf(&f->message, "%" PRIu64 " ids, many labels in runs of one or two pixels", stats->ids_count);
	text_add_percent(&f->message, thin / 2, stats->labels);
	return true;
}

static bool check_colours(const struct rule_input *s, struct finding *f)
{
	const struct channel_stats *c = &s->stats->channels;

	if (c->colours_cut) {
		/* A rendering on black may have as many at its smoothed edges. */
		if (c->blank_pixels > c->pixels / 2)
			return false;
		text_addf(&f->message, "more than %d colours", COLOURS_MAX);
		return true;
	}
	if (channels_use(s) != CHANNELS_REPLICATED || s->stats->ids_count < LEVELS_MIN ||
	    !spread_over(s, c->pixels, EFFECTIVE_LEVELS_MIN))
		return false;
	text_addf(&f->message, "%" PRIu64 " levels of grey, evenly used", s->stats->ids_count);
	return true;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	if (s->sample->status != SAMPLE_READ || !(s->stats->colours ? check_colours(s, f) : check_ids(s, f)))
		return false;
	text_addf(&f->message, ": a photograph, a rendering or a measured map, not a mask");
	text_addf(&f->advice,
		  "give the folder of the masks, or leave such files out with --exclude; of a prediction, save "
		  "the argmax");
	return true;
}

const struct rule rule_image_as_mask = {
	.name = "image-as-mask",
	.category = "content",
	.level = LEVEL_ERROR,
	.summary = "a photograph in the place of a mask",
	.check_file = check,
};
