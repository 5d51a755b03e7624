/*
 * IDX files. Of those found in folders only labels are read: one axis. Files with more axes hold the pictures that the
 * labels belong to; one that the user names is taken for labels all the same.
 */
#include "measure/label_reader.h"
#include "measure/measure_array.h"
#include "read/idx.h"

static bool claims(const struct peeked *p)
{
	return p->content == CONTENT_IDX && p->n >= 4 && (p->head[3] == 1 || p->named);
}

static void measure(struct label_meter *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!idx_read_header(&item->input, &sample->array, &sample->fault) ||
	    !array_meter_measure(label_meter_arrays(m), &m->ids, &item->input, &sample->array, &item->stats, batch,
				 &sample->remark, &sample->fault))
		sample->status = SAMPLE_FAILED;
}

const struct label_reader label_reader_idx = {
	.name = "an IDX array",
	.format = FORMAT_IDX,
	.kind = KIND_IDX,
	.claims = claims,
	.measure = measure,
};
