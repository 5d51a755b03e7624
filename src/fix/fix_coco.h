/*
 * Rewrites COCO files: the category ids of annotations, segments and categories; every other byte stays. The reader of
 * the audit (read/coco.h) tells where they are. Any thread.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "fix/plan.h"
#include "fix/sink.h"
#include "read/input.h"

/* As fix_list(). Holds 24 bytes for each id that changes. */
bool fix_coco(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault);
