/* NumPy arrays (.npy), and the files that claim to be one. */
#include "measure/array/measure_array.h"
#include "measure/formats.h"
#include "read/npy.h"

void measure_npy(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	struct sample *sample = &item->sample;

	if (!npy_read_header(&item->input, &sample->array, &sample->fault) ||
	    !array_measurer_measure(label_measurer_arrays(m), &m->ids, &item->input, &sample->array, &item->stats,
				    batch, &sample->warning, &sample->fault))
		sample->status = SAMPLE_FAILED;
}
