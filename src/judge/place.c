#include "judge/place.h"

#include <inttypes.h>

#include "base/mem.h"

void place_sum_add(struct place_sum *p, const struct id_stats *row)
{
	if (row->first_index == NO_INDEX)
		return;
	if (row->first_index < p->first_index) {
		p->first_index = row->first_index;
		p->first_id = row->id;
	}
	p->x0 = MIN(p->x0, row->x0);
	p->y0 = MIN(p->y0, row->y0);
	p->x1 = MAX(p->x1, row->x1);
	p->y1 = MAX(p->y1, row->y1);
}

/* Row-major index to one index an axis. An array of too many axes is indexed as if it were flat. */
static void index_of_array(const struct array_header *array, uint64_t index, struct finding_details *d)
{
	d->first_kind = FIRST_INDEX;
	d->first_rank = array->rank && array->rank <= FIRST_AXES_MAX ? array->rank : 1;
	if (d->first_rank != array->rank) {
		d->first_at[0] = index;
		return;
	}
	for (unsigned axis = array->rank; axis-- > 0;) {
		d->first_at[axis] = array->shape[axis] ? index % array->shape[axis] : 0;
		index = array->shape[axis] ? index / array->shape[axis] : 0;
	}
}

void word_index(struct text *t, const struct array_header *array, uint64_t index)
{
	struct finding_details d;

	index_of_array(array, index, &d);
	text_addf(t, "[");
	for (unsigned i = 0; i < d.first_rank; i++)
		text_addf(t, "%s%" PRIu64, i ? ", " : "", d.first_at[i]);
	text_addf(t, "]");
}

void place_sum_finish(const struct place_sum *p, struct finding *f, const struct sample *sample)
{
	struct finding_details *d = &f->details;

	if (p->first_index == NO_INDEX)
		return;
	d->has_first = true;
	d->first_id = p->first_id;
	if (sample_is_array(sample)) {
		index_of_array(&sample->array, p->first_index, d);
		return;
	}
	if (sample->format != FORMAT_PNG) {
		d->first_kind = FIRST_LINE;
		d->first_x = p->first_index & PLACE_COLUMN_MAX;
		d->first_y = p->first_index >> PLACE_COLUMN_BITS;
		return;
	}
	d->first_kind = FIRST_XY;
	d->first_x = p->first_index % sample->png.width;
	d->first_y = p->first_index / sample->png.width;
	d->has_bbox = true;
	d->bbox[0] = p->x0;
	d->bbox[1] = p->y0;
	d->bbox[2] = (uint64_t)p->x1 - p->x0 + 1;
	d->bbox[3] = (uint64_t)p->y1 - p->y0 + 1;
}
