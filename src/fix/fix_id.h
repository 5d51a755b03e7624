/* struct fix_id: an id of a label file. */
#pragma once

#include <stdint.h>

struct fix_id {
	int64_t id; /* as the loader returns it; of a replicated mask, one channel of it */
	uint64_t labels;
};
