/*
 * Where in its file the trouble of a finding is: x and y of a picture, the index of an array, line and column of a
 * text. No allocation.
 */
#ifndef JUDGE_PLACE_H
#define JUDGE_PLACE_H

#include <stdint.h>

#include "base/text.h"
#include "judge/finding.h"
#include "measure/label_stats.h"
#include "read/sample.h"

/* First offender and common bounding box of several ids. */
struct place_sum {
	uint64_t first_index;
	int64_t first_id;
	uint32_t x0, y0, x1, y1;
};
#define PLACE_SUM_INIT                                    \
	{                                                 \
		NO_INDEX, 0, UINT32_MAX, UINT32_MAX, 0, 0 \
	}
void place_sum_add(struct place_sum *p, const struct id_stats *row);
/*
 * Fills first of the finding's details, if any place was added: x and y of a picture, with bbox, the index of an array,
 * line and column of a text.
 */
void place_sum_finish(const struct place_sum *p, struct finding *f, const struct sample *sample);

/* "[3, 5]" for a row-major index of an array, as NumPy takes it */
void word_index(struct text *t, const struct array_header *array, uint64_t index);

#endif
