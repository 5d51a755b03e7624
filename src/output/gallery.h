/*
 * Thumbnails for the HTML report, of the worst masks. Some masks are read again after the audit, because statistics
 * have no pixels and a reporter reads no files. A mask that cannot be read now, is no PNG of one channel, or is of one
 * colour all over, has no thumbnail; that is no error.
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "report/report.h"
#include "report/thumbnail.h"

enum {
	GALLERY_MAX = 24,
	GALLERY_CAUSE_MAX = 3, /* per cause */
	GALLERY_TRIES_MAX = 48,
	GALLERY_TRIES = 6,            /* per cause: masks of a single colour have none, they would show nothing */
	GALLERY_PIXELS_MAX = 1 << 24, /* per mask; it takes some 0.1 s to decode, all of them a few seconds */
};

/* Returns whether any output is a page with thumbnails. */
bool gallery_wanted(const struct options *options);

/* Fills thumbnails, which the caller releases. The findings must be finished. A signal ends it early. */
void gallery_make(struct thumbnails *thumbnails, const struct report *r);
void gallery_release(struct thumbnails *thumbnails);
