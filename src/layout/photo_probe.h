/*
 * Decides without decoding it whether a PNG is a photo that a data set's texts annotate, and not a mask: by its bytes
 * per pixel, and by the files beside it. The detection (detect.h) probes a few PNGs of each folder.
 */
#ifndef LAYOUT_PHOTO_PROBE_H
#define LAYOUT_PHOTO_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "find/source.h"
#include "layout/probe.h"

/* The results so far; all zero before the first PNG. */
struct photo_probe {
	uint64_t folder;    /* hash of the last PNG's folder */
	unsigned here, all; /* PNGs probed in that folder, and in all */
	bool photos;        /* all those probed in it were photos */
	uint64_t unread;    /* PNGs that could not be read */
};

/*
 * Returns whether a PNG that no name calls a mask is a photo. A photo takes 1.5 bits a pixel and more, a mask less than
 * half of that. A PNG is also a photo if its folder holds a YOLO text of its name or Roboflow's annotations, or if it
 * belongs to COCO panoptic annotations. The first few PNGs of a folder decide for the rest: once one of them is a mask,
 * all that follow are.
 */
bool photo_probe_png(struct photo_probe *probe, const struct entry *entry);
/* Returns whether a PNG is in true colours and has a photo's bytes per pixel. `opened` keeps the file open. */
bool photo_probe_is_colour(const struct entry *entry, struct entry_probe *opened);
/*
 * Returns whether a PNG lies in a folder beside a COCO file of the folder's name, as panoptic annotations do; the
 * answer is the same for all files of a folder. Such a PNG may have a mask's name: annotations/panoptic_val2017/.
 */
bool photo_probe_is_panoptic(const struct entry *entry);

enum { PHOTO_CANDIDATES_MAX = 256 }; /* paths of less than PATH_MAX bytes */

/*
 * PNGs that the first detection walk did not probe. If probing them afterwards shows that all are masks (the usual
 * case), the second walk is skipped. One path per folder is enough, because photo_probe_png() takes the first PNG of a
 * folder as representative.
 */
struct photo_candidates {
	struct {
		size_t at, rel_offset; /* of its path in `paths`; of the walked part in its path */
	} v[PHOTO_CANDIDATES_MAX];
	size_t count;
	struct strbuf paths;
	bool more; /* some could not be kept: members of archives, too many, paths too long */
};

void photo_candidates_init(struct photo_candidates *c);
void photo_candidates_release(struct photo_candidates *c);
void photo_candidates_add(struct photo_candidates *c, const struct entry *entry);
/* Probes the candidates. Returns false if all are masks and none is missing. */
bool photo_candidates_may_be_photos(const struct photo_candidates *c);

#endif
