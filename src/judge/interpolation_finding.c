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

/* Says how far apart the lone pixels are that a resize made; in tenths of a pixel, rounded. */
static void add_beats(struct finding *f, const struct label_stats *stats)
{
	const uint64_t beats = stats->resize_beats;

	if (!beats)
		return;
	uint64_t tenths = (20 * (uint64_t)stats->width + beats) / (2 * beats);

	text_addf(&f->message, ", most often every %" PRIu64 ".%" PRIu64 " pixels", tenths / 10, tenths % 10);
}

/* Names the two ids with most thin labels. A pixel is thin at most twice, once per direction. */
static void add_echo(struct finding *f, const struct label_stats *stats, const struct id_stats *ids)
{
	const struct id_stats *most[2] = { &ids[0], &ids[1] };

	for (uint64_t i = 2; i < stats->ids_count; i++) {
		int less = most[1]->thin < most[0]->thin;

		if (ids[i].thin > most[less]->thin) {
			most[0] = most[!less];
			most[1] = &ids[i];
		}
	}
	for (int i = 0; i < 2; i++) {
		finding_add_id(f, most[i]->id, (most[i]->thin + 1) / 2);
		f->details.pixels += (most[i]->thin + 1) / 2;
	}
	text_addf(&f->message,
		  "at least %" PRIu64 " pixels are in lines of one or two pixels, in turn of id %" PRId64
		  " and %" PRId64 ", along the borders",
		  f->details.pixels, most[0]->id, most[1]->id);
}

bool interpolation_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
			   const struct id_stats *ids)
{
	struct interpolation_evidence e;
	struct interpolation_sums sums; /* the evidence of a stack holds means */

	interpolation_gather(stats, ids, &e);
	interpolation_sum(ids, stats->ids_count, &sums);
	if ((interpolation_judge(&e) & INTERPOLATION_DAMAGED) == INTERPOLATION_ECHO) {
		add_echo(f, stats, ids);
		return false;
	}

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
	add_beats(f, stats);
	add_worst(f, sample, stats);
	return colours;
}
