/*
 * struct offenders: which rows of a list or a YOLO text, and which objects of a COCO file, have a fault. A baseline
 * knows them by it. Owner: the label_measurer, until the sample is judged.
 */
#pragma once

#include "base/key_set.h"

enum { OFFENDER_KINDS = 80 };

struct offenders {
	struct offenders *next;
	struct key_set invalid;               /* with an id that is neither a class nor ignored */
	struct key_set kinds[OFFENDER_KINDS]; /* by enum list_fault, box_fault or coco_trouble */
};
