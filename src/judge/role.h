/*
 * The role of an id in a file, to the loss: a class, ignored, or invalid.
 *
 * All rules and the sums of the dataset call settings_role(). --reduce-zero-label does what mmsegmentation's
 * reduce_zero_label does: label[label == 0] = 255; label -= 1; label[label == 254] = 255. So 0 is ignored, 255 stays
 * ignored, and every other v >= 1 is trained as class v - 1. --classes and --ignore give ids after that step; findings
 * and histograms give the ids in files.
 */
#pragma once

#include <stdint.h>

#include "base/class_set.h"
#include "base/settings.h"

/* mmsegmentation turns the zero label into this id, and leaves the id itself as it is. */
enum { REDUCED_ZERO = 255 };

/* Returns the id that the loss sees where the file has `id`. */
static inline int64_t settings_trained_id(const struct settings *s, int64_t id)
{
	if (!s->reduce_zero_label || id < 0 || id_is_colour(id))
		return id;
	if (id == 0 || id == REDUCED_ZERO)
		return REDUCED_ZERO;
	return id - 1;
}

/* Returns the id in files that trains class `id`. */
static inline int64_t settings_file_id(const struct settings *s, int64_t id)
{
	return s->reduce_zero_label && id >= 0 ? id + 1 : id;
}

/* Returns the role of an id in a file. The class set must be finished. */
static inline enum id_role settings_role(const struct settings *s, int64_t id)
{
	return class_set_role(&s->classes, id);
}

/*
 * Returns C, for rules that reason about 0..C-1: one more than the largest declared class; 0 without any. For a list
 * with gaps (0-18,33) it is 34, so it does not say whether a single id is declared.
 */
static inline int64_t settings_class_count(const struct settings *s)
{
	const struct id_ranges *r = &s->classes.classes;

	if (!r->count || r->v[r->count - 1].last < 0)
		return 0;
	return r->v[r->count - 1].last == INT64_MAX ? INT64_MAX : r->v[r->count - 1].last + 1;
}
