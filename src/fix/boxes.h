/*
 * Says what --clip and --drop no-area declare about the boxes of YOLO texts: rows of a class and four numbers, the
 * centre and the size in shares of the image.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "read/input.h"

struct box_edits {
	bool clip;                 /* boxes that leave the image by at most a hundredth end at its edge */
	bool drop;                 /* those without an area are left out */
	uint64_t clipped, dropped; /* boxes */
};

/* Returns how many of the n bytes come before the end of the line. */
size_t text_line_length(const char *s, size_t n);

enum box_edit { BOX_STAYS, BOX_CLIPPED, BOX_DROPPED };

/*
 * Decides about the row whose numbers, after its class, are s[0..n), up to its line end; counts it. If it is clipped,
 * appends its new numbers, with as many decimals as it had, at least six.
 */
enum box_edit boxes_edit(struct box_edits *e, const char *s, size_t n, struct strbuf *out);
/* Counts the boxes of a text. Returns why they cannot be, or NULL. */
const char *boxes_count(struct box_edits *e, const struct input *input);
