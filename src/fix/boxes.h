/*
 * Says what --clip and --drop no-area declare about boxes, in whatever form a file has them: which are cut, or left
 * out, is the judgement of the audit (read/geometry.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fix/patch.h"
#include "read/fields.h"
#include "read/geometry.h"

struct box_edits {
	bool clip; /* boxes that leave the image by at most a hundredth end at its edge */
	bool drop; /* those without an area are left out */
};

/*
 * Adds the edits that make a box, which geometry_judge() counted as clipped, end at the edge of its image. numbers: its
 * four as written, the first byte of fields[0].s at offset `at` of the file. A number that stays keeps its bytes; those
 * that change get as many decimals as the longest has, centres and sizes at least six.
 */
void box_clip(const struct box_facts *box, const struct text_field numbers[4], uint64_t at, struct edits *edits);

/* The elements of a JSON list, some of which are left out with a comma each. All zero: none was met. */
struct list_edit {
	uint64_t end;       /* of the element before */
	bool kept, dropped; /* some were */
};

/* Meets the next element, n bytes; adds the edits that leave it out if `drop`. */
void list_edit_element(struct list_edit *l, uint64_t at, uint64_t n, bool drop, struct edits *edits);
