/*
 * struct one_channel: the mask in a PNG whose channels are all equal, as rules see a mask of one channel. It is judged
 * as that mask, too, beside replicated-channels. Its neighbourhood counters are those of measure/grey_plane.h; it has
 * no places. Its stats keep `channels`.
 */
#pragma once

#include <stdbool.h>

#include "judge/rule.h"

struct one_channel {
	struct rule_input input; /* borrows the members below, and what the file's own input borrows */
	struct sample sample;
	struct label_stats stats;
	struct id_stats ids[256];
};

/* Returns false if the file is something else: other channels, an array, 16 bits, colours that differ. */
bool one_channel_init(struct one_channel *one, const struct rule_input *s);
