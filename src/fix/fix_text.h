/*
 * Rewrites texts of labels: the ids in the place of their column, in the form that they had; every other byte stays.
 * The readers of the audit (read/list.h, read/yolo.h) tell where the ids are. Any thread.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "fix/plan.h"
#include "fix/sink.h"
#include "read/input.h"

/*
 * Writes the corrected file to out and adds to *labels. in is open, at its beginning. Returns false if *fault is set:
 * it cannot be read, or holds an id that the plan does not know.
 */
bool fix_list(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault);
bool fix_yolo(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	      uint64_t *labels, struct fault *fault);
