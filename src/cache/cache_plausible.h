/*
 * Returns whether measuring could have found these results: the counts of a PNG add up, and every value is in its
 * range. A record of the cache may be anybody's work and its checksum right all the same, but rules and reports rely
 * on sums that add up (measure/label_stats.h). Pure, any thread.
 */
#ifndef CACHE_CACHE_PLAUSIBLE_H
#define CACHE_CACHE_PLAUSIBLE_H

#include <stdbool.h>

#include "measure/label_stats.h"
#include "read/sample.h"

/* rows: stats->ids_count of them. stats->ids_at is not looked at. */
bool cache_is_plausible(const struct sample *sample, const struct label_stats *stats, const struct id_stats *rows);

#endif
