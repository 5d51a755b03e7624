/*
 * What it finds
 *   Masks in which an id that nobody declared, or 255 as a class, occurs only as lines of one or two pixels, most of
 *   them between two different ids, and is not numerically between them.
 *
 * Why it matters
 *   Annotation tools draw an outline around their objects, usually with 255. It belongs to no class: out of range, it
 *   stops the training; declared as a class, it is learned.
 *
 * Example
 *   masks/0001.png: warning edge-halo: id 255 occurs only as lines of one or two pixels between other ids (5120
 *   pixels): like an outline that a tool drew
 *
 * What to do
 *   Add the id to --ignore and to ignore_index; nothing else needs to change.
 */
#include "judge/check.h"
#include "judge/colours.h"
#include "judge/interpolation.h"

enum {
	LABELS_MIN = 64, /* the outline of an object of 16 x 16 */
	IDS_MAX = 64,    /* more are a photograph, see image_as_mask.c */
	CUSTOMARY = 255,
};

static bool is_outline(const struct rule_input *s, const struct id_stats *row)
{
	enum id_role role = settings_role(s->settings, row->id);
	uint64_t lone = row->lone[LINE_ROW] + row->lone[LINE_COLUMN];

	if (row->labels < LABELS_MIN || (role != ID_INVALID && !(role == ID_CLASS && row->id == CUSTOMARY)))
		return false;
	/* A line is thin in rows where it is steep, in columns where it is flat, and in both where it is diagonal. */
	if (row->thin < row->labels - row->labels / 8)
		return false;
	/* Thin in both nearly everywhere: noise; an outline also runs along rows and columns. */
	if (row->thin > 2 * row->labels - row->labels / 8)
		return false;
	/* Lone in rows and in columns: an outline runs all around, a wire or the fringe of a scan does not. */
	if (lone < row->labels / 2 || row->lone[LINE_ROW] < row->labels / 8 || row->lone[LINE_COLUMN] < row->labels / 8)
		return false;
	/* Interpolation makes ids between their neighbours: interpolated-mask reports these. */
	return row->between[LINE_ROW] + row->between[LINE_COLUMN] <= lone / 8;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct id_stats *halo = NULL;
	struct extent place = EXTENT_INIT;

	if (s->stats->ids_count < 3 || s->stats->ids_count > IDS_MAX)
		return false; /* an outline is between two others */
	for (uint64_t i = 0; i < s->stats->ids_count; i++) {
		if (!is_outline(s, &s->ids[i]))
			continue;
		if (halo)
			return false; /* tools draw with one; several thin ids are something else */
		halo = &s->ids[i];
	}
	if (!halo || palette_is_white(s->sample, s->stats) || s->interpolation & INTERPOLATION_DAMAGED)
		return false; /* bicubic filters overshoot: that gives such ids, too */
	finding_add_id(f, halo->id, halo->labels);
	extent_add(&place, halo);
	finding_set_extent(f, &place, s->sample);
	say(f,
	    "%s occurs only as lines of one or two pixels between other ids (%" PRIu64
	    " pixels): like an outline that a tool drew",
	    text_finding_ids(f).s, halo->labels);
	if (id_is_colour(halo->id))
		return advise(f, "if it is an outline, pass --ignore='%s'", text_id(halo->id).s);
	return advise(f, "if it is an outline, pass --ignore=%" PRId64 " and train with ignore_index=%" PRId64,
		      halo->id, halo->id);
}

const struct rule rule_edge_halo = {
	RULE("edge-halo", "content", LEVEL_WARNING, "an undeclared id that occurs only as outlines"),
	.facts_needed = FACTS_NEIGHBOURS,
	.check_file = check,
};
