/* Counts a row of a list or of a text of boxes: its id, its faults, and for the baseline which row has them. */
#pragma once

#include <stdint.h>

#include "measure/label_measurer.h"
#include "read/offenders.h"

static inline void count_id(struct label_measurer *m, struct sample *sample, int64_t id, uint64_t place, uint64_t key)
{
	id_counter_add(&m->ids, id, place);
	if (id_counter_is_offender(&m->ids, id))
		key_set_add(&label_measurer_offenders(m, sample)->invalid, key, KEY_SET_MAX);
}

/* faults: bits 1 << number of a tally. */
static inline void count_faults(struct label_measurer *m, struct sample *sample, uint32_t faults,
				struct row_tally *tallies, uint64_t place, uint64_t key)
{
	for (; faults; faults &= faults - 1) {
		unsigned fault = (unsigned)__builtin_ctz(faults);

		row_tally_add(&tallies[fault], place);
		key_set_add(&label_measurer_offenders(m, sample)->kinds[fault], key, KEY_SET_MAX);
	}
}
