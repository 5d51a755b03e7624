/*
 * Detects before the audit which kinds of label files a data set has, and which of its PNGs and arrays are images.
 * classify.h decides what that means for each file.
 */
#ifndef LAYOUT_DETECT_H
#define LAYOUT_DETECT_H

#include "base/error.h"
#include "base/settings.h"
#include "find/source.h"
#include "layout/classify.h"

/*
 * Fills *out, which dataset_layout_release() releases unless this returns STATUS_FAILED. Walks the tree until masks and
 * some more entries were seen, or a signal arrived, after which nothing is audited anyway; all of it if there are no
 * masks. Walks nothing with --kind or --files-from.
 */
enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layout *out,
			  struct error *err);

#endif
