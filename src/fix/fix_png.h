/* Makes the corrected bytes of a PNG mask: decoded by libpng, mapped pixel by pixel, encoded by png_file.h. Any thread.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/strbuf.h"
#include "fix/fix_counts.h"
#include "fix/plan.h"
#include "read/input.h"

/* Counts what fix_png() will guess. Fails as it does. */
bool fix_png_count_mended(const struct fix_plan *plan, const struct fix_file *file, struct input *in,
			  struct fix_counts *counts, struct fault *fault);

/*
 * Appends the mask to out. Returns false if *fault is set: it cannot be decoded, or holds an id that the plan does not
 * know.
 */
bool fix_png(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct strbuf *out,
	     struct fix_counts *counts, struct fault *fault);
