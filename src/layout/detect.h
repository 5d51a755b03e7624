/*
 * The census: a walk before the audit that finds out which kinds of label files a set has, and which of its PNGs and
 * arrays are images. What follows from that for each file is said by classify.h.
 */
#ifndef LAYOUT_DETECT_H
#define LAYOUT_DETECT_H

#include "base/error.h"
#include "base/settings.h"
#include "find/source.h"
#include "layout/classify.h"

/*
 * Fills out, which sorting_release is for. Walks until masks were seen and some more entries; the whole tree only where
 * there are none; or until a signal comes, after which nothing is audited anyway. With --kind, or --files-from, nothing
 * is walked. Nothing is to be released after STATUS_FAILED.
 */
enum status census_take(const struct find_options *find, const struct settings *settings, struct sorting *out,
			struct error *err);

#endif
