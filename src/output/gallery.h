/*
 * Thumbnails for the HTML report, of the worst masks. At most GALLERY_MAX masks are read again after the audit, because
 * statistics have no pixels and a reporter reads no files. A mask that cannot be read now, or is
 * no PNG of one channel, has no thumbnail; that is no error.
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "report/report.h"
#include "report/thumbnail.h"

enum {
	GALLERY_MAX = 24,
	GALLERY_RULE_MAX = 3,         /* per rule */
	GALLERY_PIXELS_MAX = 1 << 24, /* per mask; it takes some 0.1 s to decode, all of them a few seconds */
};

/* Returns whether any output is a page with thumbnails. */
bool gallery_wanted(const struct options *options);

/* Fills thumbnails, which the caller releases. The findings must be finished. A signal ends it early. */
void gallery_make(struct thumbnails *thumbnails, const struct report *r);
void gallery_release(struct thumbnails *thumbnails);
