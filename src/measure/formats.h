/*
 * How each format of label files is measured, PNG excepted, which is the backend's.
 *
 * A measuring function reads item->input from its beginning to its end; it fills the item's sample and stats and adds
 * rows to the batch, or sets sample->status to SAMPLE_FAILED and fills sample->fault; then the batch holds nothing of
 * the item.
 */
#ifndef MEASURE_FORMATS_H
#define MEASURE_FORMATS_H

#include "measure/backend.h"
#include "measure/label_measurer.h"

/* Measures every SAMPLE_READ item of the batch that is not for the backend. */
void formats_measure(struct label_measurer *m, struct batch *batch);

void measure_npy(struct label_measurer *m, struct batch_item *item, struct batch *batch);
void measure_idx(struct label_measurer *m, struct batch_item *item, struct batch *batch);
void measure_coco(struct label_measurer *m, struct batch_item *item, struct batch *batch);
void measure_yolo(struct label_measurer *m, struct batch_item *item, struct batch *batch);
void measure_list(struct label_measurer *m, struct batch_item *item, struct batch *batch);

#endif
