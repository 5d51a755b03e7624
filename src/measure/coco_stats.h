/*
 * struct coco_stats: what measuring a COCO file gives besides the ids: integers only (see label_stats.h).
 *
 * Category ids are names, not indices: COCO's 80 classes are numbered from 1 to 90. What a training makes of them
 * decides what is audited (coco_stats.mapping):
 *   - where every listed id is declared by --classes, the ids are taken as they are;
 *   - where as many categories are listed as classes are declared, 0 to C-1, the ids are mapped in rising order, as
 *     detectron2, mmdetection, torchvision's and most other loaders do;
 *   - the same where one more is listed and it is number 0 without annotations (Roboflow's dummy): it is left out;
 *   - else they are taken as they are.
 * Annotations of a category that is not listed have no id at all.
 */
#ifndef MEASURE_COCO_STATS_H
#define MEASURE_COCO_STATS_H

#include <stdint.h>

#include "read/coco_facts.h"

enum coco_mapping { COCO_AS_LISTED, COCO_MAPPED, COCO_MAPPED_WITHOUT_DUMMY };

struct coco_stats {
	struct coco_facts facts;
	uint64_t listed;         /* different category ids */
	int64_t lowest, highest; /* of them */
	uint32_t mapping;        /* enum coco_mapping */
	uint32_t dummy;          /* 1: category 0 means nothing, see coco_category.is_dummy */
	uint32_t undeclared;     /* 1: ids that are neither classes nor ignored are listed, once mapped */
	/* Categories that are called otherwise than the class they become; the first of them. */
	uint64_t renamed;
	int64_t renamed_id, renamed_class;
};

#endif
