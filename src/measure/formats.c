#include "measure/formats.h"

#include "base/mem.h"

/* An image in a class folder: its label is the folder's, and it is not opened. */
static void measure_folder(struct label_measurer *m, struct batch_item *item, struct batch *batch)
{
	id_counter_add(&m->ids, item->sample.folder_id, NO_INDEX);
	id_counter_end(&m->ids, &item->stats, batch);
}

static void (*const measurers[])(struct label_measurer *m, struct batch_item *item, struct batch *batch) = {
	[FORMAT_NPY] = measure_npy,   [FORMAT_IDX] = measure_idx,   [FORMAT_LIST] = measure_list,
	[FORMAT_YOLO] = measure_yolo, [FORMAT_COCO] = measure_coco, [FORMAT_FOLDER] = measure_folder,
};

void formats_measure(struct label_measurer *m, struct batch *batch)
{
	label_measurer_begin_batch(m);
	for (size_t i = 0; i < batch->count; i++) {
		struct batch_item *item = &batch->items[i];

		if (item->sample.status == SAMPLE_READ && measurers[item->sample.format])
			measurers[item->sample.format](m, item, batch);
	}
}
