/*
 * Makes the corrected bytes of a label file: one writer for each kind of file (enum fix_kind). A writer changes what
 * the plan changes, and nothing else.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "fix/plan.h"
#include "fix/sink.h"
#include "read/input.h"

/* Memory that a thread uses for one file after the other. */
struct fix_memory {
	struct fix_png_memory *png; /* NULL until it meets a mask; owned */
};

void fix_memory_release(struct fix_memory *m);
/*
 * Appends the corrected file to out; one that is packed comes out unpacked. in is open, at its beginning. Adds the
 * labels that got another id. Returns false if *fault is set: it cannot be read, or holds an id that the plan does not
 * know.
 */
bool fix_correct(struct fix_memory *memory, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
		 struct sink *out, uint64_t *labels, struct fault *fault);
