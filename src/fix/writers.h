/*
 * Makes the corrected bytes of a label file: one writer for each kind of file (enum fix_kind). A writer changes what
 * the plan changes, and nothing else.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "fix/fix_counts.h"
#include "fix/plan.h"
#include "fix/sink.h"
#include "read/input.h"

/*
 * Writes the corrected file to out and adds to *counts. in is open, at its beginning. Returns false if *fault is set:
 * it cannot be read, or holds an id that the plan does not know. Any thread.
 */
bool fix_write(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	       struct fix_counts *counts, struct fault *fault);
