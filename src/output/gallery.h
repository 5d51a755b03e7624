/*
 * Pictures of the worst masks, for the HTML report: a stage between judging and reporting, since what was measured has
 * no pixels left and a reporter reads no files.
 *
 * The masks are read once more, at most GALLERY_MAX of them whatever the set. What cannot be read now, holds other ids
 * than the audit found, or is no PNG of one channel, has no picture; that is no error.
 */
#ifndef OUTPUT_GALLERY_H
#define OUTPUT_GALLERY_H

#include <stdbool.h>

#include "cli/options.h"
#include "report/report.h"
#include "report/thumbnail.h"

enum {
	GALLERY_MAX = 24,
	GALLERY_MAX_A_RULE = 4,
	/* A mask of that many pixels takes some 0.1 s to decode; all of them at most a few seconds. */
	GALLERY_PIXELS_MAX = 1 << 24,
};

/* Whether any output is a page that shows pictures. */
bool gallery_wanted(const struct options *options);
/* Fills pictures, which the caller releases. The findings must be finished. A signal ends it early. */
void gallery_make(struct thumbnails *pictures, const struct report *r);
void gallery_release(struct thumbnails *pictures);

#endif
