/*
 * What an id in a file means to the loss, after what the training does to it on the way.
 *
 * All rules and the sums of the dataset ask settings_role. --reduce-zero-label does what mmsegmentation's
 * reduce_zero_label does: label[label == 0] = 255; label -= 1; label[label == 254] = 255. So 0 is ignored, 255 stays
 * ignored, and every other v >= 1 is trained as class v - 1. --classes and --ignore speak of the ids after that step,
 * findings and histograms of the ids in the file.
 */
#ifndef JUDGE_ROLE_H
#define JUDGE_ROLE_H

#include <stdint.h>

#include "base/class_set.h"
#include "base/settings.h"

/* The id that mmsegmentation turns the zero label into, and leaves alone. */
enum { REDUCED_ZERO = 255 };

/* The id that the loss sees where the file holds `id`. */
static inline int64_t settings_trained_id(const struct settings *s, int64_t id)
{
	if (!s->reduce_zero_label || id < 0)
		return id;
	if (id == 0 || id == REDUCED_ZERO)
		return REDUCED_ZERO;
	return id - 1;
}

/* The id in the file that trains class `id`. */
static inline int64_t settings_file_id(const struct settings *s, int64_t id)
{
	return s->reduce_zero_label && id >= 0 ? id + 1 : id;
}

/* What the id of a file means. The class set is finished. */
static inline enum id_role settings_role(const struct settings *s, int64_t id)
{
	return class_set_role(&s->classes, id);
}

/*
 * C, "the number of classes", where a rule reasons about 0..C-1: one more than the largest declared class, 0 without
 * any. For a list with gaps (0-18,33) that is 34; whether a single id is declared is always asked of the list itself.
 */
static inline int64_t settings_class_count(const struct settings *s)
{
	const struct id_ranges *r = &s->classes.classes;

	if (!r->count || r->v[r->count - 1].last < 0)
		return 0;
	return r->v[r->count - 1].last == INT64_MAX ? INT64_MAX : r->v[r->count - 1].last + 1;
}

#endif
