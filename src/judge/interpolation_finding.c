#include "judge/interpolation_finding.h"

#include <inttypes.h>

#include "base/mem.h"
#include "judge/place.h"
#include "judge/wording.h"

const char interpolation_remedy[] = "cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST), "
				    "mask.resize(size, Image.NEAREST) or TF.resize(mask, size, "
				    "InterpolationMode.NEAREST)";

static void add_worst_place(struct finding *f, const struct sample *sample, const struct label_stats *stats)
{
	const struct worst_place *worst = &stats->worst;

	if (!worst->key)
		return;
	struct place_sum place = PLACE_SUM_INIT;
	uint64_t index = WORST_INDEX_MASK - (worst->key >> 1 & WORST_INDEX_MASK);

	text_addf(&f->message, " (worst: id %" PRId64 " between %" PRId64 " and %" PRId64 " at ", worst->id,
		  worst->left, worst->right);
	if (sample_is_array(sample)) {
		place.first_index = index;
		place.first_id = worst->id;
		place_sum_finish(&place, f, sample);
		word_index(&f->message, &sample->array, index);
	} else {
		f->details.has_first = true;
		f->details.first_id = worst->id;
		f->details.first_x = index % stats->width;
		f->details.first_y = index / stats->width;
		text_addf(&f->message, "x %" PRIu64 ", y %" PRIu64, f->details.first_x, f->details.first_y);
	}
	text_addf(&f->message, ")");
}

void interpolation_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
			   const struct id_stats *ids)
{
	struct interpolation_evidence e;
	struct interpolation_sums sums; /* the evidence of a stack is a mean */

	interpolation_gather(stats, ids, &e);
	interpolation_sum(ids, stats->ids_count, &sums);

	bool colours = interpolation_from_colours(&e);

	/* The ids in gaps; those that are lone where the gaps are not what told. */
	for (uint64_t i = 0; i < stats->ids_count; i++) {
		const uint64_t *n = colours ? ids[i].lone : ids[i].between;

		if (n[0] || n[1])
			finding_add_id(f, ids[i].id, MAX(n[0], n[1]));
	}
	f->details.pixels = colours ? MAX(sums.lone[0], sums.lone[1]) : stats->bogus_pixels;
	text_addf(&f->message, "at least ");
	if (colours) { /* each is a pixel of its own: those of rows may be those of columns too */
		word_count(&f->message, f->details.pixels, "lone pixel is", "lone pixels are");
		text_addf(&f->message, " of another id than the classes on both sides");
	} else {
		word_count(&f->message, stats->bogus_pixels, "one-pixel gap holds", "one-pixel gaps hold");
		text_addf(&f->message, " an id numerically between the classes on both sides");
	}
	add_worst_place(f, sample, stats);
}

void interpolation_advice(struct finding *f, const struct label_stats *stats, const struct id_stats *ids)
{
	struct interpolation_evidence e;

	interpolation_gather(stats, ids, &e);
	if (interpolation_from_colours(&e))
		text_addf(&f->advice,
			  "likely cause: a colour-coded mask was resized or saved as JPEG before its colours became "
			  "ids; map colours to ids first, then resize the ids with nearest: %s",
			  interpolation_remedy);
	else
		text_addf(&f->advice,
			  "likely cause: resized or warped with bilinear or bicubic interpolation, blurred, drawn "
			  "anti-aliased, or once a JPEG; make the mask again from its source with nearest: %s; draw "
			  "with cv2.LINE_8",
			  interpolation_remedy);
}
