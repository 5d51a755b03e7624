/*
 * Thumbnails for the HTML report: of the worst masks, or of some chosen by chance if no finding has one. At most
 * GALLERY_MAX masks are read again after the audit, because statistics have no pixels and a reporter reads no files. A
 * mask that cannot be read now, has other ids than the audit found, or is no PNG of one channel, has no thumbnail; that
 * is no error.
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "report/report.h"
#include "report/thumbnail.h"

enum {
	GALLERY_MAX = 24,
	GALLERY_SAMPLES = 12,
	GALLERY_RULE_MAX = 4,         /* per rule */
	GALLERY_PIXELS_MAX = 1 << 24, /* per mask; it takes some 0.1 s to decode, all of them a few seconds */
};

/* Returns whether any output is a page with thumbnails. */
bool gallery_wanted(const struct options *options);

/*
 * struct gallery_samples: the paths with the smallest hashes of all that were offered: the same, in whichever order and
 * by however many threads. { 0 } is empty. Owner: the caller of gallery_samples_release; one thread.
 */
struct gallery_sample {
	uint64_t hash;
	char *path; /* owned */
};
struct gallery_samples {
	struct gallery_sample v[GALLERY_SAMPLES + 1]; /* ascending */
	size_t count;
};
void gallery_samples_offer(struct gallery_samples *samples, const char *path);
/* Adds those of `from`, and empties it. */
void gallery_samples_merge(struct gallery_samples *into, struct gallery_samples *from);
void gallery_samples_release(struct gallery_samples *samples);

/*
 * Fills thumbnails, which the caller releases, and which borrow paths from the samples. The findings must be finished.
 * A signal ends it early.
 */
void gallery_make(struct thumbnails *thumbnails, const struct report *r, const struct gallery_samples *samples);
void gallery_release(struct thumbnails *thumbnails);
