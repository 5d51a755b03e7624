/*
 * Makes the corrected bytes of a mask in PNG, or in a TIFF that a PNG can hold: mapped run by run, encoded by
 * base/png_writer.h or fix/tiff_writer.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "fix/plan.h"
#include "read/input.h"

/* Memory that a thread uses for one mask after the other. */
struct fix_png_memory;

struct fix_png_memory *fix_png_memory_new(void);
/* NULL is fine. */
void fix_png_memory_free(struct fix_png_memory *m);

/*
 * Appends the mask to out, and adds the pixels that got another id. Returns false if *fault is set: it cannot be
 * decoded, or holds an id that the plan does not know.
 */
bool fix_png(struct fix_png_memory *memory, const struct fix_plan *plan, const struct fix_file *file, struct input *in,
	     struct strbuf *out, uint64_t *labels, struct fault *fault);
