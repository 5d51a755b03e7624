/*
 * The PNGs of a COCO panoptic file against its segments. A pixel's segment id is R + 256 G + 65536 B; 0 is no segment
 * (https://cocodataset.org/#format-data, "Panoptic Segmentation"). The PNGs lie in a folder beside the JSON that is
 * called as it is without .json; where there is none, nothing is compared.
 *
 * Names come from the JSON: only those that stay in the folder are opened. Owner: the measuring of one file; one
 * thread.
 */
#ifndef MEASURE_PANOPTIC_H
#define MEASURE_PANOPTIC_H

#include <stdbool.h>

#include "base/settings.h"
#include "read/coco.h"

struct panoptic;

/* NULL if there is no such folder beside the JSON at `path`, which is opened from the current folder. */
struct panoptic *panoptic_open(const char *path, const struct limits *limits);
/* As coco_hook: compares one annotation's PNG with its segments. */
void panoptic_compare(void *self, const struct coco_panoptic *annotation, struct coco_file *file);
/* NULL is fine. */
void panoptic_close(struct panoptic *p);

#endif
