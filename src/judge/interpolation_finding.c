#include <inttypes.h>

#include "base/mem.h"
#include "judge/interpolation.h"
#include "judge/wording.h"

/* Appends the pixel of the widest gap, and makes it the first offender. */
static void add_worst(struct finding *f, const struct sample *sample, const struct label_stats *stats)
{
	const struct worst_place *worst = &stats->worst;

	if (!worst->key)
		return;
	struct extent extent = EXTENT_INIT;
	uint64_t index = worst_key_index(worst->key);

	text_addf(&f->message, " (worst: %s%s between %s and %s at ", id_is_colour(worst->id) ? "" : "id ",
		  text_id(worst->id).s, text_id(worst->left).s, text_id(worst->right).s);
	if (sample_is_array(sample)) {
		extent.first_index = index;
		extent.first_id = worst->id;
		finding_set_extent(f, &extent, sample);
		text_addf(&f->message, "%s", text_index(&sample->array, index).s);
	} else {
		f->details.has_first = true;
		f->details.first_id = worst->id;
		f->details.first_x = index % stats->width;
		f->details.first_y = index / stats->width;
		text_addf(&f->message, "x %" PRIu64 ", y %" PRIu64, f->details.first_x, f->details.first_y);
	}
	text_addf(&f->message, ")");
}

bool interpolation_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
			   const struct id_stats *ids)
{
	struct interpolation_evidence e;
	struct interpolation_sums sums; /* the evidence of a stack holds means */

	interpolation_gather(stats, ids, &e);
	interpolation_sum(ids, stats->ids_count, &sums);
	bool colours = interpolation_from_colours(&e);

	/* List the ids in gaps, or the lone ones if the cause is colours. */
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		const uint64_t *n = colours ? ids[i].lone : ids[i].between;

		if (n[0] || n[1])
			finding_add_id(f, ids[i].id, MAX(n[0], n[1]));
	}
	/* The larger direction of lone pixels: a pixel may be lone in both. */
	f->details.pixels = colours ? MAX(sums.lone[0], sums.lone[1]) : stats->between_pixels;
	text_addf(&f->message, "at least %" PRIu64 " %s", f->details.pixels,
		  colours ? plural(f->details.pixels, "lone pixel is", "lone pixels are")
			  : plural(f->details.pixels, "one-pixel gap holds", "one-pixel gaps hold"));
	text_addf(&f->message, colours ? " of a different id from the classes on both sides"
				       : " an id numerically between the classes on both sides");
	add_worst(f, sample, stats);
	return colours;
}
