/* NumPy arrays (.npy), and the files that claim to be one. */
#include "measure/label_reader.h"
#include "measure/measure_array.h"
#include "read/npy.h"

static bool claims(const struct peeked *p)
{
	return p->content == CONTENT_NUMPY;
}

static void measure(struct label_meter *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!npy_read_header(&item->input, &sample->array, &sample->fault) ||
	    !array_meter_measure(label_meter_arrays(m), &m->ids, &item->input, &sample->array, &item->stats, batch,
				 &sample->remark, &sample->fault))
		sample->status = SAMPLE_FAILED;
}

const struct label_reader label_reader_npy = {
	.name = "a NumPy array",
	.format = FORMAT_NPY,
	.kind = KIND_ARRAY,
	.claims = claims,
	.measure = measure,
};
