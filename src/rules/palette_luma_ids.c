/*
 * What it finds
 *   Grey masks whose ids are the brightness (luma) of the colours of a known palette, PASCAL VOC's or Cityscapes': each
 *   id that is not ignored is such a luma, there are three or more, and two of them are out of range. Where they are
 *   also classes times a number (scaled-ids), there are four or more.
 *
 * Why it matters
 *   A palette or colour mask was converted to grey: convert('L') in Pillow, cv2.imread(f, 0), cvtColor. The numbers are
 *   no longer ids, and with VOC they do not even determine them: classes 1 and 16, and 3 and 18, have the same luma.
 *
 * Example
 *   masks/2007_000032.png: error palette-luma-ids: ids 0, 38, 75, 147 are the luma of the colours of PASCAL VOC: a
 *   colour mask that was converted to grey
 *
 * What to do
 *   Return to the palette files and read their indices: `np.array(Image.open(f))` without convert. If there is no other
 *   source, use the map in the finding.
 */
#include "judge/check.h"
#include "judge/colours.h"

/*
 * The 17 distinct lumas of VOC, up to two values each, are 34 of 256 grey levels: two ids are among them by chance in 1
 * of 57 masks, three in 1 of 427. 0 is in every mask, and small ids are in range and luma at once, so two of the three
 * must be out of range. Classes times 10 need no such reason, and 0, 20 and 90 are lumas among them.
 */
enum { IDS_MIN = 3, SCALED_IDS_MIN = 4, INVALID_MIN = 2 };

/* Tolerances in thousandths. Pillow and OpenCV round the luma; others cut it, or round up. */
enum { ROUNDED = 500, NEAR = 999 };

/* Luma of Rec. 601, as in Pillow and OpenCV. */
static bool is_luma_of(int64_t id, uint32_t colour, int64_t tolerance)
{
	int64_t luma = 299 * (int64_t)(colour >> 16 & 255) + 587 * (int64_t)(colour >> 8 & 255) +
		       114 * (int64_t)(colour & 255);

	return 1000 * id >= luma - tolerance && 1000 * id <= luma + tolerance;
}

static uint32_t pure_colour(unsigned i)
{
	static const uint32_t colours[] = { 0x000000, 0xff0000, 0x00ff00, 0x0000ff };

	return colours[i];
}

/* Nobody's palette gives these ids, so that they are mapped to the colours. With NEAR they are 7 of 256 levels. */
static const struct known_palette pure_colours = { .name = "pure red, green and blue",
						   .classes = 4,
						   .colour_of = pure_colour };

static bool is_luma_of_any(int64_t id, const struct known_palette *palette, int64_t tolerance)
{
	for (unsigned i = 0; i < palette->classes; i++)
		if (is_luma_of(id, palette->colour_of(i), tolerance))
			return true;
	return is_luma_of(id, palette->ignored_colour, tolerance);
}

/* Appends `38 -> 1` or `38 -> 1 or 17`. */
static void map_id(int64_t id, const struct known_palette *palette, struct text *map)
{
	int64_t tolerance = is_luma_of_any(id, palette, ROUNDED) ? ROUNDED : NEAR;
	const char *join = " -> ";

	text_addf(map, "%s%" PRId64, map->len ? ", " : "", id);
	for (unsigned i = 0; i < palette->classes; i++) {
		if (!is_luma_of(id, palette->colour_of(i), tolerance))
			continue;
		if (palette == &pure_colours)
			text_addf(map, "%s#%06" PRIx32, join, palette->colour_of(i));
		else
			text_addf(map, "%s%u", join, i);
		join = " or ";
	}
	if (palette != &pure_colours && is_luma_of(id, palette->ignored_colour, tolerance))
		text_addf(map, "%s255", join);
}

static bool fits(const struct rule_input *s, const struct known_palette *palette)
{
	for (uint64_t i = 0; i < s->stats->ids_count; i++)
		if (settings_role(s->settings, s->ids[i].id) != ID_IGNORED &&
		    !is_luma_of_any(s->ids[i].id, palette, NEAR))
			return false;
	return true;
}

/* Returns whether all ids are classes times one number. */
static bool are_scaled(const struct rule_input *s)
{
	uint64_t divisor = 0;

	for (uint64_t i = 0; i < s->stats->ids_count; i++)
		if (settings_role(s->settings, s->ids[i].id) != ID_IGNORED)
			divisor = common_divisor(divisor, (uint64_t)s->ids[i].id);
	for (uint64_t i = 0; i < s->stats->ids_count; i++)
		if (settings_role(s->settings, s->ids[i].id) != ID_IGNORED &&
		    settings_role(s->settings, s->ids[i].id / (int64_t)MAX(divisor, 1)) == ID_INVALID)
			return false;
	return true;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct known_palette *palette = NULL;
	uint64_t invalid = 0, used = 0;

	if (s->sample->png.colour_type != PNG_GREY || s->sample->png.bit_depth != 8)
		return false;
	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		enum id_role role = settings_role(s->settings, s->ids[i].id);

		invalid += role == ID_INVALID;
		used += role != ID_IGNORED;
	}
	if (invalid < INVALID_MIN || used < IDS_MIN || (used < SCALED_IDS_MIN && are_scaled(s)))
		return false;
	for (size_t i = 0; i < known_palettes_count && !palette; i++)
		if (fits(s, &known_palettes[i]))
			palette = &known_palettes[i];
	if (!palette && fits(s, &pure_colours))
		palette = &pure_colours;
	if (!palette)
		return false;

	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		if (settings_role(s->settings, s->ids[i].id) == ID_IGNORED)
			continue;
		finding_add_id(f, s->ids[i].id, s->ids[i].labels);
		map_id(s->ids[i].id, palette, &f->details.map);
	}
	return say(f, "%s are the luma of %s%s: a colour mask that was converted to grey", text_finding_ids(f).s,
		   palette == &pure_colours ? "" : "the colours of ", palette->name);
}

const struct rule rule_palette_luma_ids = {
	RULE("palette-luma-ids", "range", LEVEL_ERROR, "the brightness of palette colours instead of ids"),
	.repair = REPAIR_NEVER,
	.facts_needed = FACTS_PNG,
	.check_file = check,
	.advice = "return to the palette or colour files and read their ids: np.array(Image.open(f)), without "
		  "convert('L') and not with cv2.imread(f, 0)",
};
