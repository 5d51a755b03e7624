/*
 * layout_detect() in a thread of its own, so that an interrupted program ends although storage does not answer the
 * detection.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cli/options.h"
#include "find/find_options.h"
#include "layout/dataset_layout.h"

/*
 * Detects the kind of the data set, and shows the progress. If *abandoned becomes true, the thread still waits for
 * storage, and nothing was detected: nothing that options and find point to may be freed, and the process is to end by
 * _exit (base/stop.h).
 */
enum status detect_apart(const struct options *options, const struct find_options *find,
			 struct dataset_layouts *layouts, bool *abandoned, struct error *err);
