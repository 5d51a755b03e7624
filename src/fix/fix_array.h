/*
 * Rewrites arrays: NumPy's (.npy) and IDX. Where the dtype stays, so does every byte beside the elements; else the
 * header is written as np.save() does, in little-endian order. Any thread.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "fix/plan.h"
#include "fix/sink.h"
#include "read/input.h"

/* As fix_list(). */
bool fix_array(const struct fix_plan *plan, const struct fix_file *file, struct input *in, struct sink *out,
	       uint64_t *labels, struct fault *fault);
