/*
 * What lies along an axis of an array that is as long as there are classes: at each place of the other axes, how many
 * elements are not zero, and what they add up to. See struct class_axis (label_stats.h).
 *
 * Elements come in the order of memory. If the axis is the fastest, a place is a handful of neighbours; if not, a plane
 * of places is kept, of AXIS_PLACES_MAX at most: of larger pictures the rest is not looked at.
 */
#ifndef MEASURE_CLASS_AXIS_H
#define MEASURE_CLASS_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/label_stats.h"
#include "read/sample.h"

struct axis_meter {
	struct class_axis facts;
	bool is_float;
	unsigned bytes;     /* of an element */
	uint64_t inner;     /* elements from one to the next along the axis; 1: the fastest axis */
	uint64_t kept;      /* of a plane: MIN(inner, AXIS_PLACES_MAX) */
	uint64_t at, along; /* of the next element: its place in the plane, and its index along the axis */
	uint8_t *on;        /* kept, or 1; how many are not zero so far; owned */
	float *sum;         /* kept, or 1; floats only; owned */
	size_t on_cap, sum_cap;
};

void axis_meter_release(struct axis_meter *m);

/*
 * Finds the axes of `array` that may be those of `classes` classes: of [N, K] the last; of [K, H, W] and [H, W, K], of
 * [N, K, H, W] and [N, H, W, K] either, where K is classes or one more; or one less, of [N, K] never
 * and else of more than a few. Returns how many; *axes in order.
 */
unsigned class_axes_of(const struct array_header *array, uint64_t classes, unsigned axes[2]);

/* Begins with an axis of an array; memory is kept from one to the next. False: no memory, which is as if no axis were.
 */
bool axis_meter_begin(struct axis_meter *m, const struct array_header *array, unsigned axis);
/* The next n elements, native byte order, aligned; of float16 as float. */
void axis_meter_add(struct axis_meter *m, const void *v, size_t n);

/*
 * After the last element: what the array is by its n axes. has_ids: all elements are integers; alive: all are on or off
 * or shares, as has_ids says. Fills *axis with the one that tells, if one does.
 */
enum array_use class_axes_use(struct axis_meter *axes, unsigned n, const struct array_header *array, bool has_ids,
			      bool alive, uint64_t classes, struct class_axis *axis);

#endif
