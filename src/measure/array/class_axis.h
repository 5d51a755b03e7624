/*
 * struct axis_meter: what lies along an axis of an array that is about as long as there are classes, and may be
 * one-hot, multi-label or soft labels along it. At each place of the other axes, it counts how many elements are not
 * zero and adds them up; struct class_axis (label_stats.h) says what comes of that.
 *
 * Elements come in the order of memory. If the axis is the fastest one, the elements of a place are neighbours; if not,
 * counts are kept for a plane of places, for the first AXIS_PLACES_MAX of it, and what lies beyond is not looked at.
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
	unsigned bytes; /* of an element */
	uint64_t inner; /* how far neighbours along the axis lie apart in memory, in elements; 1: the fastest axis */
	uint64_t kept;  /* of a plane: MIN(inner, AXIS_PLACES_MAX) */
	uint64_t at, along; /* of the next element: its place in the plane, and its index along the axis */
	uint8_t *on;        /* kept, or 1; how many are not zero so far; owned */
	float *sum;         /* kept, or 1; floats only; owned */
	size_t on_cap, sum_cap;
};

void axis_meter_release(struct axis_meter *m);

/*
 * Finds the axes of an array along which `classes` classes may lie: the last one of [N, K]; the first and the last of
 * [K, H, W] and [H, W, K], and of [N, K, H, W] and [N, H, W, K]. Their length must be `classes` or one more; with three
 * axes or more one less will do, if it is not too short. Returns how many there are; axes, in their order.
 */
unsigned class_axes_of(const struct array_header *array, uint64_t classes, unsigned axes[2]);

/* Begins with an axis of an array; memory is kept for the next one. False: the axis is too long to be looked at. */
bool axis_meter_begin(struct axis_meter *m, const struct array_header *array, unsigned axis);
/* Takes the next n elements, in native byte order and aligned; those of float16 as float. */
void axis_meter_add(struct axis_meter *m, const void *v, size_t n);

/*
 * After the last element: what the array is, by n axes. has_ids: all elements are integers. alive: all of them are on
 * or off (if has_ids), or shares (if not). If an axis decides, its facts are copied to *axis.
 */
enum array_use class_axes_use(struct axis_meter *axes, unsigned n, const struct array_header *array, bool has_ids,
			      bool alive, uint64_t classes, struct class_axis *axis);

#endif
