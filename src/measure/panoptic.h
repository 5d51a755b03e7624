/*
 * struct panoptic: compares the PNGs of a COCO panoptic file with its segments.
 *
 * A pixel's segment id is R + 256 G + 65536 B; 0 is no segment (https://cocodataset.org/#format-data, "Panoptic
 * Segmentation"). The PNGs of DIR/NAME.json lie in DIR/NAME; without that folder, nothing is compared. File names come
 * from the JSON: only those that stay in the folder are opened. Owner: the measuring of one file. One thread.
 */
#ifndef MEASURE_PANOPTIC_H
#define MEASURE_PANOPTIC_H

#include <stdbool.h>

#include "base/settings.h"
#include "read/coco.h"

struct panoptic;

/* Returns NULL if there is no such folder for the JSON at `path`. */
struct panoptic *panoptic_open(const char *path, const struct limits *limits);
/* A coco_hook: compares the PNG of an annotation with its segments. */
void panoptic_compare(void *self, const struct coco_panoptic *annotation, struct coco_file *file);
/* NULL is fine. */
void panoptic_close(struct panoptic *p);

#endif
