/*
 * What it finds
 *   With a table of colours (--colors, a class file or a preset that has them), palette masks whose indices are not the
 *   ids of their colours. They are counted by their colours.
 *
 * Why it matters
 *   np.array(Image.open(f)) returns indices, whatever the colours are. If the palette has another order than the table,
 *   such a loader trains other classes than those that the mask shows, and all ids may still be in range.
 *
 * Example
 *   masks/0001.png: warning reordered-palette: index 1 has #008000, the colour of class 2 (bicycle); 3 of 5 indices in
 *   use are not the ids of their colours
 *
 * What to do
 *   Load such masks by their colours, or write the palette in the order of the table; the map of the finding gives each
 *   index its id. If the indices are right and the colours mean nothing, pass `--colors none`.
 */
#include "judge/check.h"

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct png_header *png = &s->sample->png;
	uint64_t used = 0, others = 0;

	if (!s->stats->coded || png->colour_type != PNG_PALETTE)
		return false;
	for (unsigned i = 0; i < png->palette_entries; i++) {
		int32_t id = colour_table_find(&s->settings->colours, png_palette_colour(png, i));

		if (!(s->stats->raw_used[i / 64] >> i % 64 & 1))
			continue;
		used++;
		if (id == NO_COLOUR_CLASS || id == (int32_t)i)
			continue;
		if (!others++)
			say(f, "index %u has #%06" PRIx32 ", the colour of %s", i, png_palette_colour(png, i),
			    text_class(s->settings, id).s);
		finding_map(f, (int64_t)i, id);
	}
	if (!others)
		return false;
	f->details.count = others;
	return say(f, "; %" PRIu64 " of %" PRIu64 " %s in use %s", others, used, plural(used, "index", "indices"),
		   plural(others, "is not the id of its colour", "are not the ids of their colours"));
}

const struct rule rule_reordered_palette = {
	RULE("reordered-palette", "encoding", LEVEL_WARNING, "a palette in another order than the table of colours"),
	.facts_needed = FACTS_PNG,
	.check_file = check,
	.advice = "load such masks by their colours, np.array(Image.open(f).convert('RGB')), or map each index to its "
		  "id; "
		  "if the indices are right, pass --colors none",
};
