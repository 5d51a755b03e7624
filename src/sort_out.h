/*
 * Which files that the walk finds are label files: told by content, with the name only as a claim. A file named *.png
 * claims to be a mask and must be one; any other file found in a folder is looked into, and left out if it is not.
 * Pictures (JPEG, GIF ...) beside masks are the images that the masks belong to; a tree with pictures and no label
 * file at all has its pictures audited as masks, since somebody saved the masks that way.
 */
#ifndef SORT_OUT_H
#define SORT_OUT_H

#include <stdbool.h>

#include "base/error.h"
#include "find/source.h"

enum claim {
	CLAIM_LABELS, /* read it whole; what is wrong with it is a finding */
	CLAIM_OTHER,  /* skipped */
	CLAIM_FAILED, /* could not be opened: fault is filled */
};

/* pictures_too: see struct census. */
enum claim sort_out_entry(const struct entry *entry, bool pictures_too, struct fault *fault);

struct census {
	bool labels;   /* at least one file claims to hold labels */
	bool pictures; /* pictures were seen before the first of them */
};

/* Walks until the first label file; the whole tree only where there is none. */
enum status sort_out_census(const struct find_options *find, struct census *out, struct error *err);

#endif
