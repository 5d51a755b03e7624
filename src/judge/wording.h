/*
 * The wording that rules share, so that every finding says the same thing in the same words: counts, shares, ids as
 * ranges, valid ids, positions, faults, problems of rows and of COCO files. Nothing here allocates.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/settings.h"
#include "base/strbuf.h"
#include "judge/content_table.h"
#include "judge/finding.h"
#include "judge/rule_input.h"
#include "measure/label_stats.h"
#include "read/coco_facts.h"
#include "read/sample.h"

/* ---- words: text_percent(part, whole).s is an argument for %s ---------------------------------------------------- */

static inline const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}
/* Returns "3 files, first in a.png"; example may be NULL. */
struct text text_files(uint64_t files, const char *example);
/* Returns "class 4 (car)" for an id in files; with --reduce-zero-label, "id 4 (car)". */
struct text text_class(const struct settings *settings, int64_t id);
/* Returns " (2.7 %)" or " (under 0.1 %)": one decimal, rounded half up, integers only. "" if whole == 0. */
struct text text_percent(uint64_t part, uint64_t whole);
/* Returns "7", or "#800000" for a colour that is in no table. */
struct text text_id(int64_t id);
/* Returns "0-3, 7" for n sorted ids: at most 12 ranges, then "and N more". */
struct text text_ids(const int64_t *ids, size_t n);
/* Returns "id 21" or "ids 21-24, 30" or "the colour #800000": the ids of the finding's details, as text_ids() does. */
struct text text_finding_ids(const struct finding *f);
/*
 * Returns "valid ids are 0-20, ignored 255" or "no id is valid". The ids are those in files, so with
 * --reduce-zero-label it is "valid ids are 1-150, ignored 0, 255 (--reduce-zero-label)".
 */
struct text text_valid_ids(const struct settings *settings);
/* Returns "[3, 5]" for a row-major index of an array, as NumPy takes it. */
struct text text_index(const struct array_header *array, uint64_t index);
/* Returns the expression that loads an array from the file f, in Python. Static. */
const char *array_loader(const struct sample *sample);
/* Returns " (1 in 8 masks was compared)" if only a part of these "masks" was compared, else "". */
struct text text_compared(const struct content_table *contents, const char *things);
/* Returns " 'person'" if the category is kept in the map and has a name, else "". map may be NULL. */
struct text text_category(const struct coco_map *map, int64_t id);

/* ---- positions -------------------------------------------------------------------------------------------------- */

/* The first offender and the bounding box of several ids. */
struct extent {
	uint64_t first_index;
	int64_t first_id;
	uint32_t x0, y0, x1, y1;
};
#define EXTENT_INIT                                       \
	{                                                 \
		NO_INDEX, 0, UINT32_MAX, UINT32_MAX, 0, 0 \
	}
void extent_add(struct extent *e, const struct id_stats *row);
/*
 * Sets `first` of the finding's details, if an id was added: x and y of an image, with the bounding box; the index of
 * an array; line and column of a text.
 */
void finding_set_extent(struct finding *f, const struct extent *e, const struct sample *sample);

/* ---- problems that were counted while a file was read ------------------------------------------------------------ */

/*
 * Reports the fault if it is of that kind; else returns false. Copies its text and position. The fault's own advice
 * wins over `advice`, which may be NULL.
 */
bool fault_finding(struct finding *f, const struct fault *fault, enum fault_kind kind, const char *advice);

/*
 * How a kind of problem is worded after its count: "box is" or "boxes are", then `rest`, which may be "". An array of
 * phrases ends after the last one in PHRASES().
 */
struct phrase {
	unsigned kind; /* enum list_fault, box_fault, coco_trouble: index of its tally */
	const char *one, *many;
	const char *rest;
};
#define PHRASES(...) ((const struct phrase[]){ __VA_ARGS__, { 0, NULL, NULL, NULL } })

/* Returns what the rows of a list count: items, where rows hold lists. */
static inline const char *row_noun(const struct list_stats *list)
{
	return list->lists ? "item" : "row";
}

/*
 * Reports the problems of a list, a YOLO text or a COCO file that have a phrase, as "of 1000 rows (items, where rows
 * hold lists), 2 have no label, 1 has a NUL byte (first: line 7, column 3)" or as "2 boxes are outside ...; 1 box is
 * ... (first at line 1, column 9)", and sets the position of the first. Returns false if there are none.
 */
bool phrases_finding(struct finding *f, const struct sample *sample, const struct label_stats *stats,
		     const struct phrase *phrases);
/* Lowers the level of a finding about images if nobody said where they are, or asked for them: no --images, --root. */
void images_unasked(struct finding *f, const struct rule_input *s);
/*
 * Reports the images that a label file names and that have this trouble: "of 1000 images, 2 <many> (first: NAME ...)".
 * Returns false if there are none. trouble: enum image_trouble.
 */
bool images_finding(struct finding *f, const struct sample *sample, unsigned trouble, const char *one,
		    const char *many);
/* Sets the position of a tally's first row, and appends " (first: line 7, column 3)"; `first` replaces "first: ". */
void finding_set_row(struct finding *f, const struct row_tally *tally, const char *first);

/* Adds to the finding's count the rows or objects of a kind of trouble, as in struct phrase, and their keys. */
void finding_add_offenders(struct finding *f, const struct sample *sample, unsigned kind, uint64_t count);

/* Appends `1 -> 0, 2 -> 1` to details.map, for the categories that become a class. map may be NULL. */
void coco_add_map(struct finding *f, const struct coco_map *map);
/*
 * Says by name which categories are no class, and which classes no category has. Returns false if nothing is said:
 * there are none, no name is that of both, or each class without a category has one of another name in its place.
 */
bool coco_say_strangers(struct text *out, const struct rule_input *s);
/* Appends "old -> new" to details.map. */
void finding_map(struct finding *f, int64_t from, int64_t to);

/* Returns the greatest common divisor; common_divisor(0, b) is b. */
uint64_t common_divisor(uint64_t a, uint64_t b);
