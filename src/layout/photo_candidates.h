/*
 * struct unweighed: the PNGs that a census without weighing (detect.h, photo_probe.h) passed by and one with it would
 * look at, so that it need not walk again to find out that all of them are masks, as in nearly every set.
 *
 * png_is_picture() takes the first PNG of a folder that is a mask for a sample of all that follow it there, so that one
 * of each run of PNGs of the same folder is kept. Bounded by UNWEIGHED_MAX; one thread.
 */
#ifndef LAYOUT_PHOTO_CANDIDATES_H
#define LAYOUT_PHOTO_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "find/source.h"

enum { UNWEIGHED_MAX = 256 }; /* paths of less than PATH_MAX bytes */

struct unweighed {
	struct {
		size_t at, rel_offset; /* its path in text; where in the path what was walked begins */
	} v[UNWEIGHED_MAX];
	size_t count;
	struct strbuf text;
	bool more; /* that were not kept: members of archives, too many, too long paths */
};

void unweighed_init(struct unweighed *u);
void unweighed_release(struct unweighed *u);
/* Keeps a member of an archive, or the first of a folder. */
void unweighed_add(struct unweighed *u, const struct entry *entry);
/* Looks at those that were kept. False: each of them is a mask, and no others were passed by. */
bool unweighed_may_be_pictures(const struct unweighed *u);

#endif
