/*
 * struct axis_measurer: measures the elements along an axis that is about as long as there are classes, and may hold
 * one-hot, multi-label or soft labels.
 *
 * A place is one index of all other axes. For each place, the elements along the axis that are not zero are counted,
 * and the elements are added up; struct class_axis (label_stats.h) holds the result. Elements come in the order of
 * memory. If the axis is the fastest one, the elements of a place are neighbours. If not, the places of a plane are
 * counted side by side: the first AXIS_PLACES_MAX of it; the others are skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/label_stats.h"
#include "read/sample.h"

struct axis_measurer {
	struct class_axis facts;
	bool is_float;
	unsigned bytes;     /* of an element */
	uint64_t inner;     /* the stride of the axis in elements, and the places of a plane; 1: the fastest axis */
	uint64_t kept;      /* places that are counted: MIN(inner, AXIS_PLACES_MAX) */
	uint64_t at, along; /* the next element's place in the plane, and its index along the axis */
	uint8_t *on;        /* by place: elements that are not zero; owned */
	float *sum;         /* by place: their sum; floats only; owned */
	size_t on_cap, sum_cap;
};

void axis_measurer_release(struct axis_measurer *m);

/*
 * Fills `axes` with the axes along which `classes` classes may lie, and returns their number: the last axis of [N, K];
 * the first and the last one of [K, H, W], [H, W, K], [N, K, H, W] and [N, H, W, K], not counting N. The length must be
 * `classes` or one more; with three axes or more, one less will do if it is not too short.
 */
unsigned class_axes_of(const struct array_header *array, uint64_t classes, unsigned axes[2]);

/* Begins with an axis of an array; reuses memory. Returns false if the axis is too long to be measured. */
bool axis_measurer_begin(struct axis_measurer *m, const struct array_header *array, unsigned axis);
/* Adds the next n elements, in native byte order and aligned; float16 comes as float. */
void axis_measurer_add(struct axis_measurer *m, const void *v, size_t n);

/*
 * After the last element: returns what the array holds, judged by n axes. has_ids: all elements are integers. alive:
 * all of them are on or off (if has_ids), or shares (if not). If an axis decides, its facts are copied to *axis.
 */
enum array_use class_axes_use(struct axis_measurer *axes, unsigned n, const struct array_header *array, bool has_ids,
			      bool alive, uint64_t classes, struct class_axis *axis);
