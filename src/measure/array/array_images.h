/*
 * Arrays that may hold masks or images, measured as such by the engines. Elements come in the order of memory, while
 * id_counter counts them; each struct below gives up (alive is false) when they do not fit it. One thread.
 *
 * struct array_mask: an array [H, W] of ids, whose rows go through the delta engine (delta.h), like those of a PNG.
 * That gives the neighbourhood counters, the boxes of offenders and the content key. Axes of length 1 are ignored. Ids
 * must be in 0..65535; arrays with other ids, and noise, are only counted. If the ids form no regions, there are no
 * neighbourhood counters.
 *
 * An array in Fortran order is measured transposed, since its columns lie in memory where rows would, and the
 * statistics are transposed back. It has no content key, which depends on the order of rows; and of several equally bad
 * pixels the one in the first column is reported, not the one in the first row.
 *
 * struct array_stack: an array with three axes or more, such as [N, H, W]: a stack of masks, or a volume. Each plane
 * goes through the delta engine, and the neighbourhood counters of all planes are added up. Ids must be in 0..255.
 *
 * The planes are spanned by the two fastest axes, as np.stack and readers of volumes leave them. If ids change much
 * more often along one axis of the planes than along the other, the fastest one counts images, and there are no
 * counters.
 *
 * struct array_colours: an array in C order with ids in 0..255 and the shape [H, W, 3] or [N, H, W, 3], which may hold
 * masks in colours, or masks with equal channels, as np.array(Image.open(f)) gives them; or the same with a constant
 * fourth channel, alpha. It is measured as an image, too (colour.h), and reported as one, without ids, if
 *
 *   - all channels are equal, so that one of them would do; or
 *   - they are not, and some value is neither a class nor ignored, so that the values are not ids; or
 *   - they are not, and all values are 0 and 1: classes side by side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/array/array_elements.h"
#include "measure/backend.h"
#include "measure/engine/colour.h"
#include "measure/engine/delta.h"
#include "measure/id_counter.h"
#include "measure/image_sums.h"

enum {
	/* Narrower arrays are lists of columns, whose neighbours mean nothing. */
	ARRAY_SIDE_MIN = 16,
	/*
	 * An array with at least this many pixels, in which more than half of the neighbours in rows differ, is noise
	 * or a table: not a mask, and slow to measure. In the worst masks, a tenth differ.
	 */
	ARRAY_NOISE_PIXELS = 1 << 16,
};

/* Collects elements into rows of ids: the current row and the one above it. */
struct array_rows {
	uint8_t *bytes; /* two rows, each followed by the engine's slack; owned */
	size_t cap;     /* bytes of both */
	size_t stride;  /* bytes from row to row */
	size_t length;  /* ids of a row */
	size_t filled;  /* ids of the current row so far */
	uint32_t y;     /* complete rows */
	bool wide;      /* ids are uint16_t */
};

struct array_mask {
	struct delta *delta; /* owned */
	struct array_rows rows;
	bool alive;      /* it may still be a mask */
	bool no_memory;  /* alive is false because memory ran out: the array fails */
	bool begun;      /* rows and the engine have begun: the first elements have decided whether ids are wide */
	bool transposed; /* width, height and the engine's state are those of the transposed mask */
	uint32_t width, height;
};

/* The neighbourhood counters of one id, as in struct id_stats. */
struct stack_id {
	uint64_t thin, lone[2], between[2];
};

struct array_stack {
	const struct class_set *classes;
	const struct array_header *array;
	struct delta *delta;    /* NULL before the first stack; owned */
	struct batch plane;     /* the id rows of one plane */
	struct stack_id *ids;   /* 256; NULL if delta is; owned */
	struct array_rows rows; /* y: of the current plane */
	bool alive, no_memory;  /* as in array_mask */
	uint32_t width, height; /* of a plane */
	uint64_t planes, at;    /* their number, and the current one */
	uint64_t used;          /* planes with two ids or more */
	struct image_sums sum;
};

struct array_colours {
	struct colour_measurer *measurer; /* NULL before the first image; owned */
	struct array_rows rows;           /* of samples */
	bool alive, no_memory;            /* as in array_mask */
	bool stacked;
	uint32_t width, height; /* height: of all images together */
	unsigned channels;
};

void array_mask_init(struct array_mask *m, const struct class_set *classes);
void array_mask_release(struct array_mask *m);
void array_stack_init(struct array_stack *s, const struct class_set *classes);
void array_stack_release(struct array_stack *s);
void array_colours_release(struct array_colours *c);

/* Begin with an array, which must outlive the measurement, and forget the last one. */
void array_mask_begin(struct array_mask *m, const struct array_header *array);
void array_stack_begin(struct array_stack *s, const struct array_header *array);
void array_colours_begin(struct array_colours *c, const struct array_header *array);
/* Add the next elements. They are integers, and ids has counted them and all before them. */
void array_mask_add(struct array_mask *m, const struct id_counter *ids, struct array_elements next);
void array_stack_add(struct array_stack *s, const struct id_counter *ids, struct array_elements next);
void array_colours_add(struct array_colours *c, const struct id_counter *ids, struct array_elements next);

/* After the last element: fills stats and appends id rows to batch. Returns false if it is no mask. */
bool array_mask_end(struct array_mask *m, const struct id_counter *ids, struct label_stats *stats, struct batch *batch);
/* After id_counter_end, which filled stats and rows: adds the neighbourhood counters to both if it is a stack. */
void array_stack_end(struct array_stack *s, struct label_stats *stats, struct id_stats *rows);
/*
 * After the last element and before id_counter_end: returns whether the array is an image; then stats and batch are
 * filled as by colour_measurer_end. may_be_classes: all elements are on or off, and an axis is about as long as there
 * are classes; then only the first of the three cases makes it an image.
 */
bool array_colours_end(struct array_colours *c, const struct id_counter *ids, bool may_be_classes,
		       struct label_stats *stats, struct batch *batch);

/*
 * Returns whether the ids, apart from the most frequent one, form regions: fewer than half of their labels are thin.
 * Tags of words, one sentence per row, do not, nor does a table; their neighbours mean nothing.
 */
bool array_has_regions(const struct id_stats *rows, uint64_t n);
