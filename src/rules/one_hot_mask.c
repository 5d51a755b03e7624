/*
 * Error message
 *   RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 4
 *
 * What it finds
 *   RGB or RGBA masks whose channels are classes: every value is 0 or a single peak (1, 255), exactly one channel is
 *   set in at least 99.9 % of the pixels, and at least two channels are used. Arrays with an axis whose length is the
 *   number of classes, or one more or less ([N, K], [K, H, W], [H, W, K], [N, K, H, W], [N, H, W, K]), with the same
 *   values.
 *
 * Why it matters
 *   Cross-entropy takes the index of the class, not its one-hot form. Pure red, green and blue on a black background
 *   is a color-mask instead: one-hot pixels always have a class.
 *
 * Example
 *   masks/0001.png: error one-hot-mask: exactly one of 3 channels is set to 255 in every pixel: channels are classes,
 *   a one-hot mask
 *
 * What to do
 *   `np.array(Image.open(f))[..., :3].argmax(-1).astype(np.uint8)`; for an array, `a.argmax(axis)`.
 */
#include "judge/check.h"
#include "judge/colours.h"

static bool check_array(const struct rule_input *s, struct finding *f)
{
	const struct class_axis *a = &s->stats->array.axis;

	if (s->stats->array.use != ARRAY_ONE_HOT)
		return false;
	say(f, "axis %" PRIu32 " has %" PRIu32 " elements, of which ", a->axis, a->classes);
	if (a->one == a->places)
		say(f, "exactly one is not 0 everywhere");
	else
		say(f, "exactly one is not 0 in at least 99.9 %% of the places");
	say(f, ": they are classes, one-hot labels");
	advise(f, "take the index of the class: %s.argmax(%" PRIu32 ")", array_loader(s->sample), a->axis);
	if (a->classes == settings_class_count(s->settings) + 1)
		advise(f, "; one of them is the background: declare --classes %" PRIu32, a->classes);
	return true;
}

static bool check_image(const struct rule_input *s, struct finding *f)
{
	const struct channel_stats *c = &s->stats->channels;

	if (channels_use(s) != CHANNELS_ONE_HOT)
		return false;
	say(f, "exactly one of 3 channels is set to %" PRIu32 " in %s", c->peak,
	    c->one_hot_pixels == c->pixels ? "every pixel" : "at least 99.9 % of the pixels");
	say(f, ": channels are classes, a one-hot mask");
	text_addf(&f->details.map, "red -> 0, green -> 1, blue -> 2");
	return advise(f, "take the index of the channel: %s[..., :3].argmax(-1).astype(np.uint8)",
		      channels_layout(s).load);
}

static bool check(const struct rule_input *s, struct finding *f)
{
	unsigned facts = rule_input_facts(s);

	return facts & FACTS_CHANNELS ? check_image(s, f) : facts & FACTS_ARRAY && check_array(s, f);
}

const struct rule rule_one_hot_mask = {
	RULE("one-hot-mask", "shape", LEVEL_ERROR, "one channel per class where one id is expected"),
	.check_file = check,
	.repair = REPAIR_EXACT,
};
