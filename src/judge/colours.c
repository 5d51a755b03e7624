#include "judge/colours.h"

struct channel_layout channels_layout(const struct rule_input *s)
{
	const struct png_header *png = &s->sample->png;
	const struct array_header *array = &s->sample->array;

	if (sample_is_array(s->sample))
		return (struct channel_layout){ (unsigned)array->shape[array->rank - 1],
						array->shape[array->rank - 1] == 4, 8, "np.load(f)" };
	return (struct channel_layout){ png->channels,
					png->colour_type == PNG_GREY_ALPHA || png->colour_type == PNG_RGBA,
					png->bit_depth, "np.array(Image.open(f))" };
}

/* Distinct channels (red 4, green 2, blue 1) that are alone in some colour. */
static unsigned lone_channels(const struct rule_input *s)
{
	unsigned used = 0;

	for (size_t i = 0; i < s->stats->ids_count; i++) {
		int64_t colour = s->ids[i].id;
		unsigned on = (unsigned)((colour & 0xff0000) != 0) << 2 | (unsigned)((colour & 0xff00) != 0) << 1 |
			      (unsigned)((colour & 0xff) != 0);

		if (on == 1 || on == 2 || on == 4)
			used |= on;
	}
	return used;
}

/*
 * Each value 0 or the peak, exactly one channel on in at least 99.9 % of the pixels, and two channels in use. Black
 * pixels are what tells it from a mask in pure red, green and blue: a one-hot pixel always has its class. Where there
 * is no black at all the two are the same bytes, and the same argmax mends both. (A 16-bit peak of 1 is cut out of the
 * colours; such a file is a colour mask to us.)
 */
static bool is_one_hot(const struct rule_input *s)
{
	const struct channel_stats *c = &s->stats->channels;
	uint64_t others = c->pixels - c->one_hot_pixels;
	unsigned used = lone_channels(s);

	return c->pixels && !c->mixed_pixels && others <= c->pixels / 1000 && (used & (used - 1)) != 0;
}

/*
 * Samples of 0 and 1 alone: black to the eye, so no picture and no colour code. With any other peak, pure colours and
 * classes are the same bytes; colours are what people make far more often.
 */
static bool is_multi_label(const struct rule_input *s)
{
	const struct channel_stats *c = &s->stats->channels;

	return c->peak == 1 && channels_layout(s).bits == 8;
}

enum channel_use channels_use(const struct rule_input *s)
{
	const struct channel_stats *c = &s->stats->channels;

	if (c->alpha_min != c->alpha_max)
		return CHANNELS_COLOURS;
	if (!c->unequal_pixels)
		return CHANNELS_REPLICATED;
	if (is_one_hot(s))
		return CHANNELS_ONE_HOT;
	return is_multi_label(s) ? CHANNELS_MULTI_LABEL : CHANNELS_COLOURS;
}
