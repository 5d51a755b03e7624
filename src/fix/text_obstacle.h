/* Why a label file that was read whole, and is no image, cannot be rewritten. Pure, any thread. */
#pragma once

#include "judge/rule.h"

/* Return NULL if it can be. */
const char *fix_list_obstacle(const struct rule_input *s);
const char *fix_yolo_obstacle(const struct rule_input *s);
const char *fix_coco_obstacle(const struct rule_input *s);
const char *fix_array_obstacle(const struct rule_input *s);
