/*
 * The first questions to storage, in a thread of its own, so that an interrupted program ends although storage does not
 * answer them: what the PATHs are, whether a report would replace one, and layout_detect().
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cli/options.h"
#include "find/find_options.h"
#include "layout/dataset_layout.h"
#include "output/targets.h"

/*
 * Sets find->states to *states, which the caller frees, detects the kind of the data set, and shows the progress. If
 * *abandoned becomes true, the thread still waits for storage, and nothing was detected: nothing that options, targets
 * and find point to may be freed, and the process is to end by _exit (base/stop.h).
 */
enum status detect_apart(const struct options *options, const struct targets *targets, struct find_options *find,
			 struct path_state **states, struct dataset_layouts *layouts, bool *abandoned,
			 struct error *err);
