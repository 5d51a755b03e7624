/*
 * Decides without decoding it whether a PNG is a photo that a data set's texts annotate, and not a mask: by its bytes
 * per pixel, and by the files beside it. The detection (detect.h) probes a few PNGs of each folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "find/source.h"
#include "layout/png_look.h"
#include "layout/probe.h"
#include "layout/probe_ahead.h"

/* The results so far; all zero before the first PNG but `ahead`. */
struct photo_probe {
	struct probe_ahead *ahead; /* borrowed */
	uint64_t folder;           /* hash of the last PNG's folder */
	uint64_t seen;             /* PNGs of that folder */
	unsigned all;              /* PNGs probed */
	enum png_look look;        /* of the last one probed */
	uint64_t unread;           /* PNGs that could not be read */
};

/*
 * Returns what a PNG looks like, or the last one that was probed in its folder: of a large folder some are, spread by a
 * hash of their names. A PNG that belongs to COCO panoptic annotations counts as a photo, one with an alpha channel as
 * nothing.
 */
enum png_look photo_probe_png(struct photo_probe *probe, const struct entry *entry);
/* Counts a PNG as the function above does, and returns whether that would probe it. */
bool photo_probe_takes(struct photo_probe *probe, const struct entry *entry);
/* Looks at a PNG, as png_look() does. `opened` keeps the file open. Returns false if it cannot be read. */
bool photo_probe_look(const struct entry *entry, struct entry_probe *opened, bool with_ids, struct png_sight *out);
/* Returns whether a PNG is in colours with an alpha channel, as plots and screenshots are, and masks are not. */
bool photo_probe_has_alpha(const struct entry *entry, struct entry_probe *opened);
/* Returns whether a PNG is a photo beyond doubt: it has a photo's bits per pixel, and texture. */
bool photo_probe_is_photo(const struct entry *entry, struct entry_probe *opened);
/*
 * Returns whether what was seen of a PNG is a photo's, also of a flat one: it takes as few bits as a mask, but no two
 * pixels of it are alike for long.
 */
bool sight_is_of_photo(const struct png_sight *sight);
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
		bool lacks_json;
	} v[PHOTO_CANDIDATES_MAX];
	size_t count;
	struct strbuf paths;
	unsigned members; /* of archives, which are probed at once */
	bool more;        /* some could not be kept: too many, paths too long; or a member is no mask */
};

void photo_candidates_init(struct photo_candidates *c);
void photo_candidates_release(struct photo_candidates *c);
void photo_candidates_add(struct photo_candidates *c, const struct entry *entry);
/* Probes the candidates. Returns false if all look like masks and none is missing. */
bool photo_candidates_may_be_no_masks(const struct photo_candidates *c, struct probe_ahead *ahead);
/* Returns whether some candidates are photos beyond doubt, and others look like masks. Probes some of them. */
bool photo_candidates_differ(const struct photo_candidates *c, struct probe_ahead *ahead);
