/*
 * What it finds
 *   RGB or RGBA masks whose samples are 0 and 1 only, with more than one channel set, or none, in more than 0.1 % of
 *   the pixels: each channel is a class of its own. Samples of 0 and 1 look black, so nobody meant colours. With 0 and
 *   255 the same bytes may be a mask in pure red, magenta and white, and are reported as color-mask. The same for
 *   arrays with an axis whose length is the number of classes, or one more or less, and whose values are 0 and 1 or 0
 *   and 255; but not if the same values could be a mask, or a stack of masks, of two classes.
 *
 * Why it matters
 *   Cross-entropy takes one class per pixel. A pixel of two classes has no such id, and taking the largest channel
 *   silently drops one of them.
 *
 * Example
 *   masks/0001.png: error multi-label-mask: channels are 0 and 1; several are set in 1204 pixels (0.5 %), none in
 *   208990 (79.7 %)
 *
 * What to do
 *   Train with a sigmoid for each class (BCEWithLogitsLoss) and audit each channel on its own. If no pixel has several
 *   set, the pixels without one are the background: `np.where(m.any(-1), m.argmax(-1) + 1, 0)`.
 */
#include "judge/check.h"
#include "judge/colours.h"

static void say_shares(struct finding *f, uint64_t several, const char *unit, uint64_t none, uint64_t all)
{
	say(f, "%" PRIu64 " %s%s%s, none in %" PRIu64 "%s", several, unit, plural(several, "", "s"),
	    text_percent(several, all).s, none, text_percent(none, all).s);
}

static bool check_array(const struct rule_input *s, struct finding *f)
{
	const struct class_axis *a = &s->stats->array.axis;
	uint64_t several = a->places - a->one - a->none;

	if (s->stats->array.use != ARRAY_MULTI_LABEL)
		return false;
	say(f, "axis %" PRIu32 " has %" PRIu32 " elements, 0 or not; several are set in ", a->axis, a->classes);
	say_shares(f, several, "place", a->none, a->places);
	if (several)
		advise(f, "train with a sigmoid for each class (BCEWithLogitsLoss), or decide which class wins where "
			  "several are set");
	else
		advise(f,
		       "places without a class are the background: ids = np.where(a.any(%" PRIu32 "), a.argmax(%" PRIu32
		       ") + 1, 0)",
		       a->axis, a->axis);
	return true;
}

static bool check_image(const struct rule_input *s, struct finding *f)
{
	const struct channel_stats *c = &s->stats->channels;

	if (channels_use(s) != CHANNELS_MULTI_LABEL)
		return false;

	uint64_t several = c->pixels - c->one_hot_pixels - c->blank_pixels;

	say(f, "channels are 0 and 1; several are set in ");
	say_shares(f, several, "pixel", c->blank_pixels, c->pixels);
	if (several)
		advise(f, "train with a sigmoid for each class (BCEWithLogitsLoss), or decide which class wins where "
			  "several are set");
	else
		advise(f,
		       "pixels without a class are the background: m = %s[..., :3]; ids = np.where(m.any(-1), "
		       "m.argmax(-1) + 1, 0)",
		       channels_layout(s).load);
	return true;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	unsigned facts = rule_input_facts(s);

	return facts & FACTS_CHANNELS ? check_image(s, f) : facts & FACTS_ARRAY && check_array(s, f);
}

const struct rule rule_multi_label_mask = {
	RULE("multi-label-mask", "shape", LEVEL_ERROR, "one channel per class, and several of them set in one pixel"),
	.check_file = check,
};
