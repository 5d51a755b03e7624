/*
 * Tells a photograph, a rendering or a measured map from a mask by the counters of its ids. image-as-mask reports it,
 * and its thin ids are no sign of interpolation. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "measure/label_stats.h"

/* Returns whether 1 / sum p^2 >= n, where p are the shares of the ids in `labels`: n equally frequent ids give n. */
bool ids_are_spread(const struct label_stats *stats, const struct id_stats *ids, uint64_t labels, uint64_t n);
/*
 * Returns whether the ids are those of a photograph; then *thin, if it is not NULL, is the number of labels in thin
 * runs, each counted up to twice. damaged: the counters show interpolation, so more of them must be thin.
 */
bool is_photograph(const struct settings *settings, const struct label_stats *stats, const struct id_stats *ids,
		   bool damaged, uint64_t *thin);
