#include "judge/interpolation_finding.h"

#include <inttypes.h>

#include "base/mem.h"
#include "judge/wording.h"

void interpolation_finding(struct finding *f, const struct label_stats *stats, const struct id_stats *ids)
{
	const struct worst_place *worst = &stats->worst;

	for (uint64_t i = 0; i < stats->ids_count; i++)
		if (ids[i].between[0] || ids[i].between[1])
			finding_add_id(f, ids[i].id, MAX(ids[i].between[0], ids[i].between[1]));
	f->details.pixels = stats->bogus_pixels;
	if (!stats->bogus_pixels) { /* thin extra ids that lie between no two neighbours: a coloured rendering */
		text_addf(&f->message, "lone pixels of many ids along the borders of others");
		return;
	}
	text_addf(&f->message, "at least ");
	word_count(&f->message, stats->bogus_pixels, "one-pixel gap holds", "one-pixel gaps hold");
	text_addf(&f->message, " an id numerically between the classes on both sides");
	if (worst->key && stats->width) {
		uint64_t index = WORST_INDEX_MASK - (worst->key >> 1 & WORST_INDEX_MASK);

		f->details.has_first = true;
		f->details.first_id = worst->id;
		f->details.first_x = index % stats->width;
		f->details.first_y = index / stats->width;
		text_addf(&f->message,
			  " (worst: id %" PRId64 " between %" PRId64 " and %" PRId64 " at x %" PRIu64 ", y %" PRIu64
			  ")",
			  worst->id, worst->left, worst->right, f->details.first_x, f->details.first_y);
	}
}
