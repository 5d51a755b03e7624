/* Counts the faults of a row of a list or of a text of boxes. */
#pragma once

#include <stdint.h>

#include "measure/label_measurer.h"

/* faults: bits 1 << number of a tally. */
static inline void count_faults(uint32_t faults, struct row_tally *tallies, uint64_t place)
{
	for (; faults; faults &= faults - 1)
		row_tally_add(&tallies[__builtin_ctz(faults)], place);
}
