/* What outlives the measuring of a COCO file: the maps of the batch's files, until they are judged. */
#ifndef MEASURE_MEASURE_COCO_H
#define MEASURE_MEASURE_COCO_H

#include "read/coco_map.h"

/* Frees the list and empties it. */
void coco_maps_free(struct coco_map **maps);

#endif
