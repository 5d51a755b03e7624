/*
 * Detects before the audit which kinds of label files a data set has, and which of its PNGs and arrays are images.
 * classify.h decides what that means for each file.
 */
#pragma once

#include "base/error.h"
#include "base/settings.h"
#include "find/source.h"
#include "layout/classify.h"

/*
 * Fills *out, which dataset_layouts_release() releases unless this returns STATUS_FAILED: each PATH gets a layout of
 * its own, by the family of label files that it is made of (layout/evidence.h). PATHs without any, and those of photos
 * alone, follow the others. Walks each tree until many masks and nothing else were seen, or a signal arrived, after
 * which nothing is audited anyway; else all of it. Walks nothing with --kind or --files-from.
 */
enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layouts *out,
			  struct error *err);
/* Fills *out without a look at anything, where the audit ends before. */
void layout_of_nothing(const struct settings *settings, struct dataset_layouts *out);
