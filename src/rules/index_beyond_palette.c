/*
 * What it finds
 *   Palette masks that use an index for which the palette (PLTE) has no entry.
 *
 * Why it matters
 *   The PNG specification calls it an error. Pillow returns the index, libpng reads past the palette, others stop or
 *   return black: the id depends on the loader. The usual cause: the ids of a mask were changed, its palette was not.
 *
 * Example
 *   masks/0001.png: error index-beyond-palette: palette id 255 is used, the palette has only 21 entries
 *
 * What to do
 *   Give the palette all 256 entries: `im.putpalette(palette + [0] * (768 - len(palette)))`, or write the mask as
 *   8-bit grey.
 */
#include "judge/check.h"

static uint64_t labels_of(const struct rule_input *s, int64_t id)
{
	for (size_t i = 0; i < s->stats->ids_count; i++)
		if (s->ids[i].id == id)
			return s->ids[i].labels;
	return 0;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct png_header *png = &s->sample->png;
	bool ids_are_indices = s->settings->view != VIEW_CV2 && !s->stats->coded;
	struct extent places = EXTENT_INIT;

	if (png->colour_type != PNG_PALETTE)
		return false;
	for (unsigned i = png->palette_entries; i < 256; i++)
		if (s->stats->raw_used[i / 64] >> (i % 64) & 1)
			finding_add_id(f, i, ids_are_indices ? labels_of(s, i) : 0);
	if (!f->details.ids_total)
		return false;
	for (size_t i = 0; ids_are_indices && i < s->stats->ids_count; i++)
		if (s->ids[i].id >= png->palette_entries)
			extent_add(&places, &s->ids[i]);
	finding_set_extent(f, &places, s->sample);
	return say(f, "palette %s %s used, the palette has only %u %s", text_finding_ids(f).s,
		   plural(f->details.ids_total, "is", "are"), (unsigned)png->palette_entries,
		   plural(png->palette_entries, "entry", "entries"));
}

const struct rule rule_index_beyond_palette = {
	RULE("index-beyond-palette", "encoding", LEVEL_ERROR, "a palette index without a palette entry"),
	.facts_needed = FACTS_PNG,
	.check_file = check,
	.advice = "give the palette all 256 entries: p = im.getpalette(); im.putpalette(p + [0] * (768 - len(p))); or "
		  "write 8-bit grey",
};
