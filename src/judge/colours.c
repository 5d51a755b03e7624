#include "judge/colours.h"

#include "base/mem.h"
#include "judge/wording.h"

/* ---- channels --------------------------------------------------------------------------------------------------- */

struct channel_layout channels_layout(const struct rule_input *s)
{
	const struct png_header *png = &s->sample->png;
	const struct array_header *array = &s->sample->array;

	if (sample_is_array(s->sample))
		return (struct channel_layout){ (unsigned)array->shape[array->rank - 1],
						array->shape[array->rank - 1] == 4, 8, array_loader(s->sample) };
	return (struct channel_layout){ png->channels,
					png->colour_type == PNG_GREY_ALPHA || png->colour_type == PNG_RGBA,
					png->bit_depth, "np.array(Image.open(f))" };
}

/* Returns which channels (red 4, green 2, blue 1) are the only one in some colour. */
static unsigned channels_alone(const struct rule_input *s)
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
 * Returns whether every value is 0 or the peak, exactly one channel is on in at least 99.9 % of the pixels, and two
 * channels are in use. A mask in pure red, green and blue has black pixels, too; a one-hot pixel always has its class.
 * A file without black could be either, and argmax repairs both. (A 16-bit peak of 1 is lost when colours are cut to
 * their high bytes; such a file counts as a colour mask.)
 */
static bool is_one_hot(const struct rule_input *s)
{
	const struct channel_stats *c = &s->stats->channels;
	uint64_t others = c->pixels - c->one_hot_pixels;
	unsigned used = channels_alone(s);

	return c->pixels && !c->mixed_pixels && others <= c->pixels / 1000 && (used & (used - 1)) != 0;
}

/*
 * Returns whether all samples are 0 or 1. Such a file looks black, so it is neither an image nor a colour code. With
 * any other peak, pure colours and classes are the same bytes, and colours are far more common.
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

bool palette_is_white(const struct sample *sample, const struct label_stats *stats)
{
	const struct png_header *png = &sample->png;

	if (sample->format != FORMAT_PNG || png->colour_type != PNG_PALETTE || stats->ids_count < 2)
		return false;
	for (unsigned i = 0; i < 256; i++) {
		bool used = stats->raw_used[i / 64] >> (i % 64) & 1;

		if (used && (i >= png->palette_entries ||
			     (png->palette[i][0] & png->palette[i][1] & png->palette[i][2]) != 255))
			return false;
	}
	return true;
}

bool mask_is_in_alpha_channel(const struct rule_input *s)
{
	const struct label_stats *stats = s->stats;
	const struct channel_stats *c = &stats->channels;

	return s->sample->status == SAMPLE_READ && s->sample->format == FORMAT_PNG && stats->colours &&
	       channels_layout(s).alpha && !c->colours_cut && stats->ids_count == 1 && c->alpha_min != c->alpha_max;
}

/* ---- palettes --------------------------------------------------------------------------------------------------- */

/*
 * VOCdevkit's VOClabelcolormap: bits 0, 1, 2 of the id are the top bits of red, green and blue, bits 3, 4, 5 the next
 * ones, and so on. The eight bits of an id fill three bits of red and green and two of blue.
 */
uint32_t voc_colour(unsigned i)
{
	uint32_t red = 0, green = 0, blue = 0;

	for (unsigned bit = 0; bit < 3; bit++, i >>= 3) {
		red |= (i & 1) << (7 - bit);
		green |= (i >> 1 & 1) << (7 - bit);
		blue |= (i >> 2 & 1) << (7 - bit);
	}
	return red << 16 | green << 8 | blue;
}

static int64_t voc_id(uint32_t colour)
{
	unsigned id = 0;

	for (unsigned bit = 0; bit < 3; bit++) {
		id |= (colour >> (23 - bit) & 1) << (3 * bit);
		id |= (colour >> (15 - bit) & 1) << (3 * bit + 1);
		id |= (colour >> (7 - bit) & 1) << (3 * bit + 2);
	}
	return id < 256 && voc_colour(id) == colour ? (int64_t)id : NOT_A_COLOUR;
}

/* cityscapesScripts, helpers/labels.py: colours by trainId; black is every label that is not trained on. */
static const uint32_t cityscapes_colours[] = {
	0x804080, 0xf423e8, 0x464646, 0x66669c, 0xbe9999, 0x999999, 0xfaaa1e, 0xdcdc00, 0x6b8e23, 0x98fb98,
	0x4682b4, 0xdc143c, 0xff0000, 0x00008e, 0x000046, 0x003c64, 0x005064, 0x0000e6, 0x770b20,
};

static uint32_t cityscapes_colour(unsigned i)
{
	return cityscapes_colours[i];
}

static int64_t cityscapes_id(uint32_t colour)
{
	if (colour == 0)
		return 255;
	for (size_t i = 0; i < ARRAY_SIZE(cityscapes_colours); i++)
		if (cityscapes_colours[i] == colour)
			return (int64_t)i;
	return NOT_A_COLOUR;
}

const struct known_palette known_palettes[] = {
	{ "Cityscapes", "cityscapes", cityscapes_id, ARRAY_SIZE(cityscapes_colours), cityscapes_colour, 0x000000 },
	{ "PASCAL VOC", "voc", voc_id, 21, voc_colour, 0xe0e0c0 },
};
const size_t known_palettes_count = ARRAY_SIZE(known_palettes);

static bool fits(const struct known_palette *palette, const struct id_stats *colours, size_t n, bool swapped)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t colour = (uint32_t)colours[i].id;

		if (palette->id_of(swapped ? colour_swapped(colour) : colour) == NOT_A_COLOUR)
			return false;
	}
	return true;
}

const struct known_palette *known_palette_match(const struct id_stats *colours, size_t n, bool swapped)
{
	if (n < 2)
		return NULL; /* black, or any one colour, is in many palettes */
	for (size_t i = 0; i < known_palettes_count; i++)
		if (fits(&known_palettes[i], colours, n, swapped))
			return &known_palettes[i];
	return NULL;
}

void near_colours_add(struct near_colours *n, const struct colour_table *table, int64_t id, uint64_t labels,
		      uint64_t thin)
{
	enum { NEAR = 48 * 48 }; /* the square of a distance in RGB; colours of classes are further apart */
	const struct colour_entry *e = id_is_colour(id) ? colour_table_nearest(table, colour_of_id(id)) : NULL;

	if (!e)
		return;
	n->labels += labels;
	if (colour_distance(e->colour, colour_of_id(id)) <= NEAR)
		n->near += labels;
	else if (thin < labels) /* rows and columns are added up: most of it is in runs of three or more */
		n->areas += labels;
}

bool near_colours_explain(const struct near_colours *n)
{
	return n->labels && n->near >= n->labels - n->labels / 4 && n->areas <= n->labels / 100;
}

bool colours_are_near_table(const struct rule_input *s)
{
	struct near_colours n = { 0 };

	for (size_t i = 0; i < s->stats->ids_count && s->stats->coded; i++)
		near_colours_add(&n, &s->settings->colours, s->ids[i].id, s->ids[i].labels, s->ids[i].thin);
	return near_colours_explain(&n);
}
